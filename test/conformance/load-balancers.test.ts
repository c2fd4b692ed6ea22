/** Load balancers as a whole, how they are found and locked. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { expectFault, type Body, type CloudCases } from './cloud-case.ts';
import { CloudSession } from './cloud-session.ts';
import { cloudSuite } from './cloud-suite.ts';
import { at, listAt, textAt } from './json-path.ts';
import { balancerCases, webListener } from './octavia/balancer-cases.ts';

const nobody = '00000000-0000-0000-0000-000000000000';

const balancerQueryCases: CloudCases = {
  'whoever may have load balancers sees the flavors and availability zones on offer': async (cloud) => {
    for (const [path, kind, key] of [
      ['flavors', 'flavors', 'id'],
      ['availabilityzones', 'availability_zones', 'name'],
    ] as const) {
      const { status, body } = await cloud.octavia('GET', `${path}?limit=1000`);
      expect(status).toBe(200);
      expect(Object.keys(body as object).sort()).toEqual([kind, `${kind}_links`]);
      const some = { [key]: expect.any(String) as unknown, enabled: expect.any(Boolean) as unknown };
      for (const one of listAt(body, kind)) expect(one).toMatchObject(some);
    }
  },
  'lists filter by name, tags and address, project to fields, and refuse unknown filters': async (cloud) => {
    const mark = `conformance-${Date.now()}`;
    const edge = `${mark}=*/edge`;
    const made = at((await cloud.postBalancer({ name: mark, tags: [edge, 'second'] })).body, 'loadbalancer');
    expect((at(made, 'tags') as string[]).toSorted()).toEqual([edge, 'second'].toSorted());
    const posted = await cloud.postBalancer({ name: `${mark}-other`, tags: [edge] });
    const [id, other] = [textAt(made, 'id'), textAt(posted.body, 'loadbalancer.id')];
    const ids = (query: string): Promise<unknown[]> => cloud.ids('octavia', `loadbalancers?${query}`);
    const vip = `vip_address=${textAt(made, 'vip_address')}`;
    const tag = encodeURIComponent(edge);
    for (const query of [`name=${mark}`, `tags=${tag},second`, vip, `id=${id}`])
      expect(await ids(query)).toEqual([id]);
    expect((await ids(`tags-any=nobody,${tag}`)).sort()).toEqual([id, other].sort());
    expect(await ids(`tags=${tag}&not-tags=second`)).toEqual([other]);
    const fields = await cloud.octavia('GET', `loadbalancers?name=${mark}&fields=id&fields=name`);
    expect(at(fields.body, 'loadbalancers')).toEqual([{ id, name: mark }]);
    const unknown = await cloud.octavia('GET', 'loadbalancers?nonsense=1');
    expectFault(unknown, 400, 'One or more arguments are either duplicate or invalid');
    expect((await cloud.octavia('GET', `loadbalancers?id=${id}&id=${other}`)).status).toBe(500);
    const marker = await cloud.octavia('GET', `loadbalancers?marker=${nobody}`);
    expectFault(marker, 400, `Supplied pagination marker '${nobody}' is not valid.`);
  },
  'limit and marker page a list, with a next link until it ends': async (cloud) => {
    const tag = `conformance-${Date.now()}`;
    for (const tags of [[tag], [tag]]) await cloud.postBalancer({ tags });
    const page = async (query: string) => {
      const { body } = await cloud.octavia('GET', `loadbalancers?tags=${tag}&${query}`);
      expect(listAt(body, 'loadbalancers')).toHaveLength(1);
      const next = listAt(body, 'loadbalancers_links').find((one) => at(one, 'rel') === 'next');
      return { id: at(body, 'loadbalancers.0.id'), next };
    };
    const first = await page('limit=1');
    const marker = new URL(textAt(first.next, 'href')).searchParams.get('marker') ?? '';
    expect(marker).toBe(first.id);
    const second = await page(`limit=5&marker=${marker}`);
    expect(second.id).not.toBe(marker);
    expect(second.next).toBeUndefined();
  },
  'another project’s load balancer is 403, its list does not show it': async (cloud) => {
    const id = textAt((await cloud.postBalancer()).body, 'loadbalancer.id');
    const stranger = await CloudSession.open(cloud.target, cloud.target.stranger);
    for (const method of ['GET', 'DELETE']) {
      const reply = await stranger.octavia(method, `loadbalancers/${id}`);
      expectFault(reply, 403, 'Policy does not allow this request to be performed.');
    }
    expect(await stranger.ids('octavia', `loadbalancers?id=${id}`)).toEqual([]);
  },
  'what is not there is 404 with its name; unknown paths and methods have other bodies': async (cloud) => {
    for (const [kind, title] of [
      ['loadbalancers', 'Load Balancer'],
      ['listeners', 'Listener'],
      ['pools', 'Pool'],
      ['healthmonitors', 'Health Monitor'],
    ] as const)
      for (const method of ['GET', 'DELETE'])
        expectFault(await cloud.octavia(method, `${kind}/${nobody}`), 404, `${title} ${nobody} not found.`);
    const path = await cloud.octavia('GET', 'nonsense');
    expect([path.status, path.body]).toEqual([404, { code: 404, title: 'Not Found', description: '' }]);
    const method = await cloud.octavia('PATCH', `loadbalancers/${nobody}`, { loadbalancer: {} });
    expect([method.status, at(method.body, 'title')]).toEqual([405, 'Method Not Allowed']);
  },
  'the status tree names every child with its states; /v2 and /v2.0 are the same': async (cloud) => {
    const id = await cloud.balancer({ listeners: [webListener(80)] });
    const lb = at(await cloud.shown(`loadbalancers/${id}/status`), 'loadbalancer');
    const active = { provisioning_status: 'ACTIVE' };
    expect(lb).toMatchObject({ id, ...active });
    expect(at(lb, 'listeners.0')).toMatchObject({ name: 'web-80', ...active });
    const pool = at(lb, 'listeners.0.pools.0');
    expect(at(pool, 'health_monitor')).toMatchObject({ type: 'TCP', ...active });
    expect(at(pool, 'members.0')).toMatchObject({ address: '10.0.0.251', protocol_port: 30080 });
    const other = await cloud.call('load-balancer', 'GET', `/v2/lbaas/loadbalancers/${id}`);
    expect(at(other.body, 'loadbalancer.id')).toBe(id);
  },
  'quotas of the own project are readable, unlimited as -1': async (cloud) => {
    const own = await cloud.octavia('GET', `quotas/${cloud.projectId}`);
    expect([own.status, at(own.body, 'quota.load_balancer')]).toEqual([200, -1]);
    expect(Object.keys(at(own.body, 'quota') as object)).toContain('health_monitor');
  },
};

const lock = 'PENDING_UPDATE';

/** A load balancer with a web listener, and PUTs of that. */
async function web(cloud: CloudSession, more: Body = {}) {
  const id = await cloud.balancer({ ...more, listeners: [webListener(80)] });
  const lb = await cloud.shown(`loadbalancers/${id}`);
  const listener = textAt(lb, 'listeners.0.id');
  const put = (body: Body) => cloud.octavia('PUT', `listeners/${listener}`, { listener: body });
  return { id, lb, listener, put };
}

const tcp = (loadbalancer_id: string, protocol_port: number): unknown => ({
  listener: { loadbalancer_id, protocol: 'TCP', protocol_port },
});

const lockCases: CloudCases = {
  'while PENDING a child is immutable, and the load balancer itself in an invalid state': async (cloud) => {
    const id = textAt((await cloud.postBalancer()).body, 'loadbalancer.id');
    const immutable = `Load Balancer ${id} is immutable and cannot be updated.`;
    const state = `Invalid state PENDING_CREATE of loadbalancer resource ${id}`;
    expectFault(await cloud.octavia('POST', 'listeners', tcp(id, 80)), 409, immutable);
    const pool = { loadbalancer_id: id, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', name: 'p' };
    expectFault(await cloud.octavia('POST', 'pools', { pool }), 409, immutable);
    const loadbalancer = { description: 'x' };
    expectFault(await cloud.octavia('PUT', `loadbalancers/${id}`, { loadbalancer }), 409, state);
    expectFault(await cloud.octavia('DELETE', `loadbalancers/${id}?cascade=true`), 409, state);
  },
  'a new listener is PENDING_CREATE and locks; both are ACTIVE later, updated_at moved': async (cloud) => {
    const id = await cloud.balancer();
    const before = textAt(await cloud.shown(`loadbalancers/${id}`), 'updated_at');
    await cloud.nextSecond();
    const made = await cloud.octavia('POST', 'listeners', tcp(id, 80));
    expect(made.status).toBe(201);
    const asMade = { provisioning_status: 'PENDING_CREATE', updated_at: null };
    expect(at(made.body, 'listener')).toMatchObject(asMade);
    expect(at(made.body, 'listener.loadbalancers')).toEqual([{ id }]);
    expect(at(await cloud.shown(`loadbalancers/${id}`), 'provisioning_status')).toBe(lock);
    const second = await cloud.octavia('POST', 'listeners', tcp(id, 81));
    expectFault(second, 409, /is immutable and cannot be updated/);
    expect(textAt(await cloud.settled(id), 'updated_at') > before).toBe(true);
    const listener = await cloud.shown(`listeners/${textAt(made.body, 'listener.id')}`);
    expect(at(listener, 'provisioning_status')).toBe('ACTIVE');
  },
  'a new member locks load balancer, listener and pool': async (cloud) => {
    const { id, lb, listener } = await web(cloud);
    const member = { address: '10.0.0.252', protocol_port: 30080 };
    const made = await cloud.octavia('POST', `pools/${textAt(lb, 'pools.0.id')}/members`, { member });
    expect([made.status, at(made.body, 'member.provisioning_status')]).toEqual([201, 'PENDING_CREATE']);
    const tree = at(await cloud.shown(`loadbalancers/${id}/status`), 'loadbalancer');
    expect(at(tree, 'provisioning_status')).toBe(lock);
    expect(at(tree, 'listeners.0')).toMatchObject({ id: listener, provisioning_status: lock });
    expect(at(tree, 'listeners.0.pools.0.provisioning_status')).toBe(lock);
  },
  'a PUT that changes nothing still locks and moves updated_at': async (cloud) => {
    const { id, lb, put } = await web(cloud, { name: 'same' });
    await cloud.nextSecond();
    const same = await put({ timeout_client_data: 50000 });
    expect([same.status, at(same.body, 'listener.provisioning_status')]).toEqual([200, lock]);
    expect(at(await cloud.shown(`loadbalancers/${id}`), 'provisioning_status')).toBe(lock);
    expect(textAt(await cloud.settled(id), 'updated_at') > textAt(lb, 'updated_at')).toBe(true);
  },
  'new values of a PUT are in its answer and in GET at once': async (cloud) => {
    const { listener, put } = await web(cloud);
    const numbers = { connection_limit: 10, timeout_client_data: 60000 };
    const changed = { ...numbers, allowed_cidrs: ['10.0.0.0/8'], tags: ['x'] };
    expect(at((await put(changed)).body, 'listener')).toMatchObject(changed);
    const seen = await cloud.shown(`listeners/${listener}`);
    expect(seen).toMatchObject({ ...changed, provisioning_status: lock });
  },
  'reading never moves updated_at': async (cloud) => {
    const { id } = await web(cloud);
    await pause(cloud.target.real ? 5000 : 0);
    const first = await cloud.shown(`loadbalancers/${id}`);
    await cloud.octavia('GET', `loadbalancers/${id}/status`);
    await pause(cloud.target.real ? 3000 : 0);
    expect(at(await cloud.shown(`loadbalancers/${id}`), 'updated_at')).toBe(at(first, 'updated_at'));
  },
};

cloudSuite({
  'load balancers': balancerCases,
  'lists and look-ups': balancerQueryCases,
  'the lock': lockCases,
});
