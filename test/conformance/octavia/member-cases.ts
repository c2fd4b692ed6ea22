import { expect } from 'vitest';
import { expectFault, type Body, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

const nobody = '00000000-0000-0000-0000-000000000000';
const node = (last: number, more: Body = {}): Body => ({
  ...{ address: `10.0.0.${last}`, protocol_port: 30080, ...more },
});

/** A load balancer with a listener and its pool of two members, and calls on that pool. */
async function poolOfTwo(cloud: CloudSession) {
  const default_pool = {
    ...{ name: 'p', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members: [node(251), node(252)] },
  };
  const id = await cloud.balancer({ listeners: [{ protocol: 'TCP', protocol_port: 80, default_pool }] });
  const path = `pools/${textAt(await cloud.shown(`loadbalancers/${id}`), 'pools.0.id')}/members`;
  const call = (method: string, of: string, body?: unknown) => cloud.octavia(method, path + of, body);
  const batch = (...members: Body[]): Promise<Reply> => cloud.done(id, 'PUT', path, { members });
  const put = (of: string, member: Body) => cloud.done(id, 'PUT', `${path}/${of}`, { member });
  const members = async (): Promise<unknown[]> => listAt((await call('GET', '')).body, 'members');
  const at251 = async (): Promise<unknown> => byAddress(await members(), 251);
  return { id, path, members, at251, call, batch, put };
}

const byAddress = (members: unknown[], last: number): unknown =>
  members.find((member) => at(member, 'address') === `10.0.0.${last}`);

export const memberCases: CloudCases = {
  'a member has its defaults; the same address and port again is 409': async (cloud) => {
    const { call, at251 } = await poolOfTwo(cloud);
    expect(await at251()).toMatchObject({
      ...{ name: '', weight: 1, backup: false, subnet_id: null, monitor_port: null, monitor_address: null },
      ...{ tags: [], admin_state_up: true, provisioning_status: 'ACTIVE' },
    });
    const text = 'Another member on this pool is already using ip 10.0.0.251 on protocol_port 30080';
    expectFault(await call('POST', '', { member: node(251) }), 409, text);
  },
  'a pool that no listener names in a full create is what the release makes of it': async (cloud) => {
    const pools = [{ name: 'p', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' }];
    const lb = await cloud.shown(`loadbalancers/${await cloud.balancer({ pools })}`);
    expect(at(lb, 'provisioning_status')).toBe('ACTIVE');
    const pool = `pools/${textAt(lb, 'pools.0.id')}`;
    const stuck = await cloud.shown(pool);
    const state = await cloud.measured('state of a pool that no listener names, in a full create');
    expect(`\`${textAt(stuck, 'provisioning_status')}\``).toBe(state);
    const reply = await cloud.octavia('POST', `${pool}/members`, { member: node(251) });
    if (state === '`ACTIVE`') expect(reply.status).toBe(201);
    else expectFault(reply, 409, `Pool ${textAt(stuck, 'id')} is immutable and cannot be updated.`);
  },
  'a member’s address must be one, its subnet must exist': async (cloud) => {
    const { call } = await poolOfTwo(cloud);
    const address = await call('POST', '', { member: node(1, { address: 'not-an-ip' }) });
    const text = "Value: 'not-an-ip'. Value should be IPv4 or IPv6 format";
    expectFault(address, 400, `Invalid input for field/attribute address. ${text}`);
    const subnet = await call('POST', '', { member: node(200, { subnet_id: nobody }) });
    expectFault(subnet, 400, `Subnet ${nobody} not found.`);
    expectFault(await call('DELETE', `/${nobody}`), 404, `Member ${nobody} not found.`);
  },
  'a single member is changed and deleted by its id; address and port are fixed': async (cloud) => {
    const { id, path, call, members, at251 } = await poolOfTwo(cloud);
    const one = textAt(await at251(), 'id');
    const fixed = await call('PUT', `/${one}`, { member: { address: '10.0.0.9' } });
    expectFault(fixed, 400, 'Unknown attribute for argument member_.member: address');
    const put = await call('PUT', `/${one}`, { member: { weight: 7 } });
    expect(at(put.body, 'member')).toMatchObject({ weight: 7, provisioning_status: 'PENDING_UPDATE' });
    await cloud.settled(id);
    expect((await cloud.done(id, 'DELETE', `${path}/${one}`)).status).toBe(204);
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
    const left = (await members()).map((member) => at(member, 'address'));
    expect(left.sort()).toEqual(['10.0.0.251', '10.0.0.253']);
  },
  'an equal batch still locks; a weight that it leaves out becomes 1 again, a name stays': async (cloud) => {
    const { id, call, batch, at251 } = await poolOfTwo(cloud);
    await batch(node(251, { weight: 5, name: 'named' }), node(252));
    await call('PUT', '', { members: [node(251), node(252)] });
    expect(at(await cloud.shown(`loadbalancers/${id}`), 'provisioning_status')).toBe('PENDING_UPDATE');
    await cloud.settled(id);
    expect(await at251()).toMatchObject({ weight: 1, name: 'named' });
  },
  'tags and weight come by one call; a batch leaves tags that it does not name': async (cloud) => {
    const { batch, put, at251 } = await poolOfTwo(cloud);
    await batch(node(251, { weight: 5, tags: ['a'] }), node(252));
    const first = await at251();
    expect(first).toMatchObject({ weight: 5, tags: ['a'] });
    await put(textAt(first, 'id'), { weight: 1, tags: [] });
    expect(await at251()).toMatchObject({ weight: 1, tags: [] });
    await put(textAt(first, 'id'), { weight: 9, tags: ['b'] });
    await batch(node(251), node(252));
    expect(await at251()).toMatchObject({ weight: 1, tags: ['b'] });
  },
  'no PUT of a member names its subnet; a batch overwrites it, but where it names none': async (cloud) => {
    const { id: lb, batch, put, at251 } = await poolOfTwo(cloud);
    const subnet_id = textAt(await cloud.shown(`loadbalancers/${lb}`), 'vip_subnet_id');
    const id = textAt(await at251(), 'id');
    const text = 'Unknown attribute for argument member_.member: subnet_id';
    expectFault(await put(id, { subnet_id }), 400, text);
    for (const more of [{ subnet_id }, { weight: 2 }]) {
      await batch(node(251, more), node(252));
      expect(await at251()).toMatchObject({ id, subnet_id });
    }
  },
  'additive_only leaves out the deleting': async (cloud) => {
    const { id, path, members } = await poolOfTwo(cloud);
    const put = await cloud.done(id, 'PUT', `${path}?additive_only=true`, { members: [node(253)] });
    expect(put.status).toBe(202);
    expect(await members()).toHaveLength(3);
    expect((await members()).every((member) => at(member, 'provisioning_status') === 'ACTIVE')).toBe(true);
  },
  'an empty batch empties the pool, and on an empty pool it does not even lock': async (cloud) => {
    const { id, call, batch, members } = await poolOfTwo(cloud);
    expect((await batch()).status).toBe(202);
    expect(await members()).toEqual([]);
    expect((await call('PUT', '', { members: [] })).status).toBe(202);
    expect(at(await cloud.shown(`loadbalancers/${id}`), 'provisioning_status')).toBe('ACTIVE');
  },
};
