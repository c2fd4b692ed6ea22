import type { Report } from '../../shared/model/outcome.ts';
import { aService } from './service.ts';
import { startSandboxWorld, type SandboxWorld } from './sandbox-world.ts';

export const LOAD_BALANCER_ID = 'loadbalancer.openstack.org/load-balancer-id';
export const LOAD_BALANCER_NAME = 'levelset.openstack.org/load-balancer-name';

/** A world in which Services share a load balancer: a second namespace, `other`, and room for twelve on one. */
export interface SharedWorld extends SandboxWorld {
  /** A Service with one TCP port. */
  apply(name: string, port: number, annotations?: Record<string, string>, namespace?: string): void;
  /** The same, until it comes to rest. */
  put(...given: Parameters<SharedWorld['apply']>): Promise<Report>;
  /** The first load balancer that there is. */
  lb(): SandboxWorld['sandbox']['cloud']['loadbalancers'][number];
  /** Of all listeners, in order. */
  ports(): readonly number[];
  /** How the Service comes to rest. */
  statusOf(name: string): Promise<string>;
  /** Service `web` with a load balancer of its own; its id. */
  owner(): Promise<string>;
  /** A Service with one TCP port on the load balancer that there is. */
  join(name: string, port: number): Promise<Report>;
}

export async function startSharedWorld(): Promise<SharedWorld> {
  const it = await startSandboxWorld({}, { maxSharedLb: 12 });
  it.sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'other' } });
  const { cloud, kube } = it.sandbox;
  const lb: SharedWorld['lb'] = () => {
    const [first] = cloud.loadbalancers;
    if (!first) throw new Error('there is no load balancer');
    return first;
  };
  const apply: SharedWorld['apply'] = (name, port, annotations = {}, namespace = 'default') => {
    const spec = { ports: [{ name: 'main', port, targetPort: 8080 }] };
    kube.apply(aService({ name, namespace, annotations, spec }));
  };
  const put: SharedWorld['put'] = (name, port, annotations, namespace = 'default') => {
    apply(name, port, annotations, namespace);
    return it.settle(`${namespace}/${name}`);
  };
  return {
    ...it,
    apply,
    put,
    lb,
    ports: () => cloud.listeners.map(({ protocol_port }) => protocol_port).sort((a, b) => a - b),
    statusOf: async (name) => (await it.settle(name)).outcome.status,
    owner: async () => {
      await put('web', 80);
      return lb().id;
    },
    join: (name, port) => put(name, port, { [LOAD_BALANCER_ID]: lb().id }),
  };
}
