import { expect } from 'vitest';
import { expectFault, expectMeasured, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** A web listener with pool, monitor and one member, as one POST carries it. */
export const webListener = (port: number, protocol = 'TCP'): Record<string, unknown> => ({
  name: `web-${port}`,
  protocol,
  protocol_port: port,
  default_pool: {
    name: `pool-${port}`,
    protocol,
    lb_algorithm: 'ROUND_ROBIN',
    healthmonitor: { type: 'TCP', delay: 5, timeout: 3, max_retries: 2 },
    members: [{ address: '10.0.0.251', protocol_port: 30080 }],
  },
});

/** VIP ports whose load balancer does not exist, by id. */
async function orphanPorts(cloud: CloudSession): Promise<string[]> {
  const ports = listAt((await cloud.neutron('GET', 'ports?device_owner=Octavia')).body, 'ports');
  const orphans: string[] = [];
  for (const port of ports) {
    const lb = await cloud.octavia('GET', `loadbalancers/${textAt(port, 'device_id').replace('lb-', '')}`);
    if (lb.status === 404) orphans.push(textAt(port, 'id'));
  }
  return orphans.sort();
}

export const balancerCases: CloudCases = {
  'a create answers PENDING_CREATE with every default, and is ACTIVE later': async (cloud) => {
    const reply = await cloud.postBalancer();
    expect(reply.status).toBe(201);
    const made = at(reply.body, 'loadbalancer');
    expect(made).toMatchObject({
      ...{ description: '', provisioning_status: 'PENDING_CREATE', operating_status: 'OFFLINE' },
      ...{
        admin_state_up: true,
        project_id: cloud.projectId,
        tenant_id: cloud.projectId,
        updated_at: null,
      },
      ...{ additional_vips: [], listeners: [], pools: [], tags: [], provider: 'amphora' },
      ...{ flavor_id: null, vip_qos_policy_id: null, availability_zone: null },
    });
    expect(textAt(made, 'created_at')).toMatch(utc);
    const active = await cloud.settled(textAt(made, 'id'));
    expect(at(active, 'provisioning_status')).toBe('ACTIVE');
    const kind = (await cloud.measured("kind of the VIP's port, `vip_vnic_type`")).split('`')[1];
    expect(at(active, 'vip_vnic_type')).toBe(kind);
    expect(textAt(active, 'updated_at')).toMatch(utc);
  },
  'the VIP port is a real Neutron port of the project, and goes with the load balancer': async (cloud) => {
    const made = at((await cloud.postBalancer()).body, 'loadbalancer');
    const id = textAt(made, 'id');
    const path = `ports/${textAt(made, 'vip_port_id')}`;
    const port = at((await cloud.neutron('GET', path)).body, 'port');
    expect(port).toMatchObject({
      ...{ name: `octavia-lb-${id}`, device_id: `lb-${id}`, device_owner: 'Octavia', status: 'DOWN' },
      ...{ project_id: cloud.projectId, admin_state_up: false },
    });
    expect(listAt(port, 'fixed_ips').map((ip) => at(ip, 'ip_address'))).toContain(at(made, 'vip_address'));
    expect(listAt(port, 'fixed_ips')).toHaveLength(2);
    await cloud.settled(id);
    expect((await cloud.octavia('DELETE', `loadbalancers/${id}`)).status).toBe(204);
    await cloud.gone(id);
    expect((await cloud.neutron('GET', path)).status).toBe(404);
  },
  'a full create answers the whole tree; afterwards GET shows ids only and all children are ACTIVE': async (
    cloud,
  ) => {
    const reply = await cloud.postBalancer({ listeners: [webListener(80)] });
    expect(reply.status).toBe(201);
    const tree = at(reply.body, 'loadbalancer');
    expect(at(tree, 'listeners.0')).toMatchObject({
      ...{
        protocol: 'TCP',
        protocol_port: 80,
        connection_limit: -1,
        insert_headers: {},
        allowed_cidrs: null,
      },
      ...{ timeout_client_data: 50000, timeout_member_connect: 5000, timeout_member_data: 50000 },
      ...{
        timeout_tcp_inspect: 0,
        sni_container_refs: [],
        client_authentication: 'NONE',
        tls_versions: null,
      },
      ...{ provisioning_status: 'PENDING_CREATE', default_pool_id: at(tree, 'pools.0.id'), l7policies: [] },
    });
    expect(at(tree, 'pools.0.members.0')).toMatchObject({
      address: '10.0.0.251',
      weight: 1,
      backup: false,
    });
    expect(at(tree, 'pools.0.healthmonitor')).toBeNull();
    const active = await cloud.settled(textAt(tree, 'id'));
    expect(at(active, 'listeners')).toEqual([{ id: at(tree, 'listeners.0.id') }]);
    expect(at(active, 'pools')).toEqual([{ id: at(tree, 'pools.0.id') }]);
    for (const [kind, one] of [
      ['listeners', 'listener'],
      ['pools', 'pool'],
    ] as const) {
      const child = await cloud.octavia('GET', `${kind}/${textAt(tree, `${kind}.0.id`)}`);
      expect(at(child.body, `${one}.provisioning_status`)).toBe('ACTIVE');
      expect(at(child.body, `${one}.loadbalancers`)).toEqual([{ id: at(tree, 'id') }]);
    }
  },
  'a nested pool that speaks TLS is a 500 unless it names all settings of TLS, and leaks the VIP port':
    async (cloud) => {
      const create = async (tls: Record<string, unknown>): Promise<Reply> => {
        const pool = {
          name: 'one',
          protocol: 'HTTP',
          lb_algorithm: 'ROUND_ROBIN',
          tls_enabled: true,
          ...tls,
        };
        const listener = { name: 'web', protocol: 'HTTP', protocol_port: 80, default_pool: pool };
        return cloud.postBalancer({ listeners: [listener] });
      };
      const stumbles = async (tls: Record<string, unknown>, at: string): Promise<void> => {
        const before = await orphanPorts(cloud);
        expectFault(await create(tls), 500, at);
        const left = (await orphanPorts(cloud)).filter((id) => !before.includes(id));
        expect(left).toHaveLength(1);
        expect((await cloud.neutron('DELETE', `ports/${String(left[0])}`)).status).toBe(204);
      };
      await stumbles({}, "'tls_ciphers'");
      await stumbles({ tls_ciphers: null }, "'tls_versions'");
      await stumbles({ tls_ciphers: null, tls_versions: null }, "'alpn_protocols'");
      const made = await create({ tls_ciphers: null, tls_versions: null, alpn_protocols: null });
      expect(made.status).toBe(201);
      await cloud.settled(textAt(made.body, 'loadbalancer.id'));
    },
  'a VIP address outside of the subnet or in use is refused as the release does it': async (cloud) => {
    const used = at((await cloud.postBalancer()).body, 'loadbalancer.vip_address');
    const outside = await cloud.postBalancer({ vip_address: '192.168.1.1' });
    const reason = 'IP address 192.168.1.1 is not a valid IP';
    expectMeasured(outside, await cloud.measured('VIP address that Neutron refuses'), reason);
    expect(at(outside.body, 'faultstring')).toMatch(/^Provider 'amphora' reports error: /);
    const taken = await cloud.postBalancer({ vip_address: used });
    expectMeasured(taken, await cloud.measured('VIP address in use'));
  },
  'a second VIP of the other family comes with the create, on the same port': async (cloud) => {
    const six = await cloud.subnet(6);
    const reply = await cloud.postBalancer({ additional_vips: [{ subnet_id: six }] });
    expect(reply.status).toBe(201);
    expect(at(reply.body, 'loadbalancer.vip_address')).toMatch(/^10\./);
    expect(at(reply.body, 'loadbalancer.additional_vips.0')).toMatchObject({ subnet_id: six });
    expect(at(reply.body, 'loadbalancer.additional_vips.0.ip_address')).toMatch(/:/);
  },
  'PUT changes name, description and tags, answers PENDING_UPDATE, and knows no VIP attributes': async (
    cloud,
  ) => {
    const id = await cloud.balancer({ tags: ['a'] });
    const loadbalancer = { name: 'renamed', description: 'text', tags: ['b', 'c'] };
    const reply = await cloud.octavia('PUT', `loadbalancers/${id}`, { loadbalancer });
    expect(reply.status).toBe(200);
    expect(at(reply.body, 'loadbalancer')).toMatchObject({
      name: 'renamed',
      provisioning_status: 'PENDING_UPDATE',
    });
    expect(listAt(await cloud.settled(id), 'tags').sort()).toEqual(['b', 'c']);
    const nulls = { loadbalancer: { tags: null, name: null } };
    const none = await cloud.octavia('PUT', `loadbalancers/${id}`, nulls);
    expect(at(none.body, 'loadbalancer')).toMatchObject({ tags: ['b', 'c'], name: '' });
    await cloud.settled(id);
    for (const name of ['vip_subnet_id', 'provider', 'additional_vips']) {
      const put = await cloud.octavia('PUT', `loadbalancers/${id}`, { loadbalancer: { [name]: null } });
      expectFault(put, 400, `Unknown attribute for argument load_balancer.loadbalancer: ${name}`);
    }
  },
  'DELETE with children needs cascade; then PENDING_DELETE, 409 on a second DELETE, 404 at the end': async (
    cloud,
  ) => {
    const id = await cloud.balancer({ listeners: [webListener(80)] });
    const refused = await cloud.octavia('DELETE', `loadbalancers/${id}`);
    expectFault(refused, 400, `Validation failure: Cannot delete Load Balancer ${id} - it has children`);
    expect((await cloud.octavia('DELETE', `loadbalancers/${id}?cascade=true`)).status).toBe(204);
    const pending = await cloud.octavia('GET', `loadbalancers/${id}`);
    expect(at(pending.body, 'loadbalancer.provisioning_status')).toBe('PENDING_DELETE');
    const again = await cloud.octavia('DELETE', `loadbalancers/${id}?cascade=true`);
    expectFault(again, 409, `Invalid state PENDING_DELETE of loadbalancer resource ${id}`);
    expectFault(await cloud.gone(id), 404, `Load Balancer ${id} not found.`);
  },
};
