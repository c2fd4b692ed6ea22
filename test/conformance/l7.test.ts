/** Which requests go elsewhere. */
import { expect } from 'vitest';
import { expectFault, type Body, type CloudCases } from './cloud-case.ts';
import type { CloudSession, Reply } from './cloud-session.ts';
import { cloudSuite } from './cloud-suite.ts';
import { at, listAt, textAt } from './json-path.ts';

const pool = (name: string): Body => ({ name, protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN' });

/** A load balancer with an HTTP listener, and calls on that listener's policies. */
async function web(cloud: CloudSession, more: Body = {}) {
  const id = await cloud.balancer({ listeners: [{ protocol: 'HTTP', protocol_port: 80, ...more }] });
  const listener = textAt(await cloud.shown(`loadbalancers/${id}`), 'listeners.0.id');
  const bodyOf = (body: Body): Body => ({ l7policy: { listener_id: listener, ...body } });
  const made = async (body: Body): Promise<unknown> => {
    const reply = await cloud.done(id, 'POST', 'l7policies', bodyOf(body));
    expect(reply.status).toBe(201);
    return at(reply.body, 'l7policy');
  };
  const state = async (path: string): Promise<unknown> => at(await cloud.shown(path), 'provisioning_status');
  return { id, listener, made, state };
}

const l7PolicyCases: CloudCases = {
  'a full create takes policies with their rules and pools; the answer is the whole tree': async (cloud) => {
    const rules = [{ type: 'PATH', compare_type: 'STARTS_WITH', value: '/a' }];
    const redirecting = { action: 'REDIRECT_TO_POOL', redirect_pool: pool('q'), rules };
    const l7policies = [redirecting, { action: 'REJECT', position: 1 }];
    const posted = { protocol: 'HTTP', protocol_port: 80, default_pool: pool('p'), l7policies };
    const made = at((await cloud.postBalancer({ listeners: [posted] })).body, 'loadbalancer');
    const [first, second] = listAt(made, 'listeners.0.l7policies');
    expect(first).toMatchObject({ action: 'REJECT', position: 1, rules: [], redirect_http_code: null });
    expect(second).toMatchObject({ action: 'REDIRECT_TO_POOL', position: 2, redirect_url: null });
    const shown = { ...rules[0], key: null, invert: false, provisioning_status: 'PENDING_CREATE' };
    expect(at(second, 'rules.0')).toMatchObject(shown);
    const [id, listener] = [textAt(made, 'id'), { id: textAt(made, 'listeners.0.id') }];
    await cloud.settled(id);
    expect(await cloud.shown(`l7policies/${textAt(second, 'id')}`)).toMatchObject({
      ...{ provisioning_status: 'ACTIVE', rules: [{ id: at(second, 'rules.0.id') }] },
      listener_id: listener.id,
    });
    const own = await cloud.shown(`listeners/${listener.id}`);
    expect(at(own, 'l7policies')).toEqual([{ id: at(first, 'id') }, { id: at(second, 'id') }]);
    const target = textAt(second, 'redirect_pool_id');
    const now = { name: 'q', provisioning_status: 'ACTIVE', listeners: [listener] };
    expect(await cloud.shown(`pools/${target}`)).toMatchObject(now);
    const tree = await cloud.shown(`loadbalancers/${id}/status`);
    const names = listAt(tree, 'loadbalancer.listeners.0.pools').map((one) => at(one, 'name'));
    expect(names.sort()).toEqual(['p', 'q']);
    const text = `Pool ${target} is in use by L7 policy ${textAt(second, 'id')}`;
    expectFault(await cloud.octavia('DELETE', `pools/${target}`), 409, text);
  },
  'the redirect decides the action, 302 is the code not said, a REJECT may bear one': async (cloud) => {
    const { made } = await web(cloud);
    const prefix = { redirect_prefix: 'https://a.test' };
    expect(await made({ action: 'REJECT', ...prefix })).toMatchObject({
      ...{ action: 'REDIRECT_PREFIX', redirect_http_code: 302, ...prefix, redirect_url: null },
      ...{ position: 1, rules: [], tags: [], description: '', admin_state_up: true, updated_at: null },
    });
    const url = { redirect_url: 'https://c.test/x' };
    expect(await made({ action: 'REDIRECT_PREFIX', ...prefix, ...url })).toMatchObject({
      ...{ action: 'REDIRECT_TO_URL', redirect_prefix: null, ...url, position: 2 },
    });
    const reject = { action: 'REJECT', redirect_http_code: 301 };
    expect(await made(reject)).toMatchObject(reject);
  },
  'a policy is put in its place, the others make room; the listener takes them along': async (cloud) => {
    const { id, listener, made } = await web(cloud);
    const first = textAt(await made({ action: 'REJECT', name: 'first' }), 'id');
    const second = textAt(await made({ action: 'REJECT', name: 'second' }), 'id');
    await made({ action: 'REJECT', name: 'third', position: 1 });
    const sorted = async (): Promise<unknown[]> => {
      const { body } = await cloud.octavia('GET', `l7policies?listener_id=${listener}`);
      const inPlace = (one: unknown, other: unknown) =>
        Number(at(one, 'position')) - Number(at(other, 'position'));
      return listAt(body, 'l7policies')
        .sort(inPlace)
        .map((one) => at(one, 'name'));
    };
    expect(await sorted()).toEqual(['third', 'first', 'second']);
    const put = (position: number): Promise<Reply> =>
      cloud.done(id, 'PUT', `l7policies/${first}`, { l7policy: { position } });
    expect(at((await put(99)).body, 'l7policy.position')).toBe(3);
    expect(await sorted()).toEqual(['third', 'second', 'first']);
    expect((await cloud.done(id, 'DELETE', `l7policies/${first}`)).status).toBe(204);
    expect(await sorted()).toEqual(['third', 'second']);
    expectFault(await put(1), 404, `L7 Policy ${first} not found.`);
    expect((await cloud.done(id, 'DELETE', `listeners/${listener}`)).status).toBe(204);
    expect((await cloud.octavia('GET', `l7policies/${second}`)).status).toBe(404);
  },
  'PUT of a policy: what it may say, what null takes away, what locks': async (cloud) => {
    const { id, listener, made, state } = await web(cloud);
    const prefix = { action: 'REDIRECT_PREFIX', redirect_prefix: 'https://a.test', tags: ['t'] };
    const policy = textAt(await made(prefix), 'id');
    const put = (l7policy: Body) => cloud.octavia('PUT', `l7policies/${policy}`, { l7policy });
    expectFault(await put({}), 400, 'Invalid L7 Policy arguments: Invalid update options');
    expectFault(await put({ action: null }), 400, 'Invalid L7 Policy action specified: None');
    const unknown = 'Unknown attribute for argument l7policy_.l7policy:';
    for (const name of ['listener_id', 'rules'])
      expectFault(await put({ [name]: null }), 400, `${unknown} ${name}`);
    const reply = await put({ redirect_http_code: null, name: null, tags: null });
    expect(at(reply.body, 'l7policy')).toMatchObject({
      ...{ redirect_http_code: null, name: '', tags: [], provisioning_status: 'PENDING_UPDATE' },
    });
    for (const path of [`loadbalancers/${id}`, `listeners/${listener}`])
      expect(await state(path)).toBe('PENDING_UPDATE');
    expectFault(await put({ name: 'x' }), 409, `Load Balancer ${id} is immutable and cannot be updated.`);
    await cloud.settled(id);
    expect(at((await put({ redirect_url: 'https://e.test/' })).body, 'l7policy')).toMatchObject({
      ...{ action: 'REDIRECT_TO_URL', redirect_prefix: null, redirect_http_code: 302 },
    });
    await cloud.settled(id);
    const reject = { action: 'REJECT', redirect_url: null, redirect_http_code: null };
    expect(at((await put({ action: 'REJECT' })).body, 'l7policy')).toMatchObject(reject);
  },
};

const l7RuleCases: CloudCases = {
  'a rule locks its policy, the listener and the load balancer, and shows no parent': async (cloud) => {
    const { id, listener, state } = await web(cloud, { l7policies: [{ action: 'REJECT' }] });
    const policies = listAt((await cloud.octavia('GET', 'l7policies')).body, 'l7policies');
    const own = textAt(
      policies.find((one) => at(one, 'listener_id') === listener),
      'id',
    );
    const call = (method: string, path: string, rule?: Body): Promise<Reply> =>
      cloud.octavia(method, `l7policies/${own}/rules${path}`, rule && { rule });
    const body = { type: 'PATH', compare_type: 'STARTS_WITH', value: '/', key: 'useless' };
    const made = await call('POST', '', body);
    expect([made.status, at(made.body, 'rule.l7policy_id')]).toEqual([201, undefined]);
    expect(at(made.body, 'rule')).toMatchObject({
      ...{ ...body, invert: false, admin_state_up: true, tags: [], updated_at: null },
      provisioning_status: 'PENDING_CREATE',
    });
    for (const path of [`l7policies/${own}`, `listeners/${listener}`])
      expect(await state(path)).toBe('PENDING_UPDATE');
    expectFault(await call('POST', '', body), 409, `L7Policy ${own} is immutable and cannot be updated.`);
    await cloud.settled(id);
    const rule = textAt(made.body, 'rule.id');
    expect(listAt((await call('GET', '')).body, 'rules').map((one) => at(one, 'id'))).toEqual([rule]);
    expect((await call('DELETE', `/${rule}`)).status).toBe(204);
    await cloud.settled(id);
    expectFault(await call('GET', `/${rule}`), 404, `L7 Rule ${rule} not found.`);
  },
};

cloudSuite({ 'L7 policies': l7PolicyCases, 'L7 rules': l7RuleCases });
