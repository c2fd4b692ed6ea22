/** A settled world in which each Service has one damage, and what levelset prints about it. */
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Cloud, World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { inVirtualTime, runsOf } from '../../support/virtual-time.ts';

const HOUR_MS = 3_600_000;

/** The cluster that is gone. */
export const GONE = '0f0f0f0f-1111-4222-8333-444444444444';

export interface Damages {
  readonly inside: SandboxInside;
  readonly world: World;
  readonly hand: Cloud;
}

/** A load balancer and what is on it, by their ids. */
type Balancer = ReturnType<typeof balancerOf>;
type Damage = (of: Balancer, it: Damages) => unknown;

/** By the name of the Service: what somebody, or OpenStack itself, did to what it has. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  'algorithm-changed': ({ pool }, { hand }) => hand.update('pool', pool, { lb_algorithm: 'SOURCE_IP' }),
  'balancer-broken': ({ lb }, { inside: { cloud } }) => {
    cloud.setStatus(lb, 'ERROR');
    Object.assign(cloud.loadbalancers.byId(lb) ?? {}, { operating_status: 'ONLINE' });
  },
  'balancer-deleted': ({ lb }, { hand }) => hand.remove('loadbalancer', lb, { cascade: true }),
  'balancer-stuck': ({ lb }, { inside: { cloud } }) => {
    cloud.setStatus(lb, 'PENDING_UPDATE');
  },
  'floating-ip-detached': ({ floatingIP }, { hand }) =>
    hand.update('floatingip', floatingIP, { port_id: null }),
  'listener-deleted': ({ listener }, { hand }) => hand.remove('listener', listener),
  'member-added': ({ pool }, { hand }) =>
    hand.create('member', { address: '10.0.0.77', protocol_port: 4711 }, pool),
  'member-deleted': ({ member, pool }, { hand }) => hand.remove('member', member, { parent: pool }),
  'member-weight': ({ member, pool }, { hand }) => hand.update('member', member, { weight: 99 }, pool),
  'service-forced-away': (_, { inside: { kube } }) => {
    const metadata = { name: 'service-forced-away', namespace: 'shop', finalizers: [] };
    kube.apply({ kind: 'Service', metadata });
    kube.delete('Service', 'shop', metadata.name);
  },
  'tags-removed': ({ lb }, { hand }) => hand.update('loadbalancer', lb, { tags: [] }),
};

/** Eleven Services were served for two hours, another cluster is gone, and somebody was at work ten minutes ago. */
export async function startDamages(): Promise<Damages> {
  const inside = inVirtualTime({ nodes: 2 });
  const { kube, cloud, clock } = inside;
  const config = { ...aConfig(AUTH_URL), orphanDelayMs: HOUR_MS };
  const it: Damages = {
    inside,
    world: inProcessWorld(inside, config, SILENT),
    hand: inProcessWorld(inside, config, SILENT).cloud,
  };
  kube.apply({ kind: 'Namespace', metadata: { name: 'shop' } });
  for (const [number, name] of Object.keys(DAMAGES).entries()) {
    const ports = [{ name: 'http', port: 80, targetPort: 8080, nodePort: 30_080 + number }];
    kube.apply(aService({ name, namespace: 'shop', spec: { ports } }));
    await runsOf({ key: `service/shop/${name}`, trigger: 'audit' }, it.world, inside);
  }
  await leaveAnotherCluster(it);
  for (let sweeps = 0; sweeps < 2; sweeps += 1) {
    clock.advance(HOUR_MS);
    for (const request of (await sweep(it.world)).requests) await runsOf(request, it.world, inside);
  }
  for (const [name, damage] of Object.entries(DAMAGES)) {
    if (name === 'balancer-stuck') clock.advance(-1.5 * HOUR_MS);
    await damage(balancerOf(cloud, name), it);
    if (name === 'balancer-stuck') clock.advance(1.5 * HOUR_MS);
    clock.advance(1_000);
  }
  clock.advance(600_000);
  return it;
}

/** What a cluster has left that was deleted together with its Services. */
async function leaveAnotherCluster({ hand, inside }: Damages): Promise<void> {
  const service = '5e5e5e5e-1111-4222-8333-444444444444';
  const tags = [`levelset-cluster=${GONE}`, `levelset-service=${service}`, 'levelset-name=old/api'];
  const subnet = inside.cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id;
  await hand.create('loadbalancer', {
    name: 'kube_service_old_old_api',
    vip_subnet_id: subnet,
    description: 'Kubernetes external service old/api from cluster old',
    tags,
  });
}

function balancerOf(cloud: SandboxInside['cloud'], name: string) {
  const lb = cloud.loadbalancers.find((one) => one.name.endsWith(`_${name}`));
  const listener = cloud.listeners.find((one) => one.loadbalancer_id === lb?.id)?.id;
  const pool = cloud.pools.find((one) => one.loadbalancer_id === lb?.id)?.id;
  const member = cloud.members.find((one) => one.pool_id === pool)?.id;
  const floatingIP = cloud.floatingips.find((one) => one.port_id === lb?.vip_port_id)?.id;
  if (!lb || !listener || !pool || !member || !floatingIP) throw new Error(`${name} is not served`);
  return { lb: lb.id, listener, pool, member, floatingIP };
}
