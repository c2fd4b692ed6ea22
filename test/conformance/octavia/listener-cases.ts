import { expect } from 'vitest';
import { webListener } from './balancer-cases.ts';
import { expectFault, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

const pool = (body: Record<string, unknown>): unknown => ({
  pool: { name: 'p', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', ...body },
});

/** A load balancer with one TCP listener on 80, its pool and monitor. */
async function web(cloud: CloudSession): Promise<{ id: string; listener: string; pool: string }> {
  const id = await cloud.balancer({ listeners: [webListener(80)] });
  const { body } = await cloud.octavia('GET', `loadbalancers/${id}`);
  return {
    id,
    listener: textAt(body, 'loadbalancer.listeners.0.id'),
    pool: textAt(body, 'loadbalancer.pools.0.id'),
  };
}

export const listenerCases: CloudCases = {
  'one list by tags has the listeners of several load balancers, and these say in a list which are on them':
    async (cloud) => {
      const mark = `conformance-${Date.now()}`;
      const tagged = (name: string) => ({ ...webListener(80), tags: [`${mark}=${name}`] });
      const first = await cloud.balancer({ tags: [mark], listeners: [tagged('first')] });
      const second = await cloud.balancer({ tags: [mark], listeners: [tagged('second')] });
      const { body } = await cloud.octavia('GET', `listeners?tags-any=${mark}=first,${mark}=second`);
      const on = new Map(
        listAt(body, 'listeners').map((one) => [textAt(one, 'loadbalancers.0.id'), textAt(one, 'id')]),
      );
      expect([...on.keys()].toSorted()).toEqual([first, second].toSorted());
      const listed = await cloud.octavia('GET', `loadbalancers?tags=${mark}`);
      for (const lb of listAt(listed.body, 'loadbalancers')) {
        expect(listAt(lb, 'listeners')).toEqual([{ id: on.get(textAt(lb, 'id')) }]);
        expect(listAt(lb, 'pools')).toHaveLength(1);
      }
    },
  'TCP-like protocols exclude each other on a port, UDP has ports of its own': async (cloud) => {
    const { id } = await web(cloud);
    const post = (protocol: string): Promise<Reply> =>
      cloud.octavia('POST', 'listeners', {
        listener: { loadbalancer_id: id, protocol, protocol_port: 80 },
      });
    const text = 'Another Listener on this Load Balancer is already using protocol TCP and protocol_port 80';
    expectFault(await post('TCP'), 409, text);
    expectFault(await post('HTTP'), 409, text);
    expect((await post('UDP')).status).toBe(201);
  },
  'protocol and port of a listener are no attributes of its PUT': async (cloud) => {
    const { listener } = await web(cloud);
    for (const name of ['protocol', 'protocol_port', 'loadbalancer_id']) {
      const reply = await cloud.octavia('PUT', `listeners/${listener}`, { listener: { [name]: null } });
      expectFault(reply, 400, `Unknown attribute for argument listener_.listener: ${name}`);
    }
  },
  'a pool must fit its listener, and a listener has one default pool': async (cloud) => {
    const { id, listener } = await web(cloud);
    const second = await cloud.octavia('POST', 'pools', pool({ listener_id: listener }));
    expectFault(second, 409, 'This listener already has a default pool');
    const http = { loadbalancer_id: id, protocol: 'HTTP', protocol_port: 8080 };
    const httpListener = await cloud.child('listeners', 'listener', http);
    await cloud.settled(id);
    const misfit = await cloud.octavia('POST', 'pools', pool({ listener_id: httpListener }));
    const text =
      "Validation failure: The pool protocol 'TCP' is invalid while the listener protocol is 'HTTP'.";
    expectFault(misfit, 400, text);
  },
  'default_pool_id switches a listener to another pool; deleting that pool leaves it without one': async (
    cloud,
  ) => {
    const { id, listener } = await web(cloud);
    const made = await cloud.octavia('POST', 'pools', pool({ loadbalancer_id: id, protocol: 'PROXY' }));
    expect(made.status).toBe(201);
    expect(at(made.body, 'pool')).toMatchObject({
      listeners: [],
      members: [],
      session_persistence: null,
    });
    expect(at(made.body, 'pool')).not.toHaveProperty('healthmonitor_id');
    const other = textAt(made.body, 'pool.id');
    await cloud.settled(id);
    const put = await cloud.octavia('PUT', `listeners/${listener}`, {
      listener: { default_pool_id: other },
    });
    expect(at(put.body, 'listener.default_pool_id')).toBe(other);
    await cloud.settled(id);
    expect((await cloud.octavia('DELETE', `pools/${other}`)).status).toBe(204);
    await cloud.settled(id);
    expect((await cloud.octavia('GET', `pools/${other}`)).status).toBe(404);
    expect(
      at((await cloud.octavia('GET', `listeners/${listener}`)).body, 'listener.default_pool_id'),
    ).toBeNull();
  },
  'deleting a listener leaves its pool': async (cloud) => {
    const web80 = await web(cloud);
    expect((await cloud.octavia('DELETE', `listeners/${web80.listener}`)).status).toBe(204);
    await cloud.settled(web80.id);
    expect((await cloud.octavia('GET', `listeners/${web80.listener}`)).status).toBe(404);
    const left = await cloud.octavia('GET', `pools/${web80.pool}`);
    expect([left.status, at(left.body, 'pool.listeners')]).toEqual([200, []]);
  },
  'listeners, pools and monitors are listed by their parent': async (cloud) => {
    const { id, listener, pool: poolId } = await web(cloud);
    const ids = async (kind: string, query: string): Promise<unknown[]> =>
      listAt((await cloud.octavia('GET', `${kind}?${query}`)).body, kind).map((one) => at(one, 'id'));
    expect(await ids('listeners', `loadbalancer_id=${id}`)).toEqual([listener]);
    expect(await ids('pools', `loadbalancer_id=${id}`)).toEqual([poolId]);
    const monitor = at((await cloud.octavia('GET', `pools/${poolId}`)).body, 'pool.healthmonitor_id');
    expect(await ids('healthmonitors', `pool_id=${poolId}`)).toEqual([monitor]);
  },
  'session persistence shows four keys, null takes it off, and its rules are enforced': async (cloud) => {
    const { id, pool: poolId } = await web(cloud);
    const put = (session_persistence: unknown): Promise<Reply> =>
      cloud.octavia('PUT', `pools/${poolId}`, { pool: { session_persistence } });
    const timed = await put({ type: 'SOURCE_IP', persistence_timeout: 10 });
    expectFault(
      timed,
      400,
      /^Validation failure: persistence_timeout and persistence_granularity is only for UDP/,
    );
    const set = await put({ type: 'SOURCE_IP' });
    const nothing = { cookie_name: null, persistence_timeout: null, persistence_granularity: null };
    expect(at(set.body, 'pool.session_persistence')).toEqual({ type: 'SOURCE_IP', ...nothing });
    await cloud.settled(id);
    expect(at((await put(null)).body, 'pool.session_persistence')).toBeNull();
    const cookie = await cloud.octavia(
      'POST',
      'pools',
      pool({ loadbalancer_id: id, session_persistence: { type: 'APP_COOKIE' } }),
    );
    expectFault(cookie, 400, /^Validation failure: Field "cookie_name" must be specified/);
  },
  'the amphora provider has no SOURCE_IP_PORT: 501': async (cloud) => {
    const { id } = await web(cloud);
    const reply = await cloud.octavia(
      'POST',
      'pools',
      pool({ loadbalancer_id: id, lb_algorithm: 'SOURCE_IP_PORT' }),
    );
    expectFault(
      reply,
      501,
      /does not support a requested option: Amphora provider does not support SOURCE_IP_PORT/,
    );
  },
  'an HTTP monitor gets GET / 200 by default, and a timeout above the delay is accepted': async (cloud) => {
    const { id, pool: poolId } = await web(cloud);
    const old = textAt((await cloud.octavia('GET', `pools/${poolId}`)).body, 'pool.healthmonitor_id');
    await cloud.octavia('DELETE', `healthmonitors/${old}`);
    await cloud.settled(id);
    const healthmonitor = { pool_id: poolId, type: 'HTTP', delay: 3, timeout: 10, max_retries: 2 };
    const made = await cloud.octavia('POST', 'healthmonitors', { healthmonitor });
    expect(made.status).toBe(201);
    expect(at(made.body, 'healthmonitor')).toMatchObject({
      ...{ http_method: 'GET', url_path: '/', expected_codes: '200', max_retries_down: 3 },
      ...{
        pools: [{ id: poolId }],
        http_version: null,
        domain_name: null,
        provisioning_status: 'PENDING_CREATE',
      },
    });
  },
};
