import { readFileSync } from 'node:fs';
import { newMemory } from '../../shared/memory/memory.ts';
import { join } from 'node:path';
import { readCloudConf } from '../../shared/config/cloud-conf/cloud-conf.ts';
import type { Config } from '../../shared/config/config.ts';
import { compareService, type Comparison } from '../../shared/service/compare-service.ts';
import type { Node, Service } from '../../shared/model/kubernetes.ts';
import { keyOf, serviceKey } from '../../shared/model/request.ts';
import { objectOf } from '../../shared/service/service-object.ts';
import { NODE_GROUP, type Contents, type Wire } from '../support/cloud-contents.ts';
import { aConfig } from '../support/config.ts';
import { podsOf, type ServicePods } from '../support/service.ts';
import { secretsOf } from '../support/tls-secret.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';

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
const CLUSTER_ID = 'c1c1c1c1-0000-4000-8000-000000000000';

function configOf(world: RecordedWorld): Config {
  const conf = readCloudConf(world.cloud_config.join('\n'), 'cloud.conf');
  return {
    ...aConfig(),
    loadBalancer: conf.loadBalancer,
    given: conf.given,
    clusterName: world.cluster_name,
  };
}

export function compareWorld(world: RecordedWorld, pods: Partial<ServicePods> = {}): Promise<Comparison> {
  const config = configOf(world);
  const key = keyOf(world.service);
  const object = objectOf(serviceKey(key.namespace, key.name), key, world.service, config);
  const nodes = world.nodes.map(({ metadata }) => metadata.name);
  const kube = { ...podsOf(world.service, { nodes, ...pods }), ...secretsOf({}) };
  const cloud = new SimulatedCloud(contentsOf(world, config));
  const cluster = { id: CLUSTER_ID, name: world.cluster_name };
  return compareService(
    object,
    world.nodes,
    { kube, cloud, clock: { now: () => 0 }, config, memory: newMemory() },
    cluster,
  );
}

/** The same objects with their parent's id, as the model keeps them, and the networks they are in. */
function contentsOf(world: RecordedWorld, config: Config): Contents {
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
    port: [...each(({ vip_port }) => (vip_port ? [vip_port] : [])), ...nodePorts(world, config)],
    ...certificates(each(({ listeners }) => listeners)),
    securitygroup: world.security_groups,
    securitygrouprule: world.security_groups.flatMap(
      (group) => group['security_group_rules'] as readonly Wire[],
    ),
  };
}

/** What Barbican has: all that listeners name. */
function certificates(listeners: readonly Wire[]): Contents {
  const refs = listeners.flatMap((listener) => listener['default_tls_container_ref'] ?? []).map(String);
  const of = (kind: 'secret' | 'container'): readonly Wire[] =>
    [...new Set(refs)]
      .filter((ref) => ref.includes(`/${kind}s/`))
      .map((ref) => ({ id: ref.split('/').at(-1) ?? ref, [`${kind}_ref`]: ref }));
  return { secret: of('secret'), container: of('container') };
}

/** As that controller left them: each with its security groups, beside one that is not its own. */
function nodePorts(world: RecordedWorld, config: Config): readonly Wire[] {
  const subnet = config.loadBalancer.memberSubnetId ?? world.openstack[0]?.loadbalancer['vip_subnet_id'];
  return world.nodes.map(({ metadata, spec, status }, at) => ({
    id: `bbbbbbbb-0000-4000-8000-${String(at).padStart(12, '0')}`,
    name: metadata.name,
    device_id: spec?.providerID?.split('/').at(-1) ?? '',
    fixed_ips: (status?.addresses ?? []).map(({ address }) => ({ subnet_id: subnet, ip_address: address })),
    security_groups: [NODE_GROUP, ...world.security_groups.map(({ id }) => id)],
    port_security_enabled: true,
    revision_number: 1,
  }));
}

export const world = (name: string): RecordedWorld =>
  readWorld(join(import.meta.dirname, 'takeover', `${name}.world.json`));
