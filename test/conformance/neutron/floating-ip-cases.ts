import { expect } from 'vitest';
import { expectNeutron, type CloudCases } from '../cloud-case.ts';
import { at, listAt, textAt } from '../json-path.ts';

const nobody = '00000000-0000-0000-0000-000000000000';

export const floatingIpCases: CloudCases = {
  'a filter given several times finds what has any of the values': async (cloud) => {
    const ids = [];
    for (const description of ['first (conformance)', 'second (conformance)', 'third (conformance)']) {
      const made = await cloud.postFloatingIp({ description });
      ids.push(textAt(made.body, 'floatingip.id'));
    }
    const query = new URLSearchParams([
      ['description', 'first (conformance)'],
      ['description', 'third (conformance)'],
    ]);
    const list = await cloud.neutron('GET', `floatingips?${query.toString()}`);
    const found = listAt(list.body, 'floatingips').map((ip) => at(ip, 'id'));
    expect(found.toSorted()).toEqual([ids[0], ids[2]].toSorted());
    const nobodys = await cloud.neutron('GET', `floatingips?port_id=${nobody}&port_id=${ids[0] ?? ''}`);
    expect(listAt(nobodys.body, 'floatingips')).toEqual([]);
  },
  'a floating IP on a VIP port is ACTIVE at once, knows its port, and is found by it': async (cloud) => {
    const lb = at((await cloud.postBalancer()).body, 'loadbalancer');
    const port_id = textAt(lb, 'vip_port_id');
    const made = await cloud.postFloatingIp({ port_id, description: 'conformance' });
    expect(made.status).toBe(201);
    expect(at(made.body, 'floatingip')).toMatchObject({
      ...{
        status: 'ACTIVE',
        port_id,
        fixed_ip_address: at(lb, 'vip_address'),
        description: 'conformance',
        tags: [],
      },
      ...{ port_details: { device_owner: 'Octavia', device_id: `lb-${textAt(lb, 'id')}` } },
    });
    const list = await cloud.neutron('GET', `floatingips?port_id=${port_id}`);
    expect(listAt(list.body, 'floatingips').map((ip) => at(ip, 'id'))).toEqual([
      at(made.body, 'floatingip.id'),
    ]);
    const second = await cloud.postFloatingIp({ port_id });
    expectNeutron(second, 409, 'FloatingIPPortAlreadyAssociated');
  },
  'port_id null detaches, a port_id attaches again; the address stays the same': async (cloud) => {
    const lb = at((await cloud.postBalancer()).body, 'loadbalancer');
    const port_id = textAt(lb, 'vip_port_id');
    const made = at((await cloud.postFloatingIp({ port_id })).body, 'floatingip');
    const path = `floatingips/${textAt(made, 'id')}`;
    const off = await cloud.neutron('PUT', path, { floatingip: { port_id: null } });
    expect(at(off.body, 'floatingip')).toMatchObject({
      port_id: null,
      fixed_ip_address: null,
      port_details: null,
    });
    expect(at((await cloud.neutron('GET', path)).body, 'floatingip.status')).toBe('DOWN');
    const on = await cloud.neutron('PUT', path, { floatingip: { port_id, description: 'new' } });
    expect(at(on.body, 'floatingip')).toMatchObject({ port_id, description: 'new' });
    expect(at(on.body, 'floatingip.floating_ip_address')).toBe(at(made, 'floating_ip_address'));
  },
  'a floating IP outlives its load balancer, DOWN and detached': async (cloud) => {
    const id = await cloud.balancer();
    const lb = at((await cloud.octavia('GET', `loadbalancers/${id}`)).body, 'loadbalancer');
    const ip = textAt((await cloud.postFloatingIp({ port_id: at(lb, 'vip_port_id') })).body, 'floatingip.id');
    await cloud.octavia('DELETE', `loadbalancers/${id}?cascade=true`);
    await cloud.gone(id);
    const left = await cloud.neutron('GET', `floatingips/${ip}`);
    expect(at(left.body, 'floatingip')).toMatchObject({
      port_id: null,
      fixed_ip_address: null,
      status: 'DOWN',
    });
  },
  'tags are refused in POST and are a resource of their own: replace, add, take off, filter': async (
    cloud,
  ) => {
    expectNeutron(await cloud.postFloatingIp({ tags: ['a'] }), 400, 'HTTPBadRequest');
    const mark = `conformance-${Date.now()}`;
    const path = `floatingips/${textAt((await cloud.postFloatingIp()).body, 'floatingip.id')}`;
    const put = await cloud.neutron('PUT', `${path}/tags`, { tags: [mark, 'b'] });
    expect([put.status, listAt(put.body, 'tags').sort()]).toEqual([200, ['b', mark].sort()]);
    expect((await cloud.neutron('PUT', `${path}/tags/k=v`)).status).toBe(201);
    const tags = listAt((await cloud.neutron('GET', path)).body, 'floatingip.tags');
    expect([...tags].sort()).toEqual(['b', mark, 'k=v'].sort());
    for (const query of [`tags=${mark},b`, `tags-any=${mark},nothing`]) {
      const found = await cloud.neutron('GET', `floatingips?${query}`);
      expect(listAt(found.body, 'floatingips')).toHaveLength(1);
    }
    expect(
      listAt((await cloud.neutron('GET', `floatingips?tags=${mark},nothing`)).body, 'floatingips'),
    ).toEqual([]);
    expect((await cloud.neutron('DELETE', `${path}/tags/b`)).status).toBe(204);
    expectNeutron(await cloud.neutron('DELETE', `${path}/tags/b`), 404, 'TagNotFound');
  },
  'bad requests for floating IPs each have their own refusal': async (cloud) => {
    expectNeutron(await cloud.postFloatingIp({ port_id: nobody }), 404, 'PortNotFound');
    expectNeutron(await cloud.postFloatingIp({ floating_network_id: nobody }), 404, 'NetworkNotFound');
    expectNeutron(await cloud.postFloatingIp({ floating_network_id: undefined }), 400, 'HTTPBadRequest');
    expectNeutron(
      await cloud.postFloatingIp({ floating_ip_address: '203.0.113.200' }),
      403,
      'PolicyNotAuthorized',
    );
    expectNeutron(await cloud.neutron('GET', `floatingips/${nobody}`), 404, 'FloatingIPNotFound');
    expectNeutron(await cloud.neutron('DELETE', `floatingips/${nobody}`), 404, 'FloatingIPNotFound');
    const own = await cloud.neutron('GET', `subnets/${await cloud.subnet()}`);
    const inner = await cloud.postFloatingIp({ floating_network_id: at(own.body, 'subnet.network_id') });
    expectNeutron(inner, 400, 'BadRequest');
  },
  'network and address of a floating IP are read-only; If-Match guards a PUT': async (cloud) => {
    const made = at((await cloud.postFloatingIp()).body, 'floatingip');
    const path = `floatingips/${textAt(made, 'id')}`;
    const floatingip = { floating_network_id: at(made, 'floating_network_id') };
    expectNeutron(await cloud.neutron('PUT', path, { floatingip }), 400, 'HTTPBadRequest');
    const stale = { 'If-Match': 'revision_number=999' };
    const guarded = await cloud.neutron('PUT', path, { floatingip: { description: 'x' } }, stale);
    expectNeutron(guarded, 412, 'RevisionNumberConstraintFailed');
  },
  'Neutron pages with limit and marker, and takes a filter twice as either': async (cloud) => {
    const ids = [];
    for (let count = 0; count < 2; count += 1)
      ids.push(textAt((await cloud.postFloatingIp()).body, 'floatingip.id'));
    const [one = '', two = ''] = ids;
    const both = await cloud.neutron('GET', `floatingips?id=${one}&id=${two}&fields=id`);
    const unknown = await cloud.neutron('GET', 'floatingips?nonsense=1');
    expect(unknown.status).toBe(parseInt(await cloud.measured('unknown filter of Neutron')));
    expect(
      listAt(both.body, 'floatingips')
        .map((ip) => at(ip, 'id'))
        .sort(),
    ).toEqual([one, two].sort());
    expect(Object.keys(listAt(both.body, 'floatingips')[0] as object)).toEqual(['id']);
    expect(at(both.body, 'floatingips_links')).toBeUndefined();
    const page = await cloud.neutron('GET', 'floatingips?limit=1');
    expect(listAt(page.body, 'floatingips')).toHaveLength(1);
    const next = listAt(page.body, 'floatingips_links').find((link) => at(link, 'rel') === 'next');
    const marker = new URL(textAt(next, 'href')).searchParams.get('marker') ?? '';
    const rest = await cloud.neutron('GET', `floatingips?limit=1&marker=${marker}`);
    expect(at(rest.body, 'floatingips.0.id')).not.toBe(marker);
  },
  'ports are found by device and by address, external networks by router:external': async (cloud) => {
    const lb = at((await cloud.postBalancer()).body, 'loadbalancer');
    for (const query of [
      `device_id=lb-${textAt(lb, 'id')}`,
      `fixed_ips=ip_address=${textAt(lb, 'vip_address')}`,
    ]) {
      const found = await cloud.neutron('GET', `ports?${query}`);
      expect(listAt(found.body, 'ports').map((port) => at(port, 'id'))).toEqual([at(lb, 'vip_port_id')]);
    }
    const networks = await cloud.neutron('GET', 'networks?router:external=true');
    expect(
      listAt(networks.body, 'networks').every((network) => at(network, 'router:external') === true),
    ).toBe(true);
  },
  'quota details show limit and use of floating IPs and ports': async (cloud) => {
    await cloud.postFloatingIp();
    const { status, body } = await cloud.neutron('GET', `quotas/${cloud.projectId}/details.json`);
    expect(status).toBe(200);
    expect(at(body, 'quota.floatingip')).toMatchObject({
      limit: expect.any(Number) as number,
      used: expect.any(Number) as number,
    });
    expect(Number(at(body, 'quota.floatingip.used'))).toBeGreaterThan(0);
    expectNeutron(await cloud.neutron('GET', `quotas/${nobody}/details.json`), 403, 'AdminRequired');
  },
};
