import { expect } from 'vitest';
import { webListener } from './balancer-cases.ts';
import { expectFault, type CloudCases } from '../cloud-case.ts';
import { CloudSession } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

const nobody = '00000000-0000-0000-0000-000000000000';

export const balancerQueryCases: CloudCases = {
  'whoever may have load balancers sees the flavors and availability zones that are offered': async (
    cloud,
  ) => {
    const flavors = await cloud.octavia('GET', 'flavors?limit=1000');
    expect(flavors.status).toBe(200);
    expect(Object.keys(flavors.body as object).sort()).toEqual(['flavors', 'flavors_links']);
    for (const flavor of listAt(flavors.body, 'flavors'))
      expect(flavor).toMatchObject({
        id: expect.any(String) as unknown,
        enabled: expect.any(Boolean) as unknown,
      });
    const zones = await cloud.octavia('GET', 'availabilityzones?limit=1000');
    expect(zones.status).toBe(200);
    expect(Object.keys(zones.body as object).sort()).toEqual([
      'availability_zones',
      'availability_zones_links',
    ]);
    for (const zone of listAt(zones.body, 'availability_zones'))
      expect(zone).toMatchObject({
        name: expect.any(String) as unknown,
        enabled: expect.any(Boolean) as unknown,
      });
  },
  'a tag with a slash and an asterisk is found as it is, also among others': async (cloud) => {
    const shared = `conformance-${Date.now()}=*/edge`;
    const made = await cloud.postBalancer({ tags: [shared, 'second'] });
    const query = `tags-any=nobody,${encodeURIComponent(shared)}`;
    const found = listAt((await cloud.octavia('GET', `loadbalancers?${query}`)).body, 'loadbalancers');
    expect(found.map((lb) => at(lb, 'id'))).toEqual([textAt(made.body, 'loadbalancer.id')]);
    expect((at(found[0], 'tags') as string[]).toSorted()).toEqual([shared, 'second'].toSorted());
  },
  'lists filter by name, tags and VIP address, project to fields, and refuse unknown filters': async (
    cloud,
  ) => {
    const mark = `conformance-${Date.now()}`;
    const made = at((await cloud.postBalancer({ name: mark, tags: [mark, 'second'] })).body, 'loadbalancer');
    const other = textAt(
      (await cloud.postBalancer({ name: `${mark}-other`, tags: [mark] })).body,
      'loadbalancer.id',
    );
    const id = textAt(made, 'id');
    const ids = async (query: string): Promise<unknown[]> =>
      listAt((await cloud.octavia('GET', `loadbalancers?${query}`)).body, 'loadbalancers').map((lb) =>
        at(lb, 'id'),
      );
    expect(await ids(`name=${mark}`)).toEqual([id]);
    expect(await ids(`tags=${mark},second`)).toEqual([id]);
    expect((await ids(`tags-any=${mark},second`)).sort()).toEqual([id, other].sort());
    expect(await ids(`tags=${mark}&not-tags=second`)).toEqual([other]);
    expect(await ids(`vip_address=${textAt(made, 'vip_address')}`)).toEqual([id]);
    expect(await ids(`id=${id}`)).toEqual([id]);
    const fields = await cloud.octavia('GET', `loadbalancers?name=${mark}&fields=id&fields=name`);
    expect(at(fields.body, 'loadbalancers')).toEqual([{ id, name: mark }]);
    const unknown = await cloud.octavia('GET', 'loadbalancers?nonsense=1');
    expectFault(unknown, 400, 'One or more arguments are either duplicate or invalid');
    expect((await cloud.octavia('GET', `loadbalancers?id=${id}&id=${other}`)).status).toBe(500);
    const marker = await cloud.octavia('GET', `loadbalancers?marker=${nobody}`);
    expectFault(marker, 400, `Supplied pagination marker '${nobody}' is not valid.`);
  },
  'limit and marker page a list, with a next link until it ends': async (cloud) => {
    const tags = [`conformance-${Date.now()}`];
    await cloud.postBalancer({ tags });
    await cloud.postBalancer({ tags });
    const first = await cloud.octavia('GET', `loadbalancers?tags=${String(tags[0])}&limit=1`);
    expect(listAt(first.body, 'loadbalancers')).toHaveLength(1);
    const link = listAt(first.body, 'loadbalancers_links').find((one) => at(one, 'rel') === 'next');
    const marker = new URL(textAt(link, 'href')).searchParams.get('marker') ?? '';
    expect(marker).toBe(at(first.body, 'loadbalancers.0.id'));
    const second = await cloud.octavia(
      'GET',
      `loadbalancers?tags=${String(tags[0])}&limit=5&marker=${marker}`,
    );
    expect(listAt(second.body, 'loadbalancers')).toHaveLength(1);
    expect(at(second.body, 'loadbalancers.0.id')).not.toBe(marker);
    expect(listAt(second.body, 'loadbalancers_links').some((one) => at(one, 'rel') === 'next')).toBe(false);
  },
  'another project’s load balancer is 403, its list does not show it': async (cloud) => {
    const id = textAt((await cloud.postBalancer()).body, 'loadbalancer.id');
    const stranger = await CloudSession.open(cloud.target, cloud.target.stranger);
    for (const method of ['GET', 'DELETE']) {
      const reply = await stranger.octavia(method, `loadbalancers/${id}`);
      expectFault(reply, 403, 'Policy does not allow this request to be performed.');
    }
    const list = await stranger.octavia('GET', `loadbalancers?id=${id}`);
    expect(listAt(list.body, 'loadbalancers')).toEqual([]);
  },
  'what is not there is 404 with its name; unknown paths and methods have their own bodies': async (
    cloud,
  ) => {
    const titles = {
      loadbalancers: 'Load Balancer',
      listeners: 'Listener',
      pools: 'Pool',
      healthmonitors: 'Health Monitor',
    };
    for (const [kind, title] of Object.entries(titles)) {
      expectFault(await cloud.octavia('GET', `${kind}/${nobody}`), 404, `${title} ${nobody} not found.`);
      expectFault(await cloud.octavia('DELETE', `${kind}/${nobody}`), 404, `${title} ${nobody} not found.`);
    }
    const path = await cloud.octavia('GET', 'nonsense');
    expect([path.status, path.body]).toEqual([404, { code: 404, title: 'Not Found', description: '' }]);
    const method = await cloud.octavia('PATCH', `loadbalancers/${nobody}`, { loadbalancer: {} });
    expect([method.status, at(method.body, 'title')]).toEqual([405, 'Method Not Allowed']);
  },
  'the status tree names every child with its states; /v2 and /v2.0 are the same': async (cloud) => {
    const id = await cloud.balancer({ listeners: [webListener(80)] });
    const tree = await cloud.octavia('GET', `loadbalancers/${id}/status`);
    const lb = at(tree.body, 'statuses.loadbalancer');
    expect(lb).toMatchObject({ id, provisioning_status: 'ACTIVE' });
    expect(at(lb, 'listeners.0')).toMatchObject({ name: 'web-80', provisioning_status: 'ACTIVE' });
    expect(at(lb, 'listeners.0.pools.0.health_monitor')).toMatchObject({
      type: 'TCP',
      provisioning_status: 'ACTIVE',
    });
    expect(at(lb, 'listeners.0.pools.0.members.0')).toMatchObject({
      address: '10.0.0.251',
      protocol_port: 30080,
    });
    const other = await cloud.call('load-balancer', 'GET', `/v2/lbaas/loadbalancers/${id}`);
    expect(at(other.body, 'loadbalancer.id')).toBe(id);
  },
  'quotas of the own project are readable, unlimited as -1': async (cloud) => {
    const own = await cloud.octavia('GET', `quotas/${cloud.projectId}`);
    expect([own.status, at(own.body, 'quota.load_balancer')]).toEqual([200, -1]);
    expect(Object.keys(at(own.body, 'quota') as object)).toContain('health_monitor');
  },
};
