import { expect } from 'vitest';
import { expectNeutron, type CloudCases } from '../cloud-case.ts';
import { CloudSession, type Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

type Body = Record<string, unknown>;
/** A group for the length of a case. */
export async function group(cloud: CloudSession, more: Body = {}): Promise<unknown> {
  const security_group = { name: `conformance-${Date.now()}`, ...more };
  const made = at(
    (await cloud.neutron('POST', 'security-groups', { security_group })).body,
    'security_group',
  );
  cloud.leave('network', `/v2.0/security-groups/${textAt(made, 'id')}`);
  return made;
}

const rules = (cloud: CloudSession, id: string) => {
  const from = { security_group_id: id, direction: 'ingress' };
  return (more: Body): Promise<Reply> =>
    cloud.neutron('POST', 'security-group-rules', { security_group_rule: { ...from, ...more } });
};

export const securityGroupCases: CloudCases = {
  'a new group lets everything out; names may be twice, `default` may not; no tags in a POST': async (
    cloud,
  ) => {
    const made = await group(cloud, { description: 'd' });
    expect(made).toMatchObject({ stateful: true, tags: [], revision_number: 1, description: 'd' });
    const shown = listAt(made, 'security_group_rules').map((one) => [
      ...[at(one, 'direction'), at(one, 'ethertype'), at(one, 'protocol'), at(one, 'remote_ip_prefix')],
    ]);
    expect(shown.sort()).toEqual([
      ['egress', 'IPv4', null, null],
      ['egress', 'IPv6', null, null],
    ]);
    expect(at(await group(cloud, { name: at(made, 'name') }), 'name')).toBe(at(made, 'name'));
    const post = (security_group: Body): Promise<Reply> =>
      cloud.neutron('POST', 'security-groups', { security_group });
    expectNeutron(await post({ name: 'default' }), 409, 'SecurityGroupDefaultAlreadyExists');
    expectNeutron(await post({ name: 'x', tags: ['t'] }), 400, 'HTTPBadRequest');
    expectNeutron(await post({ name: 'x', nonsense: 1 }), 400, 'HTTPBadRequest');
  },
  'a rule is there once: case, number and description make no other, the text of the prefix does': async (
    cloud,
  ) => {
    const id = textAt(await group(cloud), 'id');
    const post = rules(cloud, id);
    const rule = { protocol: 'tcp', port_range_min: 30000, port_range_max: 30000 };
    const made = await post({ ...rule, remote_ip_prefix: '10.0.0.5/24' });
    expect(at(made.body, 'security_group_rule')).toMatchObject({
      ...{ ethertype: 'IPv4', remote_ip_prefix: '10.0.0.5/24', normalized_cidr: '10.0.0.0/24' },
      ...{ ...rule, remote_group_id: null, description: '' },
    });
    for (const protocol of ['TCP', '6']) {
      const again = await post({ ...rule, protocol, remote_ip_prefix: '10.0.0.5/24', description: 'x' });
      expectNeutron(again, 409, 'SecurityGroupRuleExists');
      expect(at(again.body, 'NeutronError.message')).toBe(
        `Security group rule already exists. Rule id is ${textAt(made.body, 'security_group_rule.id')}.`,
      );
    }
    expect((await post({ ...rule, remote_ip_prefix: '10.0.0.0/24' })).status).toBe(201);
    expect((await post({})).status).toBe(201);
    expectNeutron(await post({ remote_ip_prefix: '0.0.0.0/0' }), 409, 'SecurityGroupRuleExists');
    const egress = await post({ direction: 'egress', ethertype: 'IPv4' });
    expectNeutron(egress, 409, 'SecurityGroupRuleExists');
    const shown = at((await cloud.neutron('GET', `security-groups/${id}`)).body, 'security_group');
    expect(listAt(shown, 'security_group_rules')).toHaveLength(5);
    expect(at(shown, 'revision_number')).toBe(4);
  },
  'several rules in one POST: all of them or none': async (cloud) => {
    const id = textAt(await group(cloud), 'id');
    const rule = (port: number): Body => ({
      ...{ security_group_id: id, direction: 'ingress', protocol: 'tcp' },
      ...{ port_range_min: port, port_range_max: port },
    });
    const post = (...ports: number[]): Promise<Reply> =>
      cloud.neutron('POST', 'security-group-rules', { security_group_rules: ports.map(rule) });
    expect(listAt((await post(40, 41)).body, 'security_group_rules')).toHaveLength(2);
    expectNeutron(await post(42, 40), 409, 'SecurityGroupRuleExists');
    const list = async (query: string): Promise<unknown[]> =>
      listAt(
        (await cloud.neutron('GET', `security-group-rules?security_group_id=${id}${query}`)).body,
        'security_group_rules',
      );
    expect(await list('')).toHaveLength(4);
    const [first] = await list('&port_range_min=40');
    expect((await cloud.neutron('DELETE', `security-group-rules/${textAt(first, 'id')}`)).status).toBe(204);
    const again = await cloud.neutron('DELETE', `security-group-rules/${textAt(first, 'id')}`);
    expectNeutron(again, 404, 'SecurityGroupRuleNotFound');
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
