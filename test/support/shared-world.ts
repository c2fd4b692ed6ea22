import type { Report } from '../../shared/model/outcome.ts';
import { aService } from './service.ts';
import { startSandboxWorld } from './sandbox-world.ts';

export const LOAD_BALANCER_ID = 'loadbalancer.openstack.org/load-balancer-id';
export const LOAD_BALANCER_NAME = 'levelset.openstack.org/load-balancer-name';

export type SharedWorld = Awaited<ReturnType<typeof startSharedWorld>>;

/** A world in which Services share a load balancer: a second namespace, `other`, and room for twelve on one. */
export async function startSharedWorld() {
  const it = await startSandboxWorld({}, { maxSharedLb: 12 });
  const { cloud, kube } = it;
  kube.apply({ kind: 'Namespace', metadata: { name: 'other' } });
  /** The first load balancer that there is. */
  const lb = () => {
    const [first] = cloud.loadbalancers;
    if (!first) throw new Error('there is no load balancer');
    return first;
  };
  /** A Service with one TCP port. */
  const apply = (
    name: string,
    port: number,
    annotations: Record<string, string> = {},
    namespace = 'default',
  ) => {
    const spec = { ports: [{ name: 'main', port, targetPort: 8080 }] };
    kube.apply(aService({ name, namespace, annotations, spec }));
  };
  /** The same, until it comes to rest. */
  const put = (name: string, port: number, annotations?: Record<string, string>): Promise<Report> => {
    apply(name, port, annotations);
    return it.settle(name);
  };
  return {
    ...it,
    ...{ apply, put, lb },
    /** Of all listeners, in order. */
    ports: () => cloud.listeners.map(({ protocol_port }) => protocol_port).sort((a, b) => a - b),
    /** How the Service comes to rest. */
    statusOf: async (name: string) => (await it.settle(name)).outcome.status,
    /** Service `web` with a load balancer of its own; its id. */
    owner: async () => {
      await put('web', 80);
      return lb().id;
    },
    /** A Service with one TCP port on the load balancer that there is. */
    join: (name: string, port: number) => put(name, port, { [LOAD_BALANCER_ID]: lb().id }),
  };
}
