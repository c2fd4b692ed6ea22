import { closingAfter, narrow, NO_RUN, type RunContext } from '../deadline.ts';
import { ReconcileError, errorText, isError } from '../model/errors.ts';
import { FIELD_MANAGER } from '../model/ownership.ts';
import type {
  EndpointSlice,
  Node,
  Pod,
  Secret,
  Service,
  ObjectEvent,
  ServicePatch,
} from '../model/kubernetes.ts';
import type { NodePatch, NodeStatusPatch } from '../model/node/node.ts';
import type {
  Kube,
  DeploymentHold,
  Log,
  Deletions,
  PlaceRecord,
  RepairRecord,
  RouteRecord,
  StateStore,
} from '../ports.ts';
import {
  asObject,
  corePath,
  endpointSlicePath,
  getObject,
  listAllObjects,
  toSelector,
  type ObjectOf,
} from './kube-objects.ts';
import type { KubeHttp } from './kube-http.ts';
import { DeploymentLease, type Taken } from './lease.ts';
import {
  configMapDeletions,
  configMapPlace,
  configMapRepairs,
  ConfigMapRoutes,
} from './state/config-map-records.ts';
import { ConfigMapState, nothingKnown, type KnownState } from './state/config-map-state.ts';
import { createHash } from 'node:crypto';
import { fieldsOf } from '../model/json.ts';
import { serviceKey, type Key } from '../model/request.ts';
import { clip } from '../model/text/text.ts';

export interface KubeClientOptions {
  /** Namespace of Leases and ConfigMaps. */
  readonly namespace: string;
  /** Names the deployment, where its processes write: of several that serve one cluster one does (`DeploymentLease`, lease.ts). */
  readonly deployment?: () => string | undefined;
  readonly sweepIntervalMs?: number;
  readonly log: Log;
}

interface Known {
  cluster: string | undefined;
  readonly state: KnownState;
  readonly taken: Taken;
}

/** The Kube port over HTTP. Unknown fields are kept, timestamps stay strings. Throws ReconcileError (`answerError`, kube-http.ts). */
export class KubeClient implements Kube {
  readonly state: StateStore;
  readonly routes: RouteRecord;
  readonly deletions: Deletions;
  readonly repairs: RepairRecord;
  readonly place: PlaceRecord;
  readonly deployment: DeploymentHold;
  private readonly plain: KubeHttp;
  private readonly http: KubeHttp;
  private readonly options: KubeClientOptions;
  private readonly run: RunContext;
  private readonly known: Known;

  constructor(
    plain: KubeHttp,
    options: KubeClientOptions,
    run = NO_RUN,
    known: Known = { cluster: undefined, state: nothingKnown(), taken: { fromNobody: false } },
  ) {
    const toClose = closingAfter(() => run.remainingMs());
    const toRead = (): number => run.remainingMs();
    const http: KubeHttp = (request) =>
      plain({ ...request, leftMs: request.method === 'GET' ? toRead : toClose });
    this.plain = plain;
    this.http = http;
    this.options = options;
    this.run = run;
    this.known = known;
    this.state = new ConfigMapState(http, options.namespace, options.log, known.state);
    this.routes = new ConfigMapRoutes(http, options.namespace);
    this.deletions = configMapDeletions(http, options.namespace);
    this.repairs = configMapRepairs(http, options.namespace);
    this.place = configMapPlace(http, options.namespace);
    const { deployment = () => undefined, sweepIntervalMs: intervalMs = 0, log } = options;
    const { taken } = known;
    this.deployment = new DeploymentLease(http, { deployment, intervalMs, log, taken });
  }

  during(run: Partial<RunContext>): Kube {
    return new KubeClient(this.plain, this.options, narrow(this.run, run), this.known);
  }

  async clusterId(): Promise<string> {
    if (this.known.cluster !== undefined) return this.known.cluster;
    const request = {
      path: corePath('namespaces', undefined, 'kube-system'),
      doing: 'read namespace kube-system',
    };
    const { body } = await this.http({ method: 'GET', ...request });
    this.known.cluster = asObject('Metadata', body, request.doing).metadata.uid;
    return this.known.cluster;
  }

  async hasNamespace(name: string): Promise<boolean> {
    const request = { path: corePath('namespaces', undefined, name), doing: `read namespace ${name}` };
    return (await this.http({ method: 'GET', ...request, expected: [403, 404] })).status !== 404;
  }

  getService(namespace: string, name: string): Promise<Service | undefined> {
    const path = corePath('services', namespace, name);
    return getObject(this.http, 'Service', path, `read Service ${namespace}/${name}`);
  }

  listServices(namespace?: string): Promise<readonly Service[]> {
    const doing = namespace === undefined ? 'list Services' : `list Services of ${namespace}`;
    return listAllObjects(this.http, { kind: 'Service', path: corePath('services', namespace), doing });
  }

  getNode(name: string): Promise<Node | undefined> {
    return getObject(this.http, 'Node', corePath('nodes', undefined, name), `read Node ${name}`);
  }

  patchNode(node: Node, patch: NodePatch): Promise<Node> {
    const { name } = node.metadata;
    return this.patch('Node', node, corePath('nodes', undefined, name), patch, name);
  }

  patchNodeStatus(node: Node, { conditions: ours, ...status }: NodeStatusPatch): Promise<Node> {
    const { name } = node.metadata;
    const types = new Set(ours?.map(({ type }) => type));
    const others = (node.status?.conditions ?? []).filter(({ type }) => !types.has(type));
    const patch = { status: { ...status, ...(ours && { conditions: [...others, ...ours] }) } };
    return this.patch('Node', node, `${corePath('nodes', undefined, name)}/status`, patch, name);
  }

  async deleteNode({ metadata: { name, uid, resourceVersion } }: Node): Promise<void> {
    const path = corePath('nodes', undefined, name);
    const body = { preconditions: { uid, resourceVersion } };
    await this.http({ method: 'DELETE', path, body, doing: `delete Node ${name}`, expected: [404] });
  }

  listNodes(): Promise<readonly Node[]> {
    return listAllObjects(this.http, { kind: 'Node', path: corePath('nodes'), doing: 'list Nodes' });
  }

  listEndpointSlices(namespace: string, service: string): Promise<readonly EndpointSlice[]> {
    return listAllObjects(this.http, {
      kind: 'EndpointSlice',
      path: endpointSlicePath(namespace),
      query: { labelSelector: toSelector({ 'kubernetes.io/service-name': service }) },
      doing: `list the EndpointSlices of Service ${namespace}/${service}`,
    });
  }

  listPods(namespace: string, labels: Readonly<Record<string, string>>): Promise<readonly Pod[]> {
    const selector = toSelector(labels);
    return listAllObjects(this.http, {
      kind: 'Pod',
      path: corePath('pods', namespace),
      ...(selector === '' ? {} : { query: { labelSelector: selector } }),
      doing: `list the Pods of ${namespace}`,
    });
  }

  getSecret(namespace: string, name: string): Promise<Secret | undefined> {
    const path = corePath('secrets', namespace, name);
    return getObject(this.http, 'Secret', path, `read Secret ${namespace}/${name}`);
  }

  patchService(service: Service, patch: ServicePatch): Promise<Service> {
    const { namespace, name } = service.metadata;
    const path = `${corePath('services', namespace, name)}/status`;
    return this.patch('Service', service, path, patch, `${namespace}/${name}`);
  }

  /** Under the version that was read, since a merge patch replaces whole lists. Throws KUBE_CONFLICT. */
  private async patch<K extends 'Service' | 'Node'>(
    kind: K,
    { metadata: { uid, resourceVersion } }: ObjectOf<K>,
    path: string,
    patch: ServicePatch | NodePatch,
    name: string,
  ): Promise<ObjectOf<K>> {
    const doing = `patch ${kind} ${name}`;
    const answer = await this.http({
      method: 'PATCH',
      path,
      query: { fieldManager: FIELD_MANAGER },
      body: { ...patch, metadata: { ...patch.metadata, resourceVersion, uid } },
      doing,
      expected: [404],
    });
    if (answer.status !== 404) return asObject(kind, answer.body, doing);
    throw new ReconcileError('KUBE_CONFLICT', `cannot ${doing}: the object no longer exists`, {
      status: 404,
    });
  }

  recordEvent(about: Service | Node, event: ObjectEvent): Promise<void> {
    return recordEvent(this.http, this.options.log, about, event);
  }
}

const LONGEST_MESSAGE = 1024;

/**
 * Writes an Event (docs/sources/kubernetes.md, "Events of the controllers"). Its name has a hash of what it says: the
 * same again only raises the count. Never throws.
 */
async function recordEvent(
  http: KubeHttp,
  log: Log,
  about: Service | Node,
  event: ObjectEvent,
): Promise<void> {
  try {
    await writeEvent(http, about, event);
  } catch (error) {
    if (isError(error) && error.code === 'KUBE_NAMESPACE_ENDS') return; // nobody is left who could read it
    const reason = errorText(error);
    log.warn('an Event could not be written', {
      object: keyOfObject(about),
      event: event.reason,
      reason,
    });
  }
}

function keyOfObject({ metadata: { namespace, name } }: Service | Node): Key {
  return namespace === undefined ? `node/${name}` : serviceKey(namespace, name);
}

async function writeEvent(http: KubeHttp, about: Service | Node, event: ObjectEvent): Promise<void> {
  const body = eventObject(about, event);
  const { name, namespace } = body.metadata;
  const doing = `write Event ${namespace}/${name}`;
  const all = corePath('events', namespace);
  const created = await http({ method: 'POST', path: all, body, doing, expected: [409] });
  if (created.status !== 409) return;
  const one = corePath('events', namespace, name);
  const { body: seen } = await http({ method: 'GET', path: one, doing });
  const { count: before } = fieldsOf(seen);
  const count = typeof before === 'number' ? before + 1 : 2;
  await http({ method: 'PATCH', path: one, body: { count, lastTimestamp: body.lastTimestamp }, doing });
}

function eventObject({ metadata }: Service | Node, { component, type, reason, message }: ObjectEvent) {
  const { namespace, name, uid, resourceVersion } = metadata;
  const isService = namespace !== undefined;
  const hash = createHash('sha256')
    .update(JSON.stringify([uid, type, reason, message]))
    .digest('hex');
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: namespace ?? 'default', name: `${name}.${hash.slice(0, 16)}` },
    involvedObject: {
      apiVersion: 'v1',
      kind: isService ? 'Service' : 'Node',
      ...(isService ? { namespace } : {}),
      name,
      uid,
      resourceVersion,
    },
    type,
    reason,
    message: clip(message, LONGEST_MESSAGE),
    source: { component: component ?? (isService ? 'service-controller' : 'cloud-node-controller') },
    reportingComponent: 'levelset',
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
}
