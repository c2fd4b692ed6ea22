/** The whole project against what Services, Nodes and people ask for. */
import type { Node, Service } from '../../../shared/model/kubernetes.ts';
import { kube, lab, labResources } from '../lab/lab.ts';
import type { Resource } from '../lab/openstack.ts';
import { expectedOf, wantsLoadBalancer, WITHOUT, type Setting } from './expected.ts';
import type { Foreign } from './foreign.ts';
import { comparePictures } from './picture.ts';
import { foundOf, readProject, tagsOf, type Project } from './project.ts';

export interface Verdict {
  readonly services: number;
  readonly loadBalanced: number;
  /** Compared, of Services and of what is not levelset's. */
  readonly attributes: number;
  readonly differences: readonly string[];
  /** What is there and belongs to nobody. */
  readonly leaks: readonly string[];
}

export function settingOfLab(): Setting {
  const { public_network, private_v4, private_v4_cidr } = labResources();
  return {
    clusterId: lab().clusterId,
    clusterName: 'lab',
    publicNetwork: public_network,
    privateSubnet: private_v4,
    privateCidr: private_v4_cidr,
  };
}

export async function compareAll(namespace: string, foreign: Foreign): Promise<Verdict> {
  const project = await readProject();
  const services = await kube.list<Service>(`/api/v1/namespaces/${namespace}/services`);
  const nodes = await kube.list<Node>('/api/v1/nodes');
  const differences: string[] = [];
  const claimed = new Set<string>();
  const wanting = services.filter(wantsLoadBalancer);
  let attributes = 0;
  for (const service of services) {
    const what = `service ${service.metadata.name}`;
    const { picture, placed, ids } = foundOf(service, project, foreign.guests);
    const wants = wantsLoadBalancer(service);
    const expected = wants ? expectedOf(service, nodes, placed, settingOfLab()) : WITHOUT;
    const result = comparePictures(what, expected, picture);
    attributes += result.attributes;
    differences.push(...result.differences);
    if (wants) ids.forEach((id) => claimed.add(id));
  }
  const { fields, changes } = foreign.changesIn(project);
  return {
    services: services.length,
    loadBalanced: wanting.length,
    attributes: attributes + fields,
    differences: [...differences, ...onOneLoadBalancer(wanting, project), ...changes],
    leaks: leaksIn(project, { claimed, foreign }),
  };
}

/** Services that name the same load balancer share it. */
function onOneLoadBalancer(services: readonly Service[], project: Project): readonly string[] {
  const named = Map.groupBy(
    services,
    ({ metadata }) => metadata.annotations?.['levelset.openstack.org/load-balancer-name'],
  );
  return [...named].flatMap(([name, group]) => {
    if (name === undefined) return [];
    const names = group.map(({ metadata }) => `levelset-name=${metadata.namespace}/${metadata.name}`);
    const used = project.loadBalancers.filter((lb) => tagsOf(lb).some((tag) => names.includes(tag)));
    return used.length === 1 ? [] : [`services that share ${name} are on ${used.length} load balancers`];
  });
}

function leaksIn(
  project: Project,
  known: {
    readonly claimed: ReadonlySet<string>;
    readonly foreign: Foreign;
  },
): readonly string[] {
  const { claimed, foreign } = known;
  const before = lab().before.join('\n');
  const wasThere = ({ id }: Resource): boolean => before.includes(id);
  const monitored = (monitor: Resource): readonly Resource[] =>
    project.pools.filter((pool) => pool['healthmonitor_id'] === monitor.id);
  const standsOn = (child: Resource): readonly Resource[] =>
    [child, ...monitored(child)].flatMap((one) => (one['loadbalancers'] ?? []) as readonly Resource[]);
  const isKnown = (one: Resource): boolean =>
    claimed.has(one.id) || foreign.has(one.id) || [one, ...standsOn(one)].some(wasThere);
  const left = (kind: string, all: readonly Resource[]): readonly string[] =>
    all.filter((one) => !isKnown(one)).map((one) => `${kind} ${one.id}`);
  const isAbandoned = (lb: Resource): boolean =>
    foreign.isOn(lb.id) && !tagsOf(lb).some((tag) => tag.startsWith('levelset-'));
  const vips = project.loadBalancers.map((lb) => lb['vip_port_id']);
  return [
    ...left(
      'load balancer',
      project.loadBalancers.filter((lb) => !isAbandoned(lb)),
    ),
    ...left('listener', project.listeners),
    ...left('pool', project.pools),
    ...left('health monitor', project.monitors),
    ...left('floating IP', project.floatingIPs),
    ...left('security group', project.securityGroups),
    ...left(
      'VIP port',
      project.ports.filter((port) => port['device_owner'] === 'Octavia' && !vips.includes(port.id)),
    ),
    ...project.ports
      .filter((port) => String(port['device_owner']).startsWith('compute:'))
      .filter((port) => (port['allowed_address_pairs'] as object[]).length > 0)
      .map((port) => `address pair of port ${port.id}`),
  ];
}
