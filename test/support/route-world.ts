import { CONTROLLER_NAMES } from '../../shared/config/config.ts';
import type { Node } from '../../shared/model/kubernetes.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import type { SandboxOptions } from '../../infra/sandbox/sandbox.ts';
import { addNodeIn, run, startSandboxWorld } from './sandbox-world.ts';
import { callsSince, eventsAt } from './told.ts';

export const nodeName = (at: number): string => `node-${at}`;

/** A cluster without Nodes on the router of its cloud. */
export async function startRouteWorld(octavia: SandboxOptions['octavia'] = {}) {
  const bare = await startSandboxWorld({ nodes: 0, octavia });
  const { cloud, kube, sandbox } = bare;
  const world = await bare.another({
    controllers: CONTROLLER_NAMES,
    clusterCidrs: ['10.244.0.0/16'],
    route: { routerId: cloud.routerId },
  });
  const portOf = (at: number) => {
    const server = cloud.servers.find(({ name }) => name === nodeName(at));
    return cloud.ports.find(({ device_id: id }) => id === server?.id);
  };
  /** The address of a Node's port. */
  const hop = (at: number): string => portOf(at)?.fixed_ips[0]?.ip_address ?? '';
  /** One run, by default for an event. */
  const reconcile = (request: Partial<ReconcileRequest> = {}, by = world): Promise<Report> =>
    run({ key: 'routes', trigger: 'audit', ...request }, by);
  return {
    ...bare,
    ...{ world, hop, reconcile },
    another: () => bare.another(world.config),
    /** A Node with a server; `at` makes its podCIDR, unless others are given. */
    addNode: (at: number, podCIDRs: readonly string[] = [`10.244.${at}.0/24`]) => {
      addNodeIn({ cloud }, nodeName(at), { kube });
      const spec = { podCIDR: podCIDRs[0], podCIDRs: [...podCIDRs] };
      kube.apply({ kind: 'Node', metadata: { name: nodeName(at) }, spec });
    },
    /** Runs the key as the queue does, until it is not requeued. */
    routed: async (by = world): Promise<Report> => {
      for (let tries = 0; tries < 20; tries += 1) {
        const report = await reconcile({}, by);
        if (report.outcome.status !== 'progressing') return report;
      }
      throw new Error('the routes did not settle');
    },
    /** On the router, as `DESTINATION NEXTHOP`. */
    routes: () => (cloud.routers[0]?.routes ?? []).map((one) => `${one.destination} ${one.nexthop}`),
    /** CIDRs that a Node's port lets through. */
    pairs: (at: number): readonly string[] =>
      ((portOf(at)?.['allowed_address_pairs'] ?? []) as readonly { ip_address: string }[]).map(
        (one) => one.ip_address,
      ),
    unavailable: (at: number) => {
      const { status } = kube.get('Node', undefined, nodeName(at)) as unknown as Node;
      const found = status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');
      return found && { status: found.status, reason: found.reason };
    },
    /** The Events at a Node, each with the component that says it. */
    events: (at: number) =>
      eventsAt(sandbox, nodeName(at)).map(({ source, reason, message }) => {
        const { component } = source as { component: string };
        return `${component} ${String(reason)}: ${String(message)}`;
      }),
    /** Requests to OpenStack since the last time. */
    calls: callsSince(sandbox),
  };
}
