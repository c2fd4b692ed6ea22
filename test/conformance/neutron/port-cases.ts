import { expect } from 'vitest';
import { expectNeutron, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';
import { group } from './security-group-cases.ts';

type Body = Record<string, unknown>;
const nobody = '00000000-0000-0000-0000-000000000001';

/** A port like a node's, and calls on it. */
async function nodePort(cloud: CloudSession): Promise<{
  id: string;
  groups: string[];
  put: (port: Body, headers?: Record<string, string>) => Promise<Reply>;
}> {
  const subnet_id = await cloud.subnet();
  const network_id = textAt((await cloud.neutron('GET', `subnets/${subnet_id}`)).body, 'subnet.network_id');
  const body = {
    network_id,
    fixed_ips: [{ subnet_id }],
    device_id: 'conformance',
    device_owner: 'compute:x',
  };
  const made = at((await cloud.neutron('POST', 'ports', { port: body })).body, 'port');
  const id = textAt(made, 'id');
  cloud.leave('network', `/v2.0/ports/${id}`);
  const put = (port: Body, headers?: Record<string, string>): Promise<Reply> =>
    cloud.neutron('PUT', `ports/${id}`, { port }, headers);
  return { id, put, groups: listAt(made, 'security_groups').map(String) };
}

export const portCases: CloudCases = {
  'a new port is in the default group; PUT gives the whole list, in an order of its own': async (cloud) => {
    const own = textAt(await group(cloud), 'id');
    const { id, groups, put } = await nodePort(cloud);
    const byName = (await cloud.neutron('GET', 'security-groups?name=default')).body;
    expect(groups).toEqual([at(byName, 'security_groups.0.id')]);
    const both = await put({ security_groups: [own, ...groups] });
    expect(at(both.body, 'port')).toMatchObject({
      ...{ security_groups: [own, ...groups].sort(), revision_number: 2 },
    });
    expect((await put({ security_groups: [] })).status).toBe(200);
    const shown = (await cloud.neutron('GET', `ports/${id}`)).body;
    expect(at(shown, 'port.security_groups')).toEqual([]);
  },
  'a PUT raises the revision, one that changes nothing as the release has it; If-Match must name the last':
    async (cloud) => {
      const { id, groups, put } = await nodePort(cloud);
      await put({ security_groups: groups });
      await put({});
      const revision = Number(at((await cloud.neutron('GET', `ports/${id}`)).body, 'port.revision_number'));
      const stays = (await cloud.measured('PUT that changes nothing of a port')) === 'revision stays';
      expect(revision).toBe(stays ? 1 : 3);
      const other = await put({ description: 'x' }, { 'If-Match': `revision_number=${revision + 1}` });
      expectNeutron(other, 412, 'RevisionNumberConstraintFailed');
      expect((await put({ description: 'x' }, { 'If-Match': `revision_number=${revision}` })).status).toBe(
        200,
      );
      expect((await put({ description: 'y' }, { 'If-Match': 'nonsense' })).status).toBe(200);
    },
  'ports are listed by group and by device; a group that is in use stays': async (cloud) => {
    const own = textAt(await group(cloud), 'id');
    const { id, put } = await nodePort(cloud);
    await put({ security_groups: [own] });
    const list = async (query: string): Promise<unknown[]> =>
      listAt((await cloud.neutron('GET', `ports?fields=id&${query}`)).body, 'ports').map((one) =>
        at(one, 'id'),
      );
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
    const back = await put({ security_groups: groups });
    expectNeutron(back, 400, 'PortSecurityAndIPRequiredForSecurityGroups');
  },
  'the security group of a VIP port is Octavia’s: the project neither sees it nor can keep it beside another':
    async (cloud) => {
      const lb = (await cloud.octavia('GET', `loadbalancers/${await cloud.balancer()}`)).body;
      expect(at(lb, 'loadbalancer.provisioning_status')).toBe('ACTIVE');
      const path = `ports/${textAt(lb, 'loadbalancer.vip_port_id')}`;
      const groups = listAt((await cloud.neutron('GET', path)).body, 'port.security_groups');
      expect(groups).toHaveLength(1);
      const one = await cloud.neutron('GET', `security-groups/${String(groups[0])}`);
      expectNeutron(one, 404, 'SecurityGroupNotFound');
      const put = (security_groups: unknown[]): Promise<Reply> =>
        cloud.neutron('PUT', path, { port: { security_groups } });
      expect((await put(groups)).status).toBe(200);
      const own = textAt(await group(cloud), 'id');
      expectNeutron(await put([...groups, own]), 404, 'SecurityGroupNotFound');
    },
};
