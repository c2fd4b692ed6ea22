/** Where a load balancer sends requests, and how it knows who answers. */
import { expect } from 'vitest';
import { expectFault, expectMeasured, refusing, type Body, type CloudCases } from './cloud-case.ts';
import type { CloudSession, Reply } from './cloud-session.ts';
import { cloudSuite } from './cloud-suite.ts';
import { at, textAt } from './json-path.ts';
import { memberCases } from './octavia/member-cases.ts';
import * as store from './barbican/secret-store.ts';

const INPUT = 'Invalid input for field/attribute';
const FAILURE = 'Validation failure:';

/** A load balancer, and calls that make and change pools on it. */
async function pools(cloud: CloudSession) {
  const id = await cloud.balancer();
  const post = (body: Body): Promise<Reply> => {
    const pool = { loadbalancer_id: id, protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', ...body };
    return cloud.done(id, 'POST', 'pools', { pool });
  };
  const put = (of: string, pool: Body): Promise<Reply> => cloud.done(id, 'PUT', `pools/${of}`, { pool });
  return { id, post, put };
}

/** A pool and calls that make monitors on it; one that was made is taken off before the next. */
async function monitors(cloud: CloudSession, protocol: string) {
  const { id, post: postPool } = await pools(cloud);
  const pool_id = textAt((await postPool({ protocol })).body, 'pool.id');
  let current: string | undefined;
  const post = async (body: Body): Promise<Reply> => {
    if (current !== undefined) await cloud.done(id, 'DELETE', `healthmonitors/${current}`);
    const healthmonitor = { pool_id, type: 'HTTP', delay: 5, timeout: 3, max_retries: 2, ...body };
    const reply = await cloud.done(id, 'POST', 'healthmonitors', { healthmonitor });
    current = reply.status === 201 ? textAt(reply.body, 'healthmonitor.id') : undefined;
    return reply;
  };
  const put = (healthmonitor: Body): Promise<Reply> =>
    cloud.done(id, 'PUT', `healthmonitors/${current ?? ''}`, { healthmonitor });
  return { pool_id, post, put };
}

const poolAttributeCases: CloudCases = {
  'session persistence: who may have which, and what an update leaves of it': async (cloud) => {
    const { post, put } = await pools(cloud);
    const app = { type: 'APP_COOKIE' };
    const refused = async (session_persistence: Body, text: string | RegExp, more = {}): Promise<void> => {
      expectFault(await post({ session_persistence, ...more }), 400, text);
    };
    await refused({}, `${INPUT} type. Value: 'None'. Mandatory field missing.`);
    const types = /^Invalid input for field\/attribute type. Value: 'X'. Value should be one of: /;
    await refused({ type: 'X' }, types);
    const unknown = 'Unknown attribute for argument pool_.pool.session_persistence: nonsense';
    await refused({ type: 'SOURCE_IP', nonsense: 1 }, unknown);
    const pattern =
      /^Invalid input for field\/attribute cookie_name. Value: 'a b'. Value should match the pattern /;
    await refused({ ...app, cookie_name: 'a b' }, pattern);
    await refused({ ...app, cookie_name: 'a=b' }, `${FAILURE} Supplied "cookie_name" is invalid.`);
    const only = 'Field "cookie_name" can only be specified with session persistence of type "APP_COOKIE".';
    await refused({ type: 'HTTP_COOKIE', cookie_name: 'a' }, `${FAILURE} ${only}`);
    const timed = 'persistence_timeout and persistence_granularity is only for UDP and SCTP protocol pools.';
    await refused({ type: 'SOURCE_IP', persistence_timeout: 10 }, `${FAILURE} ${timed}`);
    const http = 'Session persistence of type HTTP_COOKIE is not supported for UDP/SCTP protocol pools.';
    await refused({ type: 'HTTP_COOKIE' }, `${FAILURE} ${http}`, { protocol: 'UDP' });
    const key = 'Field "cookie_name" must be specified when using the "APP_COOKIE" session persistence type.';
    await refused(app, `${FAILURE} ${key}`);
    expect((await post({ protocol: 'TCP', session_persistence: { type: 'HTTP_COOKIE' } })).status).toBe(201);
    const made = await post({ session_persistence: { ...app, cookie_name: 'abc' } });
    const pool = textAt(made.body, 'pool.id');
    const change = async (session_persistence: unknown): Promise<unknown> =>
      at((await put(pool, { session_persistence })).body, 'pool.session_persistence');
    const nothing = { cookie_name: null, persistence_timeout: null, persistence_granularity: null };
    expect(await change({ cookie_name: 'def' })).toEqual({ ...nothing, ...app, cookie_name: 'def' });
    for (const its of [{ type: 'SOURCE_IP' }, {}])
      expect(await change(its)).toEqual({ ...nothing, type: 'SOURCE_IP' });
    const not = async (session_persistence: Body, text: string): Promise<void> => {
      expectFault(await put(pool, { session_persistence }), 400, `${FAILURE} ${text}`);
    };
    await not(app, key);
    await not({ type: 'SOURCE_IP', persistence_timeout: 10 }, timed.replace(' and SCTP', ''));
    expect(await change(null)).toBeNull();
    await not({ cookie_name: 'def' }, 'Invalid session_persistence provided.');
  },
  'TLS to the members: settings filled in where it is on, certificates looked at anyway': async (cloud) => {
    const { post, put } = await pools(cloud);
    const ca = await store.certificateSecret(cloud);
    const on = await post({ tls_enabled: true, ca_tls_container_ref: ca });
    const tls_versions = ['TLSv1.2', 'TLSv1.3'];
    const alpn_protocols = ['h2', 'http/1.1', 'http/1.0'];
    expect(at(on.body, 'pool')).toMatchObject({ ca_tls_container_ref: ca, tls_versions, alpn_protocols });
    const off = at((await post({ tls_versions: ['X'], tls_ciphers: 'Y' })).body, 'pool');
    expect(off).toMatchObject({ tls_enabled: false, tls_versions: ['X'], alpn_protocols: null });
    const refused = refusing(post);
    const gone = store.missing(ca);
    for (const name of ['ca_tls_container_ref', 'tls_container_ref'])
      await refused({ [name]: gone }, `Could not retrieve certificate: ['${gone}']`);
    const invalid = /^Validation failure: The client authentication CA certificate is invalid\. It must be/;
    await refused({ ca_tls_container_ref: await store.keySecret(cloud) }, invalid);
    const crl = `${FAILURE} A CA certificate reference is required to specify a revocation list.`;
    await refused({ crl_container_ref: ca }, crl);
    await refused({ tls_enabled: true, tls_versions: ['X'] }, `${FAILURE} Invalid TLS versions: X`);
    const pool = textAt(off, 'id');
    const none = await put(pool, { tls_versions: null, tls_ciphers: null, alpn_protocols: null });
    expect(at(none.body, 'pool')).toMatchObject({ tls_versions, alpn_protocols: null });
    expectFault(await put(pool, { tls_versions: ['X'] }), 400, `${FAILURE} Invalid TLS versions: X`);
  },
  'weight, backup and monitor address of a member, and what null makes of them': async (cloud) => {
    const { id, post } = await pools(cloud);
    const path = `pools/${textAt((await post({})).body, 'pool.id')}/members`;
    const always = { address: '10.0.0.251', protocol_port: 80 };
    const refused = refusing((member) => cloud.octavia('POST', path, { member }), always);
    await refused({ weight: 257 }, `${INPUT} weight. Value: '257'. Value should be lower or equal to 256`);
    await refused({ weight: -1 }, `${INPUT} weight. Value: '-1'. Value should be greater or equal to 0`);
    const monitor = `${INPUT} monitor_address. Value: 'x'. Value should be IPv4 or IPv6 format`;
    await refused({ monitor_address: 'x' }, monitor);
    const given = { weight: 0, backup: true, monitor_port: 99, monitor_address: '10.0.0.250', tags: ['x'] };
    const made = await cloud.done(id, 'POST', path, { member: { ...always, ...given } });
    expect(at(made.body, 'member')).toMatchObject(given);
    const nulls = Object.fromEntries(Object.keys(given).map((name) => [name, null]));
    const put = await cloud.octavia('PUT', `${path}/${textAt(made.body, 'member.id')}`, { member: nulls });
    const unset = { weight: 1, backup: false, monitor_port: null, monitor_address: null, tags: ['x'] };
    expect(at(put.body, 'member')).toMatchObject(unset);
  },
};

const OLD = 'http_version 1.0 is not a valid option for health monitors HTTP 1.1 domain name health check';

const healthMonitorCases: CloudCases = {
  'types for TCP-like pools; only HTTP and HTTPS get method, path and codes': async (cloud) => {
    const { post, pool_id } = await monitors(cloud, 'TCP');
    for (const type of ['PING', 'TCP', 'TLS-HELLO'])
      expect(at((await post({ type })).body, 'healthmonitor')).toMatchObject({
        ...{ type, http_method: null, url_path: null, expected_codes: null, max_retries_down: 3 },
      });
    for (const body of [{ type: 'HTTPS' }, { type: 'HTTP', delay: 3, timeout: 10 }])
      expect(at((await post(body)).body, 'healthmonitor')).toMatchObject({
        ...{ ...body, http_method: 'GET', url_path: '/', expected_codes: '200', max_retries_down: 3 },
        ...{ http_version: null, domain_name: null, pools: [{ id: pool_id }] },
        provisioning_status: 'PENDING_CREATE',
      });
    const sctp = `${FAILURE} The SCTP type is only supported for pools of type UDP/SCTP.`;
    expectFault(await post({ type: 'SCTP' }), 400, sctp);
    expect((await post({ type: 'TCP', url_path: null })).status).toBe(201);
  },
  'what path, codes, method, version, domain and counts may be': async (cloud) => {
    const { post } = await monitors(cloud, 'HTTP');
    const refused = refusing(post);
    const codes = 'Value should match the pattern ^(\\d{3}(\\s*,\\s*\\d{3})*)$|^(\\d{3}-\\d{3})$';
    for (const expected_codes of ['20', '200-204,301'])
      await refused({ expected_codes }, `${INPUT} expected_codes. Value: '${expected_codes}'. ${codes}`);
    const path = 'Value must be a valid URL Path string';
    for (const url_path of ['x', '/a b'])
      await refused({ url_path }, `${INPUT} url_path. Value: '${url_path}'. ${path}`);
    await refused({ http_method: 'X' }, /http_method. Value: 'X'. Value should be one of: /);
    const versions = `${INPUT} http_version. Value: '2.0'. Value should be one of: 1.0, 1.1`;
    await refused({ http_version: 2 }, versions);
    const domain = `${FAILURE} 'http_version' must be specified when 'domain_name' is provided.`;
    await refused({ domain_name: 'a.test' }, domain);
    await refused({ domain_name: 'a.test', http_version: 1.0 }, OLD);
    const name = /^Invalid input for field\/attribute domain_name/;
    await refused({ domain_name: 'a b', http_version: 1.1 }, name);
    await refused({ max_retries: 11 }, /Value: '11'. Value should be lower or equal to 10$/);
    await refused({ max_retries_down: 0 }, /Value: '0'. Value should be greater or equal to 1$/);
    await refused({ delay: -1 }, /Value: '-1'. Value should be greater or equal to 0$/);
    await refused({ timeout: null }, 'None is not a valid option for timeout');
    const fine = { expected_codes: '200, 201', url_path: '/a?b=c', domain_name: 'a.test' };
    const posted = await post({ ...fine, http_version: '1.1' });
    expect(at(posted.body, 'healthmonitor')).toMatchObject({ ...fine, http_version: 1.1 });
    expect((await post({ type: 'TCP', domain_name: 'a.test', http_version: 1.1 })).status).toBe(201);
  },
  'PUT: an older version of HTTP takes a host away before it, not with it': async (cloud) => {
    const { post, put } = await monitors(cloud, 'HTTP');
    await post({ http_version: 1.1, domain_name: 'a.test' });
    expectFault(await put({ domain_name: null, http_version: 1.0 }), 400, OLD);
    expect(at((await put({ domain_name: null })).body, 'healthmonitor.domain_name')).toBeNull();
    expect(at((await put({ http_version: 1.0 })).body, 'healthmonitor.http_version')).toBe(1);
  },
  'PUT: the type is fixed, null brings defaults back where there are some': async (cloud) => {
    const { post, put } = await monitors(cloud, 'HTTP');
    await post({ url_path: '/x', http_version: 1.1, domain_name: 'a.test', tags: ['t'], name: 'n' });
    const unknown = 'Unknown attribute for argument health_monitor_.healthmonitor:';
    for (const name of ['type', 'pool_id'])
      expectFault(await put({ [name]: 'TCP' }), 400, `${unknown} ${name}`);
    for (const name of ['delay', 'timeout', 'max_retries'])
      expectFault(await put({ [name]: null }), 400, `None is not a valid option for ${name}`);
    const names = ['url_path', 'http_method', 'expected_codes', 'max_retries_down', 'domain_name', 'tags'];
    const nulls = await put(Object.fromEntries(names.map((name) => [name, null])));
    expect(at(nulls.body, 'healthmonitor')).toMatchObject({
      ...{ url_path: '/', http_method: 'GET', expected_codes: '200', max_retries_down: 3 },
      ...{ domain_name: null, tags: ['t'] },
    });
    expect(at((await put({ http_version: null })).body, 'healthmonitor.http_version')).toBeNull();
    await post({ type: 'TCP' });
    const path = 'url_path is not a valid option for health monitors of type TCP';
    expectFault(await put({ url_path: null }), 400, path);
  },
  'UDP: UDP-CONNECT every 3 s at most, and its PUT without a delay as the release has it': async (cloud) => {
    const { post, put } = await monitors(cloud, 'UDP');
    const types = 'UDP-CONNECT/SCTP/TCP/HTTP';
    const ping = `The associated pool protocol is UDP, so only a ${types} health monitor is supported.`;
    expectFault(await post({ type: 'PING' }), 400, `${FAILURE} ${ping}`);
    const slow = 'The request delay value 2 should be larger than 3 for UDP-CONNECT health monitor type.';
    expectFault(await post({ type: 'UDP-CONNECT', delay: 2 }), 400, `${FAILURE} ${slow}`);
    expect((await post({ type: 'HTTP', delay: 2 })).status).toBe(201);
    expect((await post({ type: 'UDP-CONNECT' })).status).toBe(201);
    expectFault(await put({ delay: 2 }), 400, `${FAILURE} ${slow}`);
    const without = await cloud.measured('PUT of a UDP-CONNECT monitor without a delay');
    expectMeasured(await put({ timeout: 4 }), without);
    expect((await put({ timeout: 4, delay: 5 })).status).toBe(200);
  },
};

cloudSuite({
  'attributes of pools and members': poolAttributeCases,
  'health monitors': healthMonitorCases,
  members: memberCases,
});
