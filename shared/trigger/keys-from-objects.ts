/** Which keys a change of an object names, for a watch, which does not tell who changed what. */
import { goesToPods } from '../model/load-balancer/observed-service.ts';
import { fingerprint } from '../model/json.ts';
import type { Node, ObjectMeta, Service } from '../model/kubernetes.ts';
import { FINALIZER, LOAD_BALANCER_ADDRESS, LOAD_BALANCER_ID } from '../model/ownership.ts';
import { serviceKey, type Key, OF_ALL_NODES } from '../model/request.ts';

/** An object as a list or a watch shows it; of EndpointSlices only the metadata. */
export interface SeenObject {
  readonly metadata: ObjectMeta;
}

const WRITTEN = new Set([LOAD_BALANCER_ID, LOAD_BALANCER_ADDRESS]);

/** What a Service asks for, without what levelset writes, as a text that changes with it; undefined if it never was a load balancer. */
export function signOfService({ metadata, spec }: Service): string | undefined {
  const finalizers = metadata.finalizers ?? [];
  if (spec.type !== 'LoadBalancer' && !finalizers.includes(FINALIZER)) return undefined;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !WRITTEN.has(name));
  return fingerprint([
    metadata.uid,
    metadata.deletionTimestamp,
    Object.fromEntries(annotations),
    metadata.labels,
    finalizers.filter((name) => name !== FINALIZER),
    spec,
  ]);
}

/** What of a Node counts, as a text that changes with it. A kubelet's report that all is as before leaves it is. */
export function signOfNode({ metadata, spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return fingerprint([
    metadata.uid,
    metadata.deletionTimestamp,
    metadata.labels,
    metadata.annotations,
    spec,
    status?.addresses,
    status?.nodeInfo?.systemUUID,
    ready,
  ]);
}

export function keyOfService({ metadata }: SeenObject): Key {
  return serviceKey(metadata.namespace ?? '', metadata.name);
}

/** A Node that is gone concerns what depends on all Nodes. */
export function keysOfNode({ metadata }: SeenObject, isGone: boolean): readonly Key[] {
  return [...(isGone ? [] : [`node/${metadata.name}` as const]), ...OF_ALL_NODES];
}

/** The key of the Service of an EndpointSlice; undefined for one that a person made. */
export function serviceOfSlice({ metadata }: SeenObject): Key | undefined {
  const name = metadata.labels?.['kubernetes.io/service-name'];
  return name === undefined ? undefined : serviceKey(metadata.namespace ?? '', name);
}

export function followsEndpoints(service: Service): boolean {
  if (service.spec.type !== 'LoadBalancer') return false;
  const { externalTrafficPolicy, ports = [] } = service.spec;
  return externalTrafficPolicy === 'Local' || ports.some((port) => goesToPods(service, port));
}
