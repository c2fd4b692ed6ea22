import type { SandboxOptions } from '../../../infra/sandbox/sandbox.ts';
import type { Config } from '../../../shared/config/config.ts';
import type { Key, Trigger } from '../../../shared/model/request.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { run, runAll, SILENT } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { inVirtualTime } from '../../support/virtual-time.ts';
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
export function peerWorld(
  options: SandboxOptions = {},
  loadBalancer: Partial<Config['loadBalancer']> = {},
  config: (base: Config) => Partial<Config> = () => ({}),
) {
  const inside = inVirtualTime(options);
  const { cloud, kube, clock } = inside;
  const base = aConfig(AUTH_URL, loadBalancer);
  const world = inProcessWorld(inside, { ...base, ...config(base) }, SILENT);
  /** Runs the key until nothing is left to wait for. */
  const settle = async (key: Key, trigger: Trigger = 'audit'): Promise<void> => {
    for (let runs = 0; runs < 20; runs += 1) {
      const { outcome } = await run({ key, trigger }, world);
      if (outcome.status !== 'progressing') return;
      clock.advance(1_500);
    }
    throw new Error(`${key} did not settle`);
  };
  const ofService = (name: string) => settle(`service/default/${name}`);
  const edit = async (spec: object, { name = 'web', ...metadata }: Metadata = {}): Promise<void> => {
    kube.apply({ kind: 'Service', metadata: { name, namespace: 'default', ...metadata }, spec });
    await ofService(name);
  };
  return {
    ...inside,
    world,
    settle,
    /** What somebody writes on a Service, and its runs. */
    edit,
    resync: () => settle('service/default/web', 'resync'),
    make: (spec?: Readonly<Record<string, unknown>>, metadata?: Metadata) =>
      edit(aService({ ...metadata, ...(spec && { spec }) }).spec, metadata),
    remove: async (name = 'web') => {
      kube.delete('Service', 'default', name);
      await ofService(name);
    },
    look: (node: string) => settle(`node/${node}`),
    /** Sweeps and runs until nothing is to be done. */
    sweepAll: async () => {
      for (let sweeps = 0; sweeps < 20; sweeps += 1) {
        const reports = await runAll(await sweep(world), world);
        if (reports.every(({ outcome }) => outcome.status === 'settled')) return;
        clock.advance(60_000);
      }
      throw new Error('the world did not settle');
    },
    isThere: (name?: string) => serviceOf(inside, name) !== undefined,
    finalizers: () => [...(serviceOf(inside)?.metadata.finalizers ?? [])].sort(),
    ip: (name?: string) => ingressOf(inside, name)[0]?.ip ?? 'none',
    isReady: (name?: string) => readyOf(inside, name)?.status === 'True',
    open: () => sorted(cloud.listeners.map((one) => `${one.protocol} ${String(one.protocol_port)}`)),
    nodePorts: () => sorted(cloud.members.map((one) => String(one.protocol_port))),
    members: (service: string) => {
      const pools = cloud.pools.filter((one) => one.name.endsWith(`_${service}`)).map(({ id }) => id);
      return sorted(cloud.members.filter((one) => pools.includes(one.pool_id)).map((one) => one.name));
    },
    writes: () => cloudWrites(inside).filter((one) => !one.includes('/auth/tokens')),
  };
}

function sorted(all: readonly string[]): string {
  return [...new Set(all)].sort().join(', ');
}
