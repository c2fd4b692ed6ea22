import { expect } from 'vitest';
import { expectFault, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

const pool = (name: string, protocol = 'HTTP'): Record<string, unknown> => ({
  ...{ name, protocol, lb_algorithm: 'ROUND_ROBIN' },
});

/** A load balancer with one listener of a protocol, and calls on that listener's policies. */
async function web(
  cloud: CloudSession,
  protocol = 'HTTP',
  more: Record<string, unknown> = {},
): Promise<{
  id: string;
  listener: string;
  post: (body: Record<string, unknown>) => Promise<Reply>;
  made: (body: Record<string, unknown>) => Promise<string>;
}> {
  const id = await cloud.balancer({ listeners: [{ protocol, protocol_port: 80, ...more }] });
  const lb = (await cloud.octavia('GET', `loadbalancers/${id}`)).body;
  const listener = textAt(lb, 'loadbalancer.listeners.0.id');
  const post = (body: Record<string, unknown>): Promise<Reply> =>
    cloud.octavia('POST', 'l7policies', { l7policy: { listener_id: listener, ...body } });
  const made = async (body: Record<string, unknown>): Promise<string> => {
    const policy = textAt((await post(body)).body, 'l7policy.id');
    await cloud.settled(id);
    return policy;
  };
  return { id, listener, post, made };
}

export const l7PolicyCases: CloudCases = {
  'a full create takes policies with their rules and pools; the answer is the whole tree': async (cloud) => {
    const rules = [{ type: 'PATH', compare_type: 'STARTS_WITH', value: '/a' }];
    const redirecting = { action: 'REDIRECT_TO_POOL', redirect_pool: pool('q'), rules };
    const l7policies = [redirecting, { action: 'REJECT', position: 1 }];
    const listener = { protocol: 'HTTP', protocol_port: 80, default_pool: pool('p'), l7policies };
    const made = at((await cloud.postBalancer({ listeners: [listener] })).body, 'loadbalancer');
    const [first, second] = listAt(made, 'listeners.0.l7policies');
    expect(first).toMatchObject({ action: 'REJECT', position: 1, rules: [], redirect_http_code: null });
    expect(second).toMatchObject({ action: 'REDIRECT_TO_POOL', position: 2, redirect_url: null });
    const shown = { ...rules[0], key: null, invert: false, provisioning_status: 'PENDING_CREATE' };
    expect(at(second, 'rules.0')).toMatchObject(shown);
    const id = textAt(made, 'id');
    await cloud.settled(id);
    const policy = (await cloud.octavia('GET', `l7policies/${textAt(second, 'id')}`)).body;
    expect(at(policy, 'l7policy')).toMatchObject({
      ...{ provisioning_status: 'ACTIVE', rules: [{ id: at(second, 'rules.0.id') }] },
      listener_id: at(made, 'listeners.0.id'),
    });
    const own = (await cloud.octavia('GET', `listeners/${textAt(made, 'listeners.0.id')}`)).body;
    expect(at(own, 'listener.l7policies')).toEqual([{ id: at(first, 'id') }, { id: at(second, 'id') }]);
    const target = (await cloud.octavia('GET', `pools/${textAt(second, 'redirect_pool_id')}`)).body;
    expect(at(target, 'pool')).toMatchObject({
      ...{ name: 'q', provisioning_status: 'ACTIVE', listeners: [{ id: at(made, 'listeners.0.id') }] },
    });
    const tree = (await cloud.octavia('GET', `loadbalancers/${id}/status`)).body;
    expect(
      listAt(tree, 'statuses.loadbalancer.listeners.0.pools')
        .map((one) => at(one, 'name'))
        .sort(),
    ).toEqual(['p', 'q']);
    const removed = await cloud.octavia('DELETE', `pools/${textAt(second, 'redirect_pool_id')}`);
    const text = `Pool ${textAt(second, 'redirect_pool_id')} is in use by L7 policy ${textAt(second, 'id')}`;
    expectFault(removed, 409, text);
  },
  'the redirect decides the action, 302 is the code that is not said, a REJECT may bear one': async (
    cloud,
  ) => {
    const { id, post } = await web(cloud);
    const made = async (body: Record<string, unknown>): Promise<unknown> => {
      const reply = await post(body);
      expect(reply.status).toBe(201);
      await cloud.settled(id);
      return at(reply.body, 'l7policy');
    };
    const prefix = { redirect_prefix: 'https://a.test' };
    expect(await made({ action: 'REJECT', ...prefix })).toMatchObject({
      ...{ action: 'REDIRECT_PREFIX', redirect_http_code: 302, ...prefix, redirect_url: null },
      ...{ position: 1, rules: [], tags: [], description: '', admin_state_up: true, updated_at: null },
    });
    const url = { redirect_url: 'https://c.test/x' };
    expect(await made({ action: 'REDIRECT_PREFIX', ...prefix, ...url })).toMatchObject({
      ...{ action: 'REDIRECT_TO_URL', redirect_prefix: null, ...url, position: 2 },
    });
    expect(await made({ action: 'REJECT', redirect_http_code: 301 })).toMatchObject({
      ...{ action: 'REJECT', redirect_http_code: 301 },
    });
  },
  'a policy is put in its place, and the others make room; the list is in the order of creation': async (
    cloud,
  ) => {
    const { listener, made, id } = await web(cloud);
    const first = await made({ action: 'REJECT', name: 'first' });
    await made({ action: 'REJECT', name: 'second' });
    await made({ action: 'REJECT', name: 'third', position: 1 });
    const places = async (): Promise<unknown[]> => {
      const { body } = await cloud.octavia('GET', `l7policies?listener_id=${listener}`);
      return listAt(body, 'l7policies').map((one) => [at(one, 'name'), at(one, 'position')]);
    };
    const name = (one: unknown): unknown => (one as unknown[])[0];
    const sorted = async (): Promise<unknown[]> =>
      (await places()).sort((a, b) => Number((a as unknown[])[1]) - Number((b as unknown[])[1])).map(name);
    expect(await sorted()).toEqual(['third', 'first', 'second']);
    const put = (position: number): Promise<Reply> =>
      cloud.octavia('PUT', `l7policies/${first}`, { l7policy: { position } });
    expect(at((await put(99)).body, 'l7policy.position')).toBe(3);
    await cloud.settled(id);
    expect(await sorted()).toEqual(['third', 'second', 'first']);
    expect((await cloud.octavia('DELETE', `l7policies/${first}`)).status).toBe(204);
    await cloud.settled(id);
    expect(await sorted()).toEqual(['third', 'second']);
    expectFault(await put(1), 404, `L7 Policy ${first} not found.`);
  },
  'PUT of a policy: what it may say, what null takes away, what locks': async (cloud) => {
    const { id, listener, made } = await web(cloud);
    const policy = await made({
      action: 'REDIRECT_PREFIX',
      redirect_prefix: 'https://a.test',
      tags: ['t'],
    });
    const put = (l7policy: Record<string, unknown>): Promise<Reply> =>
      cloud.octavia('PUT', `l7policies/${policy}`, { l7policy });
    expectFault(await put({}), 400, 'Invalid L7 Policy arguments: Invalid update options');
    expectFault(await put({ action: null }), 400, 'Invalid L7 Policy action specified: None');
    for (const name of ['listener_id', 'rules'])
      expectFault(
        await put({ [name]: null }),
        400,
        `Unknown attribute for argument l7policy_.l7policy: ${name}`,
      );
    const reply = await put({ redirect_http_code: null, name: null, tags: null });
    expect(at(reply.body, 'l7policy')).toMatchObject({
      ...{ redirect_http_code: null, name: '', tags: [], provisioning_status: 'PENDING_UPDATE' },
    });
    const locked = async (path: string, one: string): Promise<unknown> =>
      at((await cloud.octavia('GET', path)).body, `${one}.provisioning_status`);
    expect(await locked(`loadbalancers/${id}`, 'loadbalancer')).toBe('PENDING_UPDATE');
    expect(await locked(`listeners/${listener}`, 'listener')).toBe('PENDING_UPDATE');
    const meanwhile = await put({ name: 'x' });
    expectFault(meanwhile, 409, `Load Balancer ${id} is immutable and cannot be updated.`);
    await cloud.settled(id);
    const url = await put({ redirect_url: 'https://e.test/' });
    expect(at(url.body, 'l7policy')).toMatchObject({
      ...{ action: 'REDIRECT_TO_URL', redirect_prefix: null, redirect_http_code: 302 },
    });
    await cloud.settled(id);
    const reject = await put({ action: 'REJECT' });
    expect(at(reject.body, 'l7policy')).toMatchObject({
      ...{ action: 'REJECT', redirect_url: null, redirect_http_code: null },
    });
  },
  'a listener takes its policies along': async (cloud) => {
    const { id, listener, made } = await web(cloud);
    const policy = await made({ action: 'REJECT' });
    expect((await cloud.octavia('DELETE', `listeners/${listener}`)).status).toBe(204);
    await cloud.settled(id);
    expect((await cloud.octavia('GET', `l7policies/${policy}`)).status).toBe(404);
  },
};
