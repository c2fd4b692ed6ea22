import { expect } from 'vitest';
import { expectNeutron, type Body, type CloudCases } from '../cloud-case.ts';
import type { CloudSession } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

const nobody = '00000000-0000-0000-0000-000000000000';

async function aFloatingIp(cloud: CloudSession, more: Body = {}) {
  const ip = at((await cloud.postFloatingIp(more)).body, 'floatingip');
  const path = `floatingips/${textAt(ip, 'id')}`;
  return { ip, path, id: textAt(ip, 'id') };
}

export const floatingIpCases: CloudCases = {
  'a filter given several times finds what has any of the values': async (cloud) => {
    const ids: string[] = [];
    for (const which of ['first', 'second', 'third'])
      ids.push((await aFloatingIp(cloud, { description: `${which} (conformance)` })).id);
    const query = 'description=first (conformance)&description=third (conformance)';
    const found = await cloud.ids('neutron', `floatingips?${encodeURI(query)}`);
    expect(found.toSorted()).toEqual([ids[0], ids[2]].toSorted());
    expect(await cloud.ids('neutron', `floatingips?port_id=${nobody}&port_id=${ids[0] ?? ''}`)).toEqual([]);
  },
  'a floating IP on a VIP port is ACTIVE at once, knows its port, and is found by it': async (cloud) => {
    const lb = at((await cloud.postBalancer()).body, 'loadbalancer');
    const port_id = textAt(lb, 'vip_port_id');
    const made = await cloud.postFloatingIp({ port_id, description: 'conformance' });
    expect(made.status).toBe(201);
    expect(at(made.body, 'floatingip')).toMatchObject({
      ...{ status: 'ACTIVE', port_id, fixed_ip_address: at(lb, 'vip_address'), description: 'conformance' },
      ...{ tags: [], port_details: { device_owner: 'Octavia', device_id: `lb-${textAt(lb, 'id')}` } },
    });
    const found = await cloud.ids('neutron', `floatingips?port_id=${port_id}`);
    expect(found).toEqual([at(made.body, 'floatingip.id')]);
    expectNeutron(await cloud.postFloatingIp({ port_id }), 409, 'FloatingIPPortAlreadyAssociated');
  },
  'port_id null detaches, a port_id attaches again; the address outlives its balancer': async (cloud) => {
    const id = await cloud.balancer();
    const port_id = at(await cloud.shown(`loadbalancers/${id}`), 'vip_port_id');
    const { ip, path } = await aFloatingIp(cloud, { port_id });
    const detached = { port_id: null, fixed_ip_address: null, port_details: null };
    const off = await cloud.neutron('PUT', path, { floatingip: { port_id: null } });
    expect(at(off.body, 'floatingip')).toMatchObject(detached);
    const shown = async (): Promise<unknown> => at((await cloud.neutron('GET', path)).body, 'floatingip');
    expect(await shown()).toMatchObject({ ...detached, status: 'DOWN' });
    const on = await cloud.neutron('PUT', path, { floatingip: { port_id, description: 'new' } });
    expect(at(on.body, 'floatingip')).toMatchObject({ port_id, description: 'new' });
    expect(at(on.body, 'floatingip.floating_ip_address')).toBe(at(ip, 'floating_ip_address'));
    await cloud.octavia('DELETE', `loadbalancers/${id}?cascade=true`);
    await cloud.gone(id);
    expect(await shown()).toMatchObject({ ...detached, status: 'DOWN' });
  },
  'tags are refused in POST, and have their own path: replace, add, take off, filter': async (cloud) => {
    expectNeutron(await cloud.postFloatingIp({ tags: ['a'] }), 400, 'HTTPBadRequest');
    const mark = `conformance-${Date.now()}`;
    const { path } = await aFloatingIp(cloud);
    const put = await cloud.neutron('PUT', `${path}/tags`, { tags: [mark, 'b'] });
    expect([put.status, listAt(put.body, 'tags').sort()]).toEqual([200, ['b', mark].sort()]);
    expect((await cloud.neutron('PUT', `${path}/tags/k=v`)).status).toBe(201);
    const tags = listAt((await cloud.neutron('GET', path)).body, 'floatingip.tags');
    expect([...tags].sort()).toEqual(['b', mark, 'k=v'].sort());
    for (const [query, count] of [
      [`tags=${mark},b`, 1],
      [`tags-any=${mark},nothing`, 1],
      [`tags=${mark},nothing`, 0],
    ] as const)
      expect(await cloud.ids('neutron', `floatingips?${query}`)).toHaveLength(count);
    expect((await cloud.neutron('DELETE', `${path}/tags/b`)).status).toBe(204);
    expectNeutron(await cloud.neutron('DELETE', `${path}/tags/b`), 404, 'TagNotFound');
  },
  'bad requests for floating IPs each have their own refusal': async (cloud) => {
    for (const [body, status, type] of [
      [{ port_id: nobody }, 404, 'PortNotFound'],
      [{ floating_network_id: nobody }, 404, 'NetworkNotFound'],
      [{ floating_network_id: undefined }, 400, 'HTTPBadRequest'],
      [{ floating_ip_address: '203.0.113.200' }, 403, 'PolicyNotAuthorized'],
    ] as const)
      expectNeutron(await cloud.postFloatingIp(body), status, type);
    for (const method of ['GET', 'DELETE'])
      expectNeutron(await cloud.neutron(method, `floatingips/${nobody}`), 404, 'FloatingIPNotFound');
    const inner = await cloud.postFloatingIp({ floating_network_id: await cloud.network() });
    expectNeutron(inner, 400, 'BadRequest');
  },
  'the network of a floating IP is read-only': async (cloud) => {
    const { ip, path } = await aFloatingIp(cloud);
    const floatingip = { floating_network_id: at(ip, 'floating_network_id') };
    expectNeutron(await cloud.neutron('PUT', path, { floatingip }), 400, 'HTTPBadRequest');
  },
  'Neutron pages with limit and marker': async (cloud) => {
    for (const description of ['one', 'two']) await cloud.postFloatingIp({ description });
    const unknown = await cloud.neutron('GET', 'floatingips?nonsense=1');
    expect(unknown.status).toBe(parseInt(await cloud.measured('unknown filter of Neutron')));
    const page = await cloud.neutron('GET', 'floatingips?limit=1');
    expect(listAt(page.body, 'floatingips')).toHaveLength(1);
    const next = listAt(page.body, 'floatingips_links').find((link) => at(link, 'rel') === 'next');
    const marker = new URL(textAt(next, 'href')).searchParams.get('marker') ?? '';
    const rest = await cloud.neutron('GET', `floatingips?limit=1&marker=${marker}`);
    expect(at(rest.body, 'floatingips.0.id')).not.toBe(marker);
  },
  'quota details show limit and use of floating IPs and ports': async (cloud) => {
    await cloud.postFloatingIp();
    const { status, body } = await cloud.neutron('GET', `quotas/${cloud.projectId}/details.json`);
    expect(status).toBe(200);
    const numbers = { limit: expect.any(Number) as number, used: expect.any(Number) as number };
    expect(at(body, 'quota.floatingip')).toMatchObject(numbers);
    expect(Number(at(body, 'quota.floatingip.used'))).toBeGreaterThan(0);
    expectNeutron(await cloud.neutron('GET', `quotas/${nobody}/details.json`), 403, 'AdminRequired');
  },
};
