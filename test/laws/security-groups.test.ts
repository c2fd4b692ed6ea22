import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Service } from '../../shared/model/kubernetes.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';
import { NETWORKS, NODE_GROUP, OTHER_SUBNET, SUBNET_IPV6, type Wire } from '../support/cloud-contents.ts';
import { aConfig } from '../support/config.ts';
import { aDualNode, anEdit, serviceOf, usableNodes, type Edit } from './arbitrary.ts';
import { CLUSTER, comparison, settle } from './drive.ts';
import { forAll, forAllAnd } from './seed.ts';

const managed = aConfig(undefined, { manageSecurityGroups: true });
const ovn = aConfig(undefined, { manageSecurityGroups: true, lbProvider: 'ovn', createMonitor: false });
const groupOf = (cloud: SimulatedCloud, { metadata }: Service) =>
  cloud.all('securitygroup').find(({ name }) => name === `lb-sg-${metadata.uid}-default-web`);

/** What comes in through the group of a Service, as `tcp 30080 10.0.0.0/24`. */
function opened(cloud: SimulatedCloud, service: Service): readonly string[] {
  const id = groupOf(cloud, service)?.id;
  const rules = cloud.all('securitygrouprule').filter((rule) => rule['security_group_id'] === id);
  return rules
    .map((rule) => {
      const { direction, protocol, port_range_min: min, port_range_max: max, remote_ip_prefix: from } = rule;
      expect([direction, max]).toEqual(['ingress', min]);
      return [protocol, min, from].join(' ');
    })
    .sort();
}

/** The addresses of the ports that have it. */
function placed(cloud: SimulatedCloud, service: Service): readonly unknown[] {
  const id = groupOf(cloud, service)?.id ?? '';
  const ports = cloud.all('port').filter((port) => (port['security_groups'] as string[]).includes(id));
  return ports.map((port) => (port['fixed_ips'] as { ip_address: string }[])[0]?.ip_address).sort();
}

type Texts = readonly string[];
const OTHER_RANGE = '10.9.0.0/24';

/** That of the nodes, and another one as long as members are in it: they stay where they were made. */
function subnetsOf(cloud: SimulatedCloud): readonly string[] {
  const elsewhere = cloud.all('member').some(({ subnet_id }) => subnet_id === OTHER_SUBNET);
  return ['10.0.0.0/24', ...(elsewhere ? [OTHER_RANGE] : [])];
}

/** By hand: each node port, and the health check port of what stays local. */
function wanted({ ports, local }: Edit, from: Texts, alsoChecked: Texts = []): Texts {
  const openTo = (cidr: string): Texts =>
    ports.map(({ protocol, nodePort }) => `${protocol.toLowerCase()} ${nodePort} ${cidr}`);
  const data = from.flatMap(openTo);
  const subnets = from.filter((cidr) => cidr === OTHER_RANGE);
  const checks = ['10.0.0.0/24', ...subnets].map((cidr) => `tcp 31000 ${cidr}`).concat(alsoChecked);
  return [...new Set([...data, ...(local ? checks : [])])].sort();
}

/** What comes besides by IPv6, where members are of both families. */
function wantedOfIPv6({ ports, ...edit }: Edit): Texts {
  const udp = ports.filter(({ protocol }) => protocol === 'UDP');
  const six = wanted({ ...edit, ports: udp }, ['fd00:10::/64'], ['tcp 31000 fd00:10::/64']);
  return udp.length === 0 ? [] : six;
}

function servesIPv6(cloud: SimulatedCloud): boolean {
  const [lb] = cloud.all('loadbalancer');
  const vips = (lb?.['additional_vips'] ?? []) as readonly { readonly subnet_id: string }[];
  return vips.some(({ subnet_id }) => subnet_id === SUBNET_IPV6);
}

/** Whether the load balancer that there is serves both families for this Service. */
const isDual = ({ policy = 'SingleStack' }: Edit, cloud: SimulatedCloud): boolean =>
  policy !== 'SingleStack' && servesIPv6(cloud);

/** By hand: where clients of a Service may be. */
function clientsOf(edit: Edit, cloud: SimulatedCloud): readonly string[] {
  const ranges = edit.ranges.filter((range) => range !== 'x').map((range) => range.replace('2.7/', '2.0/'));
  const six = isDual(edit, cloud);
  if (edit.ranges.length === 0) return six ? ['0.0.0.0/0', '::/0'] : ['0.0.0.0/0'];
  if (!servesIPv6(cloud) && ranges.includes('0.0.0.0/0')) return ['0.0.0.0/0'];
  return ranges.filter((range) => six || !range.includes(':'));
}

/** Where the pools say that the nodes are; their IPv6 addresses are on the same ports. */
function members(cloud: SimulatedCloud): readonly unknown[] {
  const addresses = cloud.all('member').map(({ address }) => String(address));
  return [...new Set(addresses.filter((address) => !address.includes(':')))].sort();
}

/** Groups of other people on the ports of the nodes. */
const FOREIGN = ['f0000000-0000-4000-8000-00000000000a', 'f0000000-0000-4000-8000-00000000000b', NODE_GROUP];
const someGroups = fc.dictionary(fc.integer({ min: 1, max: 9 }).map(String), fc.subarray(FOREIGN));
/** And what others have there. */
function aCloudWith(groups: Readonly<Record<string, Texts>> = {}) {
  const cloud = new SimulatedCloud({ securitygroup: FOREIGN.map((id) => ({ id, name: id })) });
  for (const [number, list] of Object.entries(groups)) {
    const port = cloud.all('port')[Number(number) - 1];
    if (port) port['security_groups'] = [...list];
  }
  return { cloud, before: foreign(cloud) };
}
const isForeign = (id: unknown): boolean => FOREIGN.includes(String(id));
const foreign = (cloud: SimulatedCloud): unknown =>
  nodePorts(cloud).map((port) => (port['security_groups'] as string[]).filter(isForeign).sort());
/** Octavia makes more, for the VIPs. */
const nodePorts = (cloud: SimulatedCloud): readonly Wire[] =>
  cloud.all('port').filter(({ id }) => NETWORKS.port?.some((port) => port.id === id));
const made = (cloud: SimulatedCloud): readonly unknown[] =>
  [...cloud.all('securitygroup'), ...cloud.all('securitygrouprule')].filter(({ id }) => !isForeign(id));

/** Only clients of a family at which its members are not reached any more. */
const DUAL: Edit = {
  ports: [{ protocol: 'TCP', port: 53, nodePort: 30_000 }],
  ...{ annotations: {}, ranges: [], policy: 'PreferDualStack', sticky: false, local: false },
};
const ONLY_IPV6_CLIENTS: Edit = { ...DUAL, policy: 'SingleStack', ranges: ['fd00::/8'] };
const NO_CLIENTS_LEFT = [DUAL, ONLY_IPV6_CLIENTS, [aDualNode(9)]];

const someEdits = fc.array(fc.tuple(anEdit, usableNodes), { minLength: 1, maxLength: 3 });

describe('whatever a Service asks for, one after the other', () => {
  test('its group opens that and no more, on the ports of its members and no others', () =>
    forAll(someEdits, someGroups, async (edits, groups) => {
      const { cloud, before } = aCloudWith(groups);
      for (const [edit, nodes] of edits) {
        const service = serviceOf(edit);
        await settle(service, nodes, cloud, managed);
        const { plan, desired } = await comparison(service, nodes, cloud, managed);
        expect(plan.steps).toEqual([]);
        if (desired.keepMembers || plan.problems.some(({ blocking }) => blocking)) continue;
        const six = isDual(edit, cloud) ? wantedOfIPv6(edit) : [];
        const all = new Set([...wanted(edit, subnetsOf(cloud)), ...six]);
        expect(opened(cloud, service)).toEqual([...all].sort());
        expect(placed(cloud, service)).toEqual(members(cloud));
        const its = `levelset-service=${service.metadata.uid}`;
        const tags = [`levelset-cluster=${CLUSTER.id}`, its, 'levelset-name=default/web'];
        expect(groupOf(cloud, service)?.['tags']).toEqual(tags);
      }
      expect(foreign(cloud)).toEqual(before);
    }));

  test('behind ovn the rules let in its source ranges, and everybody only where it has none', () =>
    forAllAnd(NO_CLIENTS_LEFT)(anEdit, anEdit, usableNodes, async (first, second, nodes) => {
      const { cloud } = aCloudWith();
      for (const edit of [first, second]) {
        const service = serviceOf({ ...edit, annotations: {} });
        await settle(service, nodes, cloud, ovn);
        const { plan } = await comparison(service, nodes, cloud, ovn);
        if (plan.problems.some(({ blocking }) => blocking)) continue;
        const alsoChecked = isDual(edit, cloud) ? ['tcp 31000 fd00:10::/64'] : [];
        expect(opened(cloud, service)).toEqual(wanted(edit, clientsOf(edit, cloud), alsoChecked));
        expect(cloud.all('listener').every((listener) => listener['allowed_cidrs'] === null)).toBe(true);
      }
    }));
});

test('switched off, the group stays until it is approved, and then goes alone', () =>
  forAll(anEdit, usableNodes, someGroups, async (edit, nodes, groups) => {
    const { cloud, before } = aCloudWith(groups);
    const service = serviceOf({ ...edit, ranges: [] });
    await settle(service, nodes, cloud, managed);
    const lbs = structuredClone(cloud.all('loadbalancer'));
    const [ours, on] = [structuredClone(made(cloud)), placed(cloud, service)];
    const plans = await settle(service, nodes, cloud);
    expect([made(cloud), placed(cloud, service)]).toEqual([ours, on]);
    const [waiting = []] = plans.slice(-1).map(({ awaitingApproval }) => awaitingApproval);
    const approve = waiting.map(({ approval }) => approval).join();
    const annotations = { ...edit.annotations, 'levelset.openstack.org/approve': approve };
    await settle(serviceOf({ ...edit, ranges: [], annotations }), nodes, cloud);
    expect(made(cloud)).toEqual([]);
    expect(foreign(cloud)).toEqual(before);
    expect(cloud.all('loadbalancer')).toEqual(lbs);
  }));
