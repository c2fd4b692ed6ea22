/** In which network a load balancer, its members and its security group are, whatever other networks the project has. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { SimulatedCloud } from '../../support/simulated-cloud.ts';
import { NODE_GROUP, type Wire } from '../../support/cloud-contents.ts';
import { aConfig } from '../../support/config.ts';
import { serviceOf } from '../arbitrary.ts';
import { settle } from '../drive.ts';
import { forAll, type Drawn } from '../seed.ts';

const managed = aConfig(undefined, { manageSecurityGroups: true });
const uuid = (kind: string, number: number): string =>
  `${kind.repeat(8)}-0000-4000-8000-${String(number).padStart(12, '0')}`;
const SERVICE = serviceOf({
  ...{ ranges: [], sticky: false, local: false },
  ports: [{ protocol: 'TCP', port: 80, nodePort: 30_080 }],
  annotations: { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' },
});

/** A machine at an address of a network: a Node whose server the project sees, hides or does not know, or a stranger. */
const aMachine = fc.record({
  network: fc.integer({ min: 0, max: 2 }),
  last: fc.integer({ min: 11, max: 14 }),
  is: fc.constantFrom('seen', 'seen', 'hidden', 'unnamed', 'stranger', 'stranger'),
  excluded: fc.boolean(),
  type: fc.constantFrom('InternalIP', 'InternalIP', 'ExternalIP'),
  /** The network of an InternalIP that a Node whose server the project sees names before its own. */
  first: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
});
type Machine = Drawn<typeof aMachine>;
const placeOf = ({ network, last }: Pick<Machine, 'network' | 'last'>): string => `${network} ${last}`;
const aWorld = fc.record({
  /** Two of three networks have one range, or all. */
  ranges: fc.constantFrom([6, 6, 6], [6, 6, 7], [6, 7, 6], [7, 6, 6]),
  ids: fc.constantFrom([1, 2, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]),
  machines: fc.uniqueArray(aMachine, { minLength: 1, maxLength: 8, selector: placeOf }),
});
type Tenant = Drawn<typeof aWorld>;

type Home = Pick<Machine, 'network' | 'last'>;
const subnetOf = ({ ids }: Tenant, { network }: Home): string => uuid('a', ids[network] ?? 0);
const addressOf = ({ ranges }: Tenant, { network, last }: Home) => `10.${ranges[network] ?? 0}.0.${last}`;
/** Where a machine is, as its Node names it. */
const homesOf = (machine: Machine): readonly [Home, ...Home[]] => {
  const { is, type, first: network, last } = machine;
  const names = network !== undefined && is === 'seen' && type === 'InternalIP';
  return names && network !== machine.network ? [{ network, last: last + 10 }, machine] : [machine];
};
/** By hand: the address at which a Node is a member in this subnet. */
function memberOf(world: Tenant, machine: Machine, subnet: unknown): string {
  const [first, ...others] = homesOf(machine);
  return addressOf(world, others.find((home) => subnetOf(world, home) === subnet) ?? first);
}

function nodesOf(world: Tenant): readonly Node[] {
  return world.machines.flatMap((machine, at) => {
    const { is, type, excluded } = machine;
    if (is === 'stranger') return [];
    const labels = excluded ? { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } : {};
    const addresses = homesOf(machine).map((home) => ({ type, address: addressOf(world, home) }));
    return {
      metadata: { name: `node-${at}`, uid: `n${at}`, resourceVersion: '1', labels },
      ...(is === 'unnamed' ? {} : { spec: { providerID: `openstack:///${uuid('5', at)}` } }),
      status: { addresses },
    };
  });
}

function cloudOf(world: Tenant): SimulatedCloud {
  const subnet = world.ids.map((id, at) => ({
    ...{ id: uuid('a', id), network_id: uuid('e', id), ip_version: 4 },
    cidr: `10.${world.ranges[at] ?? 0}.0.0/24`,
  }));
  const port = world.machines.flatMap((machine, at): readonly Wire[] =>
    machine.is === 'hidden'
      ? []
      : homesOf(machine).map((home, of) => ({
          // Neutron lists ports by their ids, which are chance
          id: uuid('b', ((at * 7) % 11) + 20 * of),
          ...{ device_id: uuid('5', at), device_owner: 'compute:az1', security_groups: [NODE_GROUP] },
          ...{ port_security_enabled: true, revision_number: 1 },
          fixed_ips: [{ subnet_id: subnetOf(world, home), ip_address: addressOf(world, home) }],
        })),
  );
  return new SimulatedCloud({ subnet, port, network: [] });
}

const able = ({ machines }: Tenant) => machines.filter(({ is, excluded }) => is !== 'stranger' && !excluded);

test('whatever other networks with the same addresses a project has, VIP and members are where the first Node that can be a member has its port, and the security group is on no machine of others', () =>
  forAll(aWorld, async (world) => {
    const cloud = cloudOf(world);
    await settle(SERVICE, nodesOf(world), cloud, managed);
    const [lb] = cloud.all('loadbalancer');
    const subnet = lb?.['vip_subnet_id'];
    const seen = able(world).filter(({ is }) => is === 'seen');
    const addresses = seen.map((node) => memberOf(world, node, subnet));

    for (const member of cloud.all('member')) expect(member['subnet_id']).toBe(subnet);
    expect(cloud.all('member').map(({ address }) => address)).toEqual(expect.arrayContaining(addresses));
    if (seen[0]) expect(subnet).toBe(subnetOf(world, homesOf(seen[0])[0]));
    else if (lb) {
      // by the ports of the project: an address of a Node that only one subnet has
      const shown = world.machines.filter(({ is }) => is !== 'hidden');
      const only = able(world).map((node) => {
        const [at, more] = shown.filter((one) => addressOf(world, one) === addressOf(world, node));
        return at && !more ? subnetOf(world, at) : undefined;
      });
      expect(only).toContain(subnet);
    }

    if (seen.length === 0) return;
    const group = cloud.all('securitygroup').find(({ name }) => String(name).startsWith('lb-sg'));
    const has = (port: Wire): boolean => (port['security_groups'] as string[]).includes(group?.id ?? '');
    const holders = cloud.all('port').filter(has);
    const servers = world.machines.flatMap(({ is }, at) => (is === 'seen' ? [uuid('5', at)] : []));
    for (const port of holders) expect(servers).toContain(port['device_id']);
    const held = new Set(holders.map((port) => (port['fixed_ips'] as Wire[])[0]?.['ip_address']));
    if (lb) expect(held).toEqual(new Set(addresses));
  }));
