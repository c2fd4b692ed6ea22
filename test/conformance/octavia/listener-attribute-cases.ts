import { expect } from 'vitest';
import { expectFault, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, textAt } from '../json-path.ts';

type Body = Record<string, unknown>;

async function balancer(cloud: CloudSession): Promise<{
  id: string;
  post: (body: Body) => Promise<Reply>;
}> {
  const id = await cloud.balancer();
  let port = 80;
  const post = async (body: Body): Promise<Reply> => {
    port += 1;
    const listener = { loadbalancer_id: id, protocol: 'HTTP', protocol_port: port, ...body };
    const reply = await cloud.octavia('POST', 'listeners', { listener });
    if (reply.status === 201) await cloud.settled(id);
    return reply;
  };
  return { id, post };
}

const fits: Record<string, readonly string[]> = {
  TCP: ['HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'TCP'],
  HTTP: ['HTTP', 'PROXY', 'PROXYV2'],
  HTTPS: ['HTTPS', 'PROXY', 'PROXYV2', 'TCP'],
  UDP: ['UDP'],
  SCTP: ['SCTP'],
};

export const listenerAttributeCases: CloudCases = {
  'which pools fit which listener': async (cloud) => {
    const { id, post } = await balancer(cloud);
    const pools = new Map<string, string>();
    for (const protocol of ['HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'TCP', 'UDP', 'SCTP']) {
      const pool = { loadbalancer_id: id, protocol, lb_algorithm: 'ROUND_ROBIN' };
      pools.set(protocol, await cloud.child('pools', 'pool', pool));
      await cloud.settled(id);
    }
    for (const [listener, allowed] of Object.entries(fits)) {
      for (const [pool, default_pool_id] of pools) {
        if (allowed.includes(pool)) continue;
        const text = `Validation failure: The pool protocol '${pool}' is invalid while the listener protocol is '${listener}'.`;
        expectFault(await post({ protocol: listener, default_pool_id }), 400, text);
      }
      const last = pools.get(allowed.at(-1) ?? '');
      expect((await post({ protocol: listener, default_pool_id: last })).status).toBe(201);
    }
    const prometheus = await post({ protocol: 'PROMETHEUS', default_pool_id: pools.get('HTTP') });
    expectFault(prometheus, 400, 'Protocol PROMETHEUS listeners cannot have child objects.');
  },
  'headers to insert: three for HTTP, more for client certificates; their values are texts': async (
    cloud,
  ) => {
    const { id, post } = await balancer(cloud);
    const refused = async (insert_headers: Body, text: string, more: Body = {}): Promise<void> => {
      expectFault(await post({ insert_headers, ...more }), 400, text);
    };
    const unknown = 'is not a valid option for insert_headers';
    await refused({ 'X-Foo': 'true' }, `dict_keys(['X-Foo']) ${unknown}`);
    const client = "['X-SSL-Client-CN'] is not a valid option for HTTP protocol listener.";
    await refused({ 'X-SSL-Client-CN': 'true', 'X-Forwarded-For': 'true' }, client);
    const https = 'insert-headers is not a valid option for a HTTPS protocol listener.';
    await refused({ 'X-Forwarded-For': 'true' }, https, { protocol: 'HTTPS' });
    const flag =
      "Invalid input for field/attribute insert_headers. Value: '{'X-Forwarded-For': True}'. Value should be string";
    await refused({ 'X-Forwarded-For': true }, flag);
    const odd = { 'X-Forwarded-For': 'false', 'X-Forwarded-Proto': 'nonsense' };
    const made = at((await post({ insert_headers: odd })).body, 'listener');
    expect(at(made, 'insert_headers')).toEqual(odd);
    const put = await cloud.octavia('PUT', `listeners/${textAt(made, 'id')}`, {
      listener: { insert_headers: { 'X-Foo': 'true' } },
    });
    expectFault(put, 400, `['X-Foo'] ${unknown}`);
    expect(at(await cloud.settled(id), 'provisioning_status')).toBe('ACTIVE');
  },
  'null in a PUT brings the defaults back, TLS settings on a plain listener too; tags stay': async (
    cloud,
  ) => {
    const { id, post } = await balancer(cloud);
    const insert_headers = { 'X-Forwarded-For': 'true' };
    const given = { connection_limit: 5, timeout_client_data: 1, timeout_tcp_inspect: 3, insert_headers };
    const texts = { name: 'n', description: 'd', tags: ['a'], allowed_cidrs: ['10.0.0.0/8'] };
    const made = at((await post({ ...given, ...texts })).body, 'listener');
    const path = `listeners/${textAt(made, 'id')}`;
    const names = [...Object.keys(given), ...Object.keys(texts), 'admin_state_up', 'tls_versions'];
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    const put = await cloud.octavia('PUT', path, { listener: nulls });
    expect(at(put.body, 'listener')).toMatchObject({
      ...{ connection_limit: -1, timeout_client_data: 50000, timeout_tcp_inspect: 0, insert_headers: {} },
      ...{ name: '', description: '', tags: ['a'], allowed_cidrs: null, admin_state_up: false },
      tls_versions: ['TLSv1.2', 'TLSv1.3'],
    });
    await cloud.settled(id);
    const auth = await cloud.octavia('PUT', path, { listener: { client_authentication: null } });
    const text =
      'Validation failure: Client authentication setting None requires a client CA container reference.';
    expectFault(auth, 400, text);
    expect((await cloud.octavia('PUT', path, { listener: {} })).status).toBe(200);
  },
};
