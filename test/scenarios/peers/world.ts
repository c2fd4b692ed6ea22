import { serviceKey } from '../../../shared/model/request.ts';
import { aService } from '../../support/service.ts';
import { aProcess, inVirtualTime, runsOf } from '../../support/virtual-time.ts';
import { cloudWrites, ingressOf, readyOf, serviceOf } from '../../support/told.ts';

export const L = 'loadbalancer.openstack.org/';
export const CLEANUP = 'service.kubernetes.io/load-balancer-cleanup';

interface Metadata {
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

export type PeerWorld = ReturnType<typeof peerWorld>;

/** A cluster and its cloud in this process, whose time passes when nobody has anything else to do. */
export function peerWorld() {
  const inside = inVirtualTime();
  const { cloud, kube } = inside;
  const world = aProcess(inside);
  const settle = (name: string) =>
    runsOf({ key: serviceKey('default', name), trigger: 'audit' }, world, inside);
  const edit = async (spec: object, { name = 'web', ...metadata }: Metadata = {}): Promise<void> => {
    kube.apply({ kind: 'Service', metadata: { name, namespace: 'default', ...metadata }, spec });
    await settle(name);
  };
  return {
    ...inside,
    settle,
    /** What somebody writes on a Service, and its runs. */
    edit,
    make: (spec?: Readonly<Record<string, unknown>>, metadata?: Metadata) =>
      edit(aService({ ...metadata, ...(spec && { spec }) }).spec, metadata),
    remove: async (name = 'web') => {
      kube.delete('Service', 'default', name);
      await settle(name);
    },
    isThere: (name?: string) => serviceOf(inside, name) !== undefined,
    finalizers: () => [...(serviceOf(inside)?.metadata.finalizers ?? [])].sort(),
    ip: (name?: string) => ingressOf(inside, name)[0]?.ip ?? 'none',
    isReady: (name?: string) => readyOf(inside, name)?.status === 'True',
    open: () => sorted(cloud.listeners.map((one) => `${one.protocol} ${String(one.protocol_port)}`)),
    nodePorts: () => sorted(cloud.members.map((one) => String(one.protocol_port))),
    writes: () => cloudWrites(inside).filter((one) => !one.includes('/auth/tokens')),
  };
}

function sorted(all: readonly string[]): string {
  return [...new Set(all)].sort().join(', ');
}
