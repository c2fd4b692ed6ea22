/** The same work asked of Octavia and Neutron directly and in parallel, with no controller between. */
import { cloud, loadBalancers, type Resource } from '../e2e/lab/lab.ts';

const LBAAS = '/v2.0/lbaas';

export interface Work {
  readonly services: number;
  readonly ports: number;
  readonly addresses: readonly string[];
  readonly subnet: string;
  readonly floatingNetwork: string;
}

export interface Made {
  readonly id: string;
  readonly pools: readonly string[];
  readonly floatingIP: string;
}

const monitor = { type: 'TCP', delay: 5, timeout: 3, max_retries: 1, max_retries_down: 3 };

/** One POST a load balancer, one a floating IP; done when all are ACTIVE. */
export async function createAll(work: Work): Promise<readonly Made[]> {
  const names = Array.from({ length: work.services }, (_, index) => `floor-${index}`);
  const made = await Promise.all(names.map((name) => createOne(name, work)));
  await untilAll(
    made.map(({ id }) => id),
    (status) => status === 'ACTIVE',
  );
  return made;
}

async function createOne(name: string, work: Work): Promise<Made> {
  const listeners = Array.from({ length: work.ports }, (_, port) => ({
    name: `${name}-${port}`,
    protocol: 'TCP',
    protocol_port: 80 + port,
    default_pool: {
      name: `${name}-${port}`,
      protocol: 'TCP',
      lb_algorithm: 'ROUND_ROBIN',
      healthmonitor: { name: `${name}-${port}`, ...monitor },
      members: work.addresses.map((address) => ({
        address,
        protocol_port: 30080 + port,
        subnet_id: work.subnet,
      })),
    },
  }));
  const { loadbalancer } = await cloud().must<{ loadbalancer: Resource & { pools: readonly Resource[] } }>(
    'load-balancer',
    'POST',
    `${LBAAS}/loadbalancers`,
    { loadbalancer: { name, vip_subnet_id: work.subnet, listeners } },
  );
  const { floatingip } = await cloud().must<{ floatingip: Resource }>(
    'network',
    'POST',
    '/v2.0/floatingips',
    {
      floatingip: { floating_network_id: work.floatingNetwork, port_id: loadbalancer['vip_port_id'] },
    },
  );
  return { id: loadbalancer.id, pools: loadbalancer.pools.map(({ id }) => id), floatingIP: floatingip.id };
}

/** One member into every pool, pool after pool on each load balancer, all load balancers at once. */
export async function joinAll(made: readonly Made[], address: string, subnet: string): Promise<void> {
  const rounds = Math.max(...made.map(({ pools }) => pools.length));
  const watch = watchStatus();
  try {
    await Promise.all(
      made.map(async ({ id, pools }) => {
        for (const pool of pools.slice(0, rounds)) {
          const member = { address, protocol_port: 30080, subnet_id: subnet };
          await cloud().must('load-balancer', 'POST', `${LBAAS}/pools/${pool}/members`, { member });
          await watch.until(id, (status) => status === 'ACTIVE');
        }
      }),
    );
  } finally {
    watch.stop();
  }
}

export async function deleteAll(made: readonly Made[]): Promise<void> {
  await Promise.all(
    made.map(async ({ id, floatingIP }) => {
      await cloud().must('load-balancer', 'DELETE', `${LBAAS}/loadbalancers/${id}?cascade=true`);
      await cloud().must('network', 'DELETE', `/v2.0/floatingips/${floatingIP}`);
    }),
  );
  await untilAll(
    made.map(({ id }) => id),
    (status) => status === undefined,
  );
}

async function untilAll(
  ids: readonly string[],
  done: (status: string | undefined) => boolean,
): Promise<void> {
  const watch = watchStatus();
  await Promise.all(ids.map((id) => watch.until(id, done)));
  watch.stop();
}

const EVERY_MS = 500;

/** All load balancers by one list call twice a second: cheaper than a GET of each. */
function watchStatus(): {
  until(id: string, done: (status: string | undefined) => boolean): Promise<void>;
  stop(): void;
} {
  const waiting = new Set<{
    id: string;
    since: number;
    done: (status: string | undefined) => boolean;
    resolve: () => void;
  }>();
  let stopped = false;
  const look = async (): Promise<void> => {
    while (!stopped) {
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      const asked = Date.now();
      const status = new Map((await loadBalancers()).map((lb) => [lb.id, String(lb['provisioning_status'])]));
      for (const one of waiting) {
        if (one.since > asked || !one.done(status.get(one.id))) continue;
        waiting.delete(one);
        one.resolve();
      }
    }
  };
  void look();
  return {
    until: (id, done) => new Promise((resolve) => waiting.add({ id, since: Date.now(), done, resolve })),
    stop: () => {
      stopped = true;
    },
  };
}
