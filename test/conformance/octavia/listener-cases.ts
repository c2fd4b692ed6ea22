import { expect } from 'vitest';
import { webListener } from './balancer-cases.ts';
import { expectFault, refusing, type Body, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

/** A load balancer with one TCP listener on 80, its pool and monitor, and POSTs of more. */
async function web(cloud: CloudSession) {
  const id = await cloud.balancer({ listeners: [webListener(80)] });
  const lb = await cloud.shown(`loadbalancers/${id}`);
  const post = (body: Body): Promise<Reply> => {
    const pool = { name: 'p', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', ...body };
    return cloud.octavia('POST', 'pools', { pool });
  };
  return { id, listener: textAt(lb, 'listeners.0.id'), poolId: textAt(lb, 'pools.0.id'), post };
}

export const listenerCases: CloudCases = {
  'one list by tags has listeners of several load balancers, whose list says which': async (cloud) => {
    const mark = `conformance-${Date.now()}`;
    const tagged = (name: string): Promise<string> =>
      cloud.balancer({ tags: [mark], listeners: [{ ...webListener(80), tags: [`${mark}=${name}`] }] });
    const ids = [await tagged('first'), await tagged('second')];
    const { body } = await cloud.octavia('GET', `listeners?tags-any=${mark}=first,${mark}=second`);
    const on = new Map(
      listAt(body, 'listeners').map((one) => [textAt(one, 'loadbalancers.0.id'), textAt(one, 'id')]),
    );
    expect([...on.keys()].toSorted()).toEqual(ids.toSorted());
    const listed = await cloud.octavia('GET', `loadbalancers?tags=${mark}`);
    for (const lb of listAt(listed.body, 'loadbalancers')) {
      expect(listAt(lb, 'listeners')).toEqual([{ id: on.get(textAt(lb, 'id')) }]);
      expect(listAt(lb, 'pools')).toHaveLength(1);
    }
  },
  'TCP-like protocols exclude each other on a port, UDP has ports of its own': async (cloud) => {
    const { id } = await web(cloud);
    const post = (protocol: string): Promise<Reply> =>
      cloud.octavia('POST', 'listeners', { listener: { loadbalancer_id: id, protocol, protocol_port: 80 } });
    const text = 'Another Listener on this Load Balancer is already using protocol TCP and protocol_port 80';
    for (const protocol of ['TCP', 'HTTP']) expectFault(await post(protocol), 409, text);
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
    const { id, listener, post } = await web(cloud);
    expectFault(await post({ listener_id: listener }), 409, 'This listener already has a default pool');
    const http = { loadbalancer_id: id, protocol: 'HTTP', protocol_port: 8080 };
    const httpListener = await cloud.child('listeners', 'listener', http);
    await cloud.settled(id);
    const text = "The pool protocol 'TCP' is invalid while the listener protocol is 'HTTP'.";
    expectFault(await post({ listener_id: httpListener }), 400, `Validation failure: ${text}`);
  },
  'default_pool_id switches to another pool; without that pool the listener has none': async (cloud) => {
    const { id, listener, post } = await web(cloud);
    const { status, body } = await post({ loadbalancer_id: id, protocol: 'PROXY' });
    expect(status).toBe(201);
    expect(at(body, 'pool')).toMatchObject({ listeners: [], members: [], session_persistence: null });
    expect(at(body, 'pool')).not.toHaveProperty('healthmonitor_id');
    const other = textAt(body, 'pool.id');
    await cloud.settled(id);
    const change = { listener: { default_pool_id: other } };
    const put = await cloud.done(id, 'PUT', `listeners/${listener}`, change);
    expect(at(put.body, 'listener.default_pool_id')).toBe(other);
    expect((await cloud.done(id, 'DELETE', `pools/${other}`)).status).toBe(204);
    expect((await cloud.octavia('GET', `pools/${other}`)).status).toBe(404);
    expect(at(await cloud.shown(`listeners/${listener}`), 'default_pool_id')).toBeNull();
  },
  'deleting a listener leaves its pool': async (cloud) => {
    const { id, listener, poolId } = await web(cloud);
    expect((await cloud.done(id, 'DELETE', `listeners/${listener}`)).status).toBe(204);
    expect((await cloud.octavia('GET', `listeners/${listener}`)).status).toBe(404);
    const left = await cloud.octavia('GET', `pools/${poolId}`);
    expect([left.status, at(left.body, 'pool.listeners')]).toEqual([200, []]);
  },
  'listeners, pools and monitors are listed by their parent': async (cloud) => {
    const { id, listener, poolId } = await web(cloud);
    const monitor = at(await cloud.shown(`pools/${poolId}`), 'healthmonitor_id');
    for (const [query, found] of [
      [`listeners?loadbalancer_id=${id}`, listener],
      [`pools?loadbalancer_id=${id}`, poolId],
      [`healthmonitors?pool_id=${poolId}`, monitor],
    ] as const)
      expect(await cloud.ids('octavia', query)).toEqual([found]);
  },
  'the amphora provider has no SOURCE_IP_PORT: 501': async (cloud) => {
    const { id, post } = await web(cloud);
    const text = /does not support a requested option: Amphora provider does not support SOURCE_IP_PORT/;
    expectFault(await post({ loadbalancer_id: id, lb_algorithm: 'SOURCE_IP_PORT' }), 501, text);
  },
};

/** A load balancer, and calls that make and change listeners on it, one port after the other. */
export async function emptyBalancer(cloud: CloudSession, protocol: string, firstPort: number) {
  const id = await cloud.balancer();
  let protocol_port = firstPort;
  const post = (body: Body): Promise<Reply> => {
    const listener = { loadbalancer_id: id, protocol, protocol_port, ...body };
    protocol_port += 1;
    return cloud.done(id, 'POST', 'listeners', { listener });
  };
  const put = (of: unknown, listener: Body): Promise<Reply> =>
    cloud.done(id, 'PUT', `listeners/${textAt(of, 'id')}`, { listener });
  return { id, post, put };
}

const FITS = {
  TCP: ['HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'TCP'],
  HTTP: ['HTTP', 'PROXY', 'PROXYV2'],
  HTTPS: ['HTTPS', 'PROXY', 'PROXYV2', 'TCP'],
  UDP: ['UDP'],
  SCTP: ['SCTP'],
};

export const listenerAttributeCases: CloudCases = {
  'which pools fit which listener': async (cloud) => {
    const { id, post } = await emptyBalancer(cloud, 'HTTP', 81);
    const pools = new Map<string, string>();
    for (const protocol of ['HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'TCP', 'UDP', 'SCTP']) {
      const pool = { loadbalancer_id: id, protocol, lb_algorithm: 'ROUND_ROBIN' };
      pools.set(protocol, await cloud.child('pools', 'pool', pool));
      await cloud.settled(id);
    }
    for (const [protocol, allowed] of Object.entries(FITS)) {
      for (const [pool, default_pool_id] of pools) {
        if (allowed.includes(pool)) continue;
        const text = `The pool protocol '${pool}' is invalid while the listener protocol is '${protocol}'.`;
        expectFault(await post({ protocol, default_pool_id }), 400, `Validation failure: ${text}`);
      }
      expect((await post({ protocol, default_pool_id: pools.get(allowed.at(-1) ?? '') })).status).toBe(201);
    }
    const prometheus = await post({ protocol: 'PROMETHEUS', default_pool_id: pools.get('HTTP') });
    expectFault(prometheus, 400, 'Protocol PROMETHEUS listeners cannot have child objects.');
  },
  'headers: three for HTTP, more for client certificates; their values are texts': async (cloud) => {
    const { id, post, put } = await emptyBalancer(cloud, 'HTTP', 81);
    const refused = refusing(post);
    const refusedHeaders = (insert_headers: Body, text: string) => refused({ insert_headers }, text);
    const unknown = 'is not a valid option for insert_headers';
    await refusedHeaders({ 'X-Foo': 'true' }, `dict_keys(['X-Foo']) ${unknown}`);
    const client = "['X-SSL-Client-CN'] is not a valid option for HTTP protocol listener.";
    await refusedHeaders({ 'X-SSL-Client-CN': 'true', 'X-Forwarded-For': 'true' }, client);
    const https = 'insert-headers is not a valid option for a HTTPS protocol listener.';
    await refused({ insert_headers: { 'X-Forwarded-For': 'true' }, protocol: 'HTTPS' }, https);
    const flag = "Value: '{'X-Forwarded-For': True}'. Value should be string";
    const input = 'Invalid input for field/attribute insert_headers.';
    await refusedHeaders({ 'X-Forwarded-For': true }, `${input} ${flag}`);
    const odd = { 'X-Forwarded-For': 'false', 'X-Forwarded-Proto': 'nonsense' };
    const made = at((await post({ insert_headers: odd })).body, 'listener');
    expect(at(made, 'insert_headers')).toEqual(odd);
    expectFault(await put(made, { insert_headers: { 'X-Foo': 'true' } }), 400, `['X-Foo'] ${unknown}`);
    expect(at(await cloud.settled(id), 'provisioning_status')).toBe('ACTIVE');
  },
  'null in a PUT brings defaults back, those of TLS on a plain listener too; tags stay': async (cloud) => {
    const { post, put } = await emptyBalancer(cloud, 'HTTP', 81);
    const insert_headers = { 'X-Forwarded-For': 'true' };
    const given = {
      ...{ connection_limit: 5, timeout_client_data: 1, timeout_tcp_inspect: 3, insert_headers },
      ...{ name: 'n', description: 'd', tags: ['a'], allowed_cidrs: ['10.0.0.0/8'] },
    };
    const made = at((await post(given)).body, 'listener');
    const names = [...Object.keys(given), 'admin_state_up', 'tls_versions'];
    const nulls = await put(made, Object.fromEntries(names.map((name) => [name, null])));
    expect(at(nulls.body, 'listener')).toMatchObject({
      ...{ connection_limit: -1, timeout_client_data: 50000, timeout_tcp_inspect: 0, insert_headers: {} },
      ...{ name: '', description: '', tags: ['a'], allowed_cidrs: null, admin_state_up: false },
      tls_versions: ['TLSv1.2', 'TLSv1.3'],
    });
    const text = 'Client authentication setting None requires a client CA container reference.';
    expectFault(await put(made, { client_authentication: null }), 400, `Validation failure: ${text}`);
    expect((await put(made, {})).status).toBe(200);
  },
};
