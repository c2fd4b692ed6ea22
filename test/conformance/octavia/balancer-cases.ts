import { expect } from 'vitest';
import { expectFault, expectMeasured, orphans, type Body, type CloudCases } from '../cloud-case.ts';
import type { Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

/** A web listener with pool, monitor and one member, as one POST carries it. */
export const webListener = (port: number, protocol = 'TCP'): Body => ({
  ...{ name: `web-${port}`, protocol, protocol_port: port },
  default_pool: {
    ...{ name: `pool-${port}`, protocol, lb_algorithm: 'ROUND_ROBIN' },
    healthmonitor: { type: 'TCP', delay: 5, timeout: 3, max_retries: 2 },
    members: [{ address: '10.0.0.251', protocol_port: 30080 }],
  },
});

export const balancerCases: CloudCases = {
  'a create answers PENDING_CREATE with every default, and is ACTIVE later': async (cloud) => {
    const reply = await cloud.postBalancer();
    expect(reply.status).toBe(201);
    const made = at(reply.body, 'loadbalancer');
    expect(made).toMatchObject({
      ...{ description: '', provisioning_status: 'PENDING_CREATE', operating_status: 'OFFLINE' },
      ...{ admin_state_up: true, project_id: cloud.projectId, tenant_id: cloud.projectId, updated_at: null },
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
  'a full create answers the whole tree; GET shows ids only, and all children are ACTIVE': async (cloud) => {
    const reply = await cloud.postBalancer({ listeners: [webListener(80)] });
    expect(reply.status).toBe(201);
    const tree = at(reply.body, 'loadbalancer');
    expect(at(tree, 'listeners.0')).toMatchObject({
      ...{ protocol: 'TCP', protocol_port: 80, connection_limit: -1, insert_headers: {}, l7policies: [] },
      ...{ timeout_client_data: 50000, timeout_member_connect: 5000, timeout_member_data: 50000 },
      ...{ timeout_tcp_inspect: 0, allowed_cidrs: null, tls_versions: null, sni_container_refs: [] },
      ...{ client_authentication: 'NONE', provisioning_status: 'PENDING_CREATE' },
      default_pool_id: at(tree, 'pools.0.id'),
    });
    expect(at(tree, 'pools.0.members.0')).toMatchObject({ address: '10.0.0.251', weight: 1, backup: false });
    expect(at(tree, 'pools.0.healthmonitor')).toBeNull();
    const active = await cloud.settled(textAt(tree, 'id'));
    for (const kind of ['listeners', 'pools']) {
      const id = textAt(tree, `${kind}.0.id`);
      expect(at(active, kind)).toEqual([{ id }]);
      const child = await cloud.shown(`${kind}/${id}`);
      expect(at(child, 'provisioning_status')).toBe('ACTIVE');
      expect(at(child, 'loadbalancers')).toEqual([{ id: at(tree, 'id') }]);
    }
  },
  'a nested pool with TLS is a 500 unless it names all of TLS, and leaks the VIP port': async (cloud) => {
    const create = (tls: Body): Promise<Reply> => {
      const pool = { name: 'one', protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', tls_enabled: true };
      const listener = { name: 'web', protocol: 'HTTP', protocol_port: 80 };
      return cloud.postBalancer({ listeners: [{ ...listener, default_pool: { ...pool, ...tls } }] });
    };
    for (const [tls, at] of [
      [{}, "'tls_ciphers'"],
      [{ tls_ciphers: null }, "'tls_versions'"],
      [{ tls_ciphers: null, tls_versions: null }, "'alpn_protocols'"],
    ] as const) {
      const before = await orphans(cloud);
      expectFault(await create(tls), 500, at);
      const left = (await orphans(cloud)).filter((id) => !before.includes(id));
      expect(left).toHaveLength(1);
      expect((await cloud.neutron('DELETE', `ports/${String(left[0])}`)).status).toBe(204);
    }
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
  'PUT changes name, description and tags, is PENDING_UPDATE, and knows no VIP attributes': async (cloud) => {
    const id = await cloud.balancer({ tags: ['a'] });
    const put = (loadbalancer: Body) => cloud.octavia('PUT', `loadbalancers/${id}`, { loadbalancer });
    const reply = await put({ name: 'renamed', description: 'text', tags: ['b', 'c'] });
    expect(reply.status).toBe(200);
    const renamed = { name: 'renamed', provisioning_status: 'PENDING_UPDATE' };
    expect(at(reply.body, 'loadbalancer')).toMatchObject(renamed);
    expect(listAt(await cloud.settled(id), 'tags').sort()).toEqual(['b', 'c']);
    const none = await put({ tags: null, name: null });
    expect(at(none.body, 'loadbalancer')).toMatchObject({ tags: ['b', 'c'], name: '' });
    await cloud.settled(id);
    const unknown = 'Unknown attribute for argument load_balancer.loadbalancer:';
    for (const name of ['vip_subnet_id', 'provider', 'additional_vips'])
      expectFault(await put({ [name]: null }), 400, `${unknown} ${name}`);
  },
  'DELETE with children needs cascade; then PENDING_DELETE, 409 for a second one, 404': async (cloud) => {
    const id = await cloud.balancer({ listeners: [webListener(80)] });
    const path = `loadbalancers/${id}`;
    const refused = await cloud.octavia('DELETE', path);
    expectFault(refused, 400, `Validation failure: Cannot delete Load Balancer ${id} - it has children`);
    expect((await cloud.octavia('DELETE', `${path}?cascade=true`)).status).toBe(204);
    expect(at(await cloud.shown(path), 'provisioning_status')).toBe('PENDING_DELETE');
    const again = await cloud.octavia('DELETE', `${path}?cascade=true`);
    expectFault(again, 409, `Invalid state PENDING_DELETE of loadbalancer resource ${id}`);
    expectFault(await cloud.gone(id), 404, `Load Balancer ${id} not found.`);
  },
};
