import { expect } from 'vitest';
import { expectNeutron, type Body, type CloudCases } from '../cloud-case.ts';
import { CloudSession, type Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';
import { aNetwork } from '../nova/servers.ts';

const nobody = '00000000-0000-0000-0000-000000000001';

async function group(cloud: CloudSession, more: Body = {}): Promise<unknown> {
  const security_group = { name: `conformance-${Date.now()}`, ...more };
  const { body } = await cloud.neutron('POST', 'security-groups', { security_group });
  const made = at(body, 'security_group');
  cloud.leave('network', `/v2.0/security-groups/${textAt(made, 'id')}`);
  return made;
}

const rules = (cloud: CloudSession, id: string) => {
  const from = { security_group_id: id, direction: 'ingress' };
  return (more: Body): Promise<Reply> =>
    cloud.neutron('POST', 'security-group-rules', { security_group_rule: { ...from, ...more } });
};

export const securityGroupCases: CloudCases = {
  'a new group lets everything out; names may be twice, not `default`; no tags in a POST': async (cloud) => {
    const made = await group(cloud, { description: 'd' });
    expect(made).toMatchObject({ stateful: true, tags: [], revision_number: 1, description: 'd' });
    const names = ['direction', 'ethertype', 'protocol', 'remote_ip_prefix'];
    const shown = listAt(made, 'security_group_rules').map((rule) => names.map((name) => at(rule, name)));
    expect(shown.sort()).toEqual(['IPv4', 'IPv6'].map((family) => ['egress', family, null, null]));
    expect(at(await group(cloud, { name: at(made, 'name') }), 'name')).toBe(at(made, 'name'));
    const post = (security_group: Body) => cloud.neutron('POST', 'security-groups', { security_group });
    expectNeutron(await post({ name: 'default' }), 409, 'SecurityGroupDefaultAlreadyExists');
    for (const more of [{ tags: ['t'] }, { nonsense: 1 }])
      expectNeutron(await post({ name: 'x', ...more }), 400, 'HTTPBadRequest');
  },
  'a rule is there once: only another text of the prefix makes another one': async (cloud) => {
    const id = textAt(await group(cloud), 'id');
    const post = rules(cloud, id);
    const rule = { protocol: 'tcp', port_range_min: 30000, port_range_max: 30000 };
    const made = at((await post({ ...rule, remote_ip_prefix: '10.0.0.5/24' })).body, 'security_group_rule');
    expect(made).toMatchObject({
      ...{ ethertype: 'IPv4', remote_ip_prefix: '10.0.0.5/24', normalized_cidr: '10.0.0.0/24' },
      ...{ ...rule, remote_group_id: null, description: '' },
    });
    for (const protocol of ['TCP', '6']) {
      const again = await post({ ...rule, protocol, remote_ip_prefix: '10.0.0.5/24', description: 'x' });
      expectNeutron(again, 409, 'SecurityGroupRuleExists');
      const text = `Security group rule already exists. Rule id is ${textAt(made, 'id')}.`;
      expect(at(again.body, 'NeutronError.message')).toBe(text);
    }
    expect((await post({ ...rule, remote_ip_prefix: '10.0.0.0/24' })).status).toBe(201);
    expect((await post({})).status).toBe(201);
    expectNeutron(await post({ remote_ip_prefix: '0.0.0.0/0' }), 409, 'SecurityGroupRuleExists');
    expectNeutron(await post({ direction: 'egress', ethertype: 'IPv4' }), 409, 'SecurityGroupRuleExists');
    const shown = at((await cloud.neutron('GET', `security-groups/${id}`)).body, 'security_group');
    expect(listAt(shown, 'security_group_rules')).toHaveLength(5);
    expect(at(shown, 'revision_number')).toBe(4);
  },
  'several rules in one POST: all of them or none': async (cloud) => {
    const id = textAt(await group(cloud), 'id');
    const rule = { security_group_id: id, direction: 'ingress', protocol: 'tcp' };
    const post = (...ports: number[]): Promise<Reply> => {
      const rules = ports.map((port) => ({ ...rule, port_range_min: port, port_range_max: port }));
      return cloud.neutron('POST', 'security-group-rules', { security_group_rules: rules });
    };
    expect(listAt((await post(40, 41)).body, 'security_group_rules')).toHaveLength(2);
    expectNeutron(await post(42, 40), 409, 'SecurityGroupRuleExists');
    const list = async (query: string): Promise<unknown[]> => {
      const { body } = await cloud.neutron('GET', `security-group-rules?security_group_id=${id}${query}`);
      return listAt(body, 'security_group_rules');
    };
    expect(await list('')).toHaveLength(4);
    const first = `security-group-rules/${textAt((await list('&port_range_min=40'))[0], 'id')}`;
    expect((await cloud.neutron('DELETE', first)).status).toBe(204);
    expectNeutron(await cloud.neutron('DELETE', first), 404, 'SecurityGroupRuleNotFound');
    expect(await list('')).toHaveLength(3);
  },
  'PUT and tags of a group, each of which raises the revision; If-Match holds on to one': async (cloud) => {
    const id = textAt(await group(cloud), 'id');
    const put = (security_group: Body, headers?: Record<string, string>): Promise<Reply> =>
      cloud.neutron('PUT', `security-groups/${id}`, { security_group }, headers);
    const renamed = await put({ name: 'conformance-renamed', description: 'e' });
    expect(at(renamed.body, 'security_group')).toMatchObject({ description: 'e', revision_number: 2 });
    expectNeutron(await put({ name: 'default' }), 409, 'SecurityGroupDefaultAlreadyExists');
    expectNeutron(await put({ security_group_rules: [] }), 400, 'HTTPBadRequest');
    const tags = await cloud.neutron('PUT', `security-groups/${id}/tags`, { tags: ['a', 'b'] });
    expect(tags.status).toBe(200);
    expect((await cloud.neutron('PUT', `security-groups/${id}/tags/c`)).status).toBe(201);
    const found = await cloud.neutron('GET', 'security-groups?tags=a,c&fields=id');
    expect(listAt(found.body, 'security_groups')).toEqual([{ id }]);
    const late = await put({ description: 'f' }, { 'If-Match': 'revision_number=1' });
    expectNeutron(late, 412, 'RevisionNumberConstraintFailed');
    expect(at(late.body, 'NeutronError.message')).toBe('Constrained to 1, but current revision is 4');
  },
  'another project’s group is not there': async (cloud) => {
    const id = textAt(await group(cloud), 'id');
    const other = await CloudSession.open(cloud.target, cloud.target.stranger);
    expectNeutron(await other.neutron('GET', `security-groups/${id}`), 404, 'SecurityGroupNotFound');
    const status = parseInt(await cloud.measured("rule in another project's security group"));
    expect((await rules(other, id)({})).status).toBe(status);
  },
};

export async function aPort(cloud: CloudSession, body: Body) {
  const made = at((await cloud.neutron('POST', 'ports', { port: body })).body, 'port');
  const id = textAt(made, 'id');
  cloud.leave('network', `/v2.0/ports/${id}`);
  const put = (port: Body, headers?: Record<string, string>): Promise<Reply> =>
    cloud.neutron('PUT', `ports/${id}`, { port }, headers);
  return { made, id, put, groups: listAt(made, 'security_groups').map(String) };
}

async function nodePort(cloud: CloudSession) {
  const fixed_ips = [{ subnet_id: await cloud.subnet() }];
  const device = { device_id: 'conformance', device_owner: 'compute:x' };
  return aPort(cloud, { network_id: await cloud.network(), fixed_ips, ...device });
}

export const portCases: CloudCases = {
  'a new port is in the default group; PUT gives the whole list, in an order of its own': async (cloud) => {
    const own = textAt(await group(cloud), 'id');
    const { id, groups, put } = await nodePort(cloud);
    const byName = (await cloud.neutron('GET', 'security-groups?name=default')).body;
    expect(groups).toEqual([at(byName, 'security_groups.0.id')]);
    const security_groups = [own, ...groups];
    const both = await put({ security_groups });
    const sorted = { security_groups: security_groups.toSorted(), revision_number: 2 };
    expect(at(both.body, 'port')).toMatchObject(sorted);
    expect((await put({ security_groups: [] })).status).toBe(200);
    expect(at((await cloud.neutron('GET', `ports/${id}`)).body, 'port.security_groups')).toEqual([]);
  },
  'a PUT raises the revision, an idle one as the release has it; If-Match names the last': async (cloud) => {
    const { id, groups, put } = await nodePort(cloud);
    await put({ security_groups: groups });
    await put({});
    const revision = Number(at((await cloud.neutron('GET', `ports/${id}`)).body, 'port.revision_number'));
    const stays = (await cloud.measured('PUT that changes nothing of a port')) === 'revision stays';
    expect(revision).toBe(stays ? 1 : 3);
    const match = (description: string, header: string) => put({ description }, { 'If-Match': header });
    expectNeutron(await match('x', `revision_number=${revision + 1}`), 412, 'RevisionNumberConstraintFailed');
    expect((await match('x', `revision_number=${revision}`)).status).toBe(200);
    expect((await match('y', 'nonsense')).status).toBe(200);
  },
  'ports are listed by group and by device; a group that is in use stays': async (cloud) => {
    const own = textAt(await group(cloud), 'id');
    const { id, put } = await nodePort(cloud);
    await put({ security_groups: [own] });
    const list = (query: string): Promise<unknown[]> => cloud.ids('neutron', `ports?fields=id&${query}`);
    expect(await list(`security_groups=${own}`)).toEqual([id]);
    expect(await list(`device_id=conformance&device_id=${nobody}`)).toContain(id);
    const refused = await cloud.neutron('DELETE', `security-groups/${own}`);
    expectNeutron(refused, 409, 'SecurityGroupInUse');
    expect(at(refused.body, 'NeutronError.message')).toBe(`Security Group ${own} in use.`);
    await put({ security_groups: [] });
    expect((await cloud.neutron('DELETE', `security-groups/${own}`)).status).toBe(204);
    expectNeutron(await cloud.neutron('DELETE', `security-groups/${own}`), 404, 'SecurityGroupNotFound');
  },
  'without port security there are no groups': async (cloud) => {
    const { groups, put } = await nodePort(cloud);
    const off = { port_security_enabled: false };
    expectNeutron(await put(off), 409, 'PortSecurityPortHasSecurityGroup');
    expect((await put({ ...off, security_groups: [] })).status).toBe(200);
    expectNeutron(await put({ security_groups: groups }), 400, 'PortSecurityAndIPRequiredForSecurityGroups');
  },
  'the group of a VIP port is Octavia’s: nobody sees it, or keeps it beside another': async (cloud) => {
    const lb = await cloud.shown(`loadbalancers/${await cloud.balancer()}`);
    expect(at(lb, 'provisioning_status')).toBe('ACTIVE');
    const path = `ports/${textAt(lb, 'vip_port_id')}`;
    const groups = listAt((await cloud.neutron('GET', path)).body, 'port.security_groups');
    expect(groups).toHaveLength(1);
    const one = await cloud.neutron('GET', `security-groups/${String(groups[0])}`);
    expectNeutron(one, 404, 'SecurityGroupNotFound');
    const put = (security_groups: unknown[]) => cloud.neutron('PUT', path, { port: { security_groups } });
    expect((await put(groups)).status).toBe(200);
    expectNeutron(await put([...groups, textAt(await group(cloud), 'id')]), 404, 'SecurityGroupNotFound');
  },
};

/** A port on a network of the case, and PUTs of its pairs. */
async function pairedPort(cloud: CloudSession) {
  const { id: network_id, subnet } = await aNetwork(cloud, '10.78.0.0/24');
  const { made, id, put } = await aPort(cloud, { network_id });
  const pairs = (allowed_address_pairs: unknown): Promise<Reply> => put({ allowed_address_pairs });
  const [mac_address, address] = [textAt(made, 'mac_address'), textAt(made, 'fixed_ips.0.ip_address')];
  return { id, subnet, mac_address, address, put, pairs };
}

export const addressPairCases: CloudCases = {
  'pairs are the whole list, get the port’s MAC, and are shown by address; null is none': async (cloud) => {
    const { pairs, mac_address } = await pairedPort(cloud);
    const [one, two, six] = ['10.244.0.0/24', '10.245.0.0/24', 'fd01::/64'].map((ip) => ({ ip_address: ip }));
    const own = { ip_address: '10.244.0.7/24', mac_address: 'fa:16:3e:00:00:01' };
    for (const [asked, shown] of [
      [[two, one], [one, two].map((pair) => ({ mac_address, ...pair }))],
      [[six], [{ mac_address, ...six }]],
      [[own], [own]],
      [null, []],
    ] as const)
      expect(at((await pairs(asked)).body, 'port.allowed_address_pairs')).toEqual(shown);
  },
  'pairs are for ports with port security only': async (cloud) => {
    const { pairs, put } = await pairedPort(cloud);
    const some = [{ ip_address: '10.244.0.0/24' }];
    await pairs(some);
    const off = { port_security_enabled: false, security_groups: [] };
    expectNeutron(await put(off), 409, 'AddressPairAndPortSecurityRequired');
    expect((await put({ ...off, allowed_address_pairs: [] })).status).toBe(200);
    expectNeutron(await pairs(some), 409, 'AddressPairAndPortSecurityRequired');
  },
  'ports are found by address and subnet: any of several values, and both keys': async (cloud) => {
    const { id, address, subnet } = await pairedPort(cloud);
    const by = (...filters: string[]): string =>
      `ports?fields=id&${filters.map((one) => `fixed_ips=${encodeURIComponent(one)}`).join('&')}`;
    const own = `subnet_id=${subnet}`;
    for (const [filters, found] of [
      [[`ip_address=${address}`, 'ip_address=10.78.0.253', own], [id]],
      [[`ip_address=${address}`, 'subnet_id=nope'], []],
      [['ip_address=10.78.0.253'], []],
      [['ip_address_substr=10.78.0.', own], [id]],
      [[own], [id]],
    ] as const)
      expect(await cloud.ids('neutron', by(...filters))).toEqual(found);
    expectNeutron(await cloud.neutron('GET', by('nonsense')), 400, 'InvalidInput');
  },
};
