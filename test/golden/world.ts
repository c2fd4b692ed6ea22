import { readFileSync } from 'node:fs';
import { readCloudConf } from '../../shared/config/cloud-conf.ts';
import type { Config } from '../../shared/config/config.ts';
import { lookAt } from '../../shared/look.ts';
import type { Look } from '../../shared/look.ts';
import type { Node, Service } from '../../shared/model/kubernetes.ts';
import { keyOf, serviceKey } from '../../shared/model/request.ts';
import { unitOf } from '../../shared/unit.ts';
import { CloudModel } from '../support/cloud-model.ts';
import type { Contents, Wire } from '../support/cloud-model.ts';
import { aConfig } from '../support/config.ts';

/** What another controller made for one Service, as it was recorded on the lab (takeover/README.md). */
export interface RecordedWorld {
  readonly cluster_name: string;
  readonly cloud_config: readonly string[];
  readonly service: Service;
  readonly nodes: readonly Node[];
  readonly openstack: readonly {
    readonly loadbalancer: Wire;
    readonly listeners: readonly Wire[];
    readonly pools: readonly Wire[];
    /** By pool. */
    readonly members: Readonly<Record<string, readonly Wire[]>>;
    readonly healthmonitors: readonly Wire[];
    readonly floatingips: readonly Wire[];
    readonly vip_port?: Wire;
  }[];
  readonly security_groups: readonly Wire[];
}

export function readWorld(path: string): RecordedWorld {
  return JSON.parse(readFileSync(path, 'utf8')) as RecordedWorld;
}

/** The cluster levelset runs in: another UID than any controller before could know. */
export const CLUSTER_ID = 'c1c1c1c1-0000-4000-8000-000000000000';

export function configOf(world: RecordedWorld): Config {
  const conf = readCloudConf(world.cloud_config.join('\n'), 'cloud.conf');
  return {
    ...aConfig(),
    loadBalancer: conf.loadBalancer,
    given: conf.given,
    clusterName: world.cluster_name,
  };
}

export function lookAtWorld(world: RecordedWorld, config = configOf(world)): Promise<Look> {
  const key = keyOf(world.service);
  const unit = unitOf(serviceKey(key.namespace, key.name), key, world.service, config);
  const cloud = new CloudModel(contentsOf(world, config));
  const cluster = { id: CLUSTER_ID, name: world.cluster_name };
  return lookAt(unit, world.nodes, { cloud, clock: { now: () => 0 }, config }, cluster);
}

/** The same objects with their parent's id, as the model keeps them, and the networks they are in. */
export function contentsOf(world: RecordedWorld, config: Config): Contents {
  const each = <T>(of: (balancer: RecordedWorld['openstack'][number]) => readonly T[]): readonly T[] =>
    world.openstack.flatMap(of);
  const { subnetId, networkId, memberSubnetId, floatingNetworkId } = config.loadBalancer;
  const vips = each(({ loadbalancer }) => [loadbalancer]);
  const subnets = new Set([subnetId, memberSubnetId, ...vips.map((lb) => String(lb['vip_subnet_id']))]);
  const network_id = networkId ?? String(vips[0]?.['vip_network_id']);
  return {
    loadbalancer: vips,
    listener: each(({ loadbalancer, listeners }) =>
      listeners.map((wire) => ({ ...wire, loadbalancer_id: loadbalancer.id })),
    ),
    pool: each(({ loadbalancer, pools }) =>
      pools.map((wire) => ({ ...wire, loadbalancer_id: loadbalancer.id })),
    ),
    member: each(({ members }) =>
      Object.entries(members).flatMap(([pool_id, wires]) => wires.map((wire) => ({ ...wire, pool_id }))),
    ),
    healthmonitor: each(({ pools, healthmonitors }) =>
      healthmonitors.map((wire) => ({
        ...wire,
        pool_id: pools.find((pool) => pool['healthmonitor_id'] === wire.id)?.id,
      })),
    ),
    floatingip: each(({ floatingips }) => floatingips),
    subnet: [...subnets].flatMap((id) => (id === undefined ? [] : [{ id, cidr: '10.0.0.0/24', network_id }])),
    network: floatingNetworkId === undefined ? [] : [{ id: floatingNetworkId, 'router:external': 'true' }],
    port: each(({ vip_port }) => (vip_port ? [vip_port] : [])),
  };
}
