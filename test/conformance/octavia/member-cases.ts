import { expect } from 'vitest';
import { expectFault, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

const nobody = '00000000-0000-0000-0000-000000000000';
const node = (last: number, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  address: `10.0.0.${last}`,
  protocol_port: 30080,
  ...more,
});

/** A load balancer with a listener and its pool of two members, and calls on that pool. */
async function poolOfTwo(cloud: CloudSession): Promise<{
  id: string;
  pool: string;
  members: () => Promise<unknown[]>;
  call: (method: string, path: string, body?: unknown) => Promise<Reply>;
}> {
  const members = [node(251), node(252)];
  const default_pool = { name: 'p', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members };
  const id = await cloud.balancer({ listeners: [{ protocol: 'TCP', protocol_port: 80, default_pool }] });
  const pool = textAt((await cloud.octavia('GET', `loadbalancers/${id}`)).body, 'loadbalancer.pools.0.id');
  const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
    cloud.octavia(method, `pools/${pool}/members${path}`, body);
  const list = async (): Promise<unknown[]> => listAt((await call('GET', '')).body, 'members');
  return { id, pool, members: list, call };
}

const byAddress = (members: unknown[], last: number): unknown =>
  members.find((member) => at(member, 'address') === `10.0.0.${last}`);

export const memberCases: CloudCases = {
  'a member has its defaults; the same address and port again is 409': async (cloud) => {
    const { call, members } = await poolOfTwo(cloud);
    expect(byAddress(await members(), 251)).toMatchObject({
      ...{ name: '', weight: 1, backup: false, subnet_id: null, monitor_port: null, monitor_address: null },
      ...{ tags: [], admin_state_up: true, provisioning_status: 'ACTIVE' },
    });
    const again = await call('POST', '', { member: node(251) });
    expectFault(
      again,
      409,
      'Another member on this pool is already using ip 10.0.0.251 on protocol_port 30080',
    );
  },
  'a pool of a full create that no listener names is ACTIVE, or refuses by itself, as the release has it':
    async (cloud) => {
      const pools = [{ name: 'p', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' }];
      const id = await cloud.balancer({ pools });
      const lb = at((await cloud.octavia('GET', `loadbalancers/${id}`)).body, 'loadbalancer');
      expect(at(lb, 'provisioning_status')).toBe('ACTIVE');
      const pool = textAt(lb, 'pools.0.id');
      const stuck = await cloud.octavia('GET', `pools/${pool}`);
      const state = await cloud.measured('state of a pool that no listener names, in a full create');
      expect(`\`${textAt(stuck.body, 'pool.provisioning_status')}\``).toBe(state);
      const reply = await cloud.octavia('POST', `pools/${pool}/members`, { member: node(251) });
      if (state === '`ACTIVE`') expect(reply.status).toBe(201);
      else expectFault(reply, 409, `Pool ${pool} is immutable and cannot be updated.`);
    },
  'a member’s address must be one, its subnet must exist': async (cloud) => {
    const { call } = await poolOfTwo(cloud);
    const address = await call('POST', '', { member: node(1, { address: 'not-an-ip' }) });
    const text =
      "Invalid input for field/attribute address. Value: 'not-an-ip'. Value should be IPv4 or IPv6 format";
    expectFault(address, 400, text);
    const subnet = await call('POST', '', { member: node(200, { subnet_id: nobody }) });
    expectFault(subnet, 400, `Subnet ${nobody} not found.`);
    expectFault(await call('DELETE', `/${nobody}`), 404, `Member ${nobody} not found.`);
  },
  'a single member is changed and deleted by its id; address and port are fixed': async (cloud) => {
    const { id, call, members } = await poolOfTwo(cloud);
    const one = textAt(byAddress(await members(), 251), 'id');
    const fixed = await call('PUT', `/${one}`, { member: { address: '10.0.0.9' } });
    expectFault(fixed, 400, 'Unknown attribute for argument member_.member: address');
    const put = await call('PUT', `/${one}`, { member: { weight: 7 } });
    expect(at(put.body, 'member')).toMatchObject({ weight: 7, provisioning_status: 'PENDING_UPDATE' });
    await cloud.settled(id);
    expect((await call('DELETE', `/${one}`)).status).toBe(204);
    await cloud.settled(id);
    expect(await members()).toHaveLength(1);
  },
  'a batch says what should be there: adds, updates, deletes; 202 with an empty body': async (cloud) => {
    const { id, call, members } = await poolOfTwo(cloud);
    const reply = await call('PUT', '', { members: [node(251, { weight: 5 }), node(253)] });
    expect([reply.status, reply.body]).toEqual([202, '']);
    const during = await members();
    expect(byAddress(during, 251)).toMatchObject({ weight: 5, provisioning_status: 'PENDING_UPDATE' });
    expect(byAddress(during, 252)).toMatchObject({ provisioning_status: 'PENDING_DELETE' });
    expect(byAddress(during, 253)).toMatchObject({ provisioning_status: 'PENDING_CREATE' });
    await cloud.settled(id);
    expect((await members()).map((member) => at(member, 'address')).sort()).toEqual([
      '10.0.0.251',
      '10.0.0.253',
    ]);
  },
  'an equal batch still locks; a weight that it leaves out becomes 1 again, a name stays': async (cloud) => {
    const { id, call, members } = await poolOfTwo(cloud);
    await call('PUT', '', { members: [node(251, { weight: 5, name: 'named' }), node(252)] });
    await cloud.settled(id);
    await call('PUT', '', { members: [node(251), node(252)] });
    const locked = await cloud.octavia('GET', `loadbalancers/${id}`);
    expect(at(locked.body, 'loadbalancer.provisioning_status')).toBe('PENDING_UPDATE');
    await cloud.settled(id);
    expect(byAddress(await members(), 251)).toMatchObject({ weight: 1, name: 'named' });
  },
  'tags and weight of a member are written by one call, alone or in a batch; a batch leaves tags that it does not name':
    async (cloud) => {
      const { id, call, members } = await poolOfTwo(cloud);
      await call('PUT', '', { members: [node(251, { weight: 5, tags: ['a'] }), node(252)] });
      await cloud.settled(id);
      const first = byAddress(await members(), 251);
      expect(first).toMatchObject({ weight: 5, tags: ['a'] });
      await call('PUT', `/${textAt(first, 'id')}`, { member: { weight: 1, tags: [] } });
      await cloud.settled(id);
      expect(byAddress(await members(), 251)).toMatchObject({ weight: 1, tags: [] });
      await call('PUT', `/${textAt(first, 'id')}`, { member: { weight: 9, tags: ['b'] } });
      await cloud.settled(id);
      await call('PUT', '', { members: [node(251), node(252)] });
      await cloud.settled(id);
      expect(byAddress(await members(), 251)).toMatchObject({ weight: 1, tags: ['b'] });
    },
  'the subnet of a member has no place in its PUT; a batch overwrites it, and leaves it where it names none':
    async (cloud) => {
      const { id, call, members } = await poolOfTwo(cloud);
      const lb = await cloud.octavia('GET', `loadbalancers/${id}`);
      const subnet_id = textAt(lb.body, 'loadbalancer.vip_subnet_id');
      const first = textAt(byAddress(await members(), 251), 'id');
      const put = await call('PUT', `/${first}`, { member: { subnet_id } });
      expectFault(put, 400, 'Unknown attribute for argument member_.member: subnet_id');
      await call('PUT', '', { members: [node(251, { subnet_id }), node(252)] });
      await cloud.settled(id);
      expect(byAddress(await members(), 251)).toMatchObject({ id: first, subnet_id });
      await call('PUT', '', { members: [node(251, { weight: 2 }), node(252)] });
      await cloud.settled(id);
      expect(byAddress(await members(), 251)).toMatchObject({ id: first, subnet_id });
    },
  'additive_only leaves out the deleting': async (cloud) => {
    const { id, call, members } = await poolOfTwo(cloud);
    expect((await call('PUT', '?additive_only=true', { members: [node(253)] })).status).toBe(202);
    await cloud.settled(id);
    expect(await members()).toHaveLength(3);
    expect((await members()).every((member) => at(member, 'provisioning_status') === 'ACTIVE')).toBe(true);
  },
  'an empty batch empties the pool, and on an empty pool it does not even lock': async (cloud) => {
    const { id, call, members } = await poolOfTwo(cloud);
    expect((await call('PUT', '', { members: [] })).status).toBe(202);
    await cloud.settled(id);
    expect(await members()).toEqual([]);
    expect((await call('PUT', '', { members: [] })).status).toBe(202);
    const lb = await cloud.octavia('GET', `loadbalancers/${id}`);
    expect(at(lb.body, 'loadbalancer.provisioning_status')).toBe('ACTIVE');
  },
};
