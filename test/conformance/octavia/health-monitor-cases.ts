import { expect } from 'vitest';
import { expectMeasured, expectFault, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, textAt } from '../json-path.ts';

type Body = Record<string, unknown>;

/** A pool and calls that make monitors on it; one that was made is taken off before the next. */
async function monitors(
  cloud: CloudSession,
  protocol: string,
): Promise<{ post: (body: Body) => Promise<Reply>; put: (body: Body) => Promise<Reply> }> {
  const id = await cloud.balancer();
  const pool = { loadbalancer_id: id, protocol, lb_algorithm: 'ROUND_ROBIN' };
  const pool_id = await cloud.child('pools', 'pool', pool);
  await cloud.settled(id);
  let current: string | undefined;
  const settled = async (reply: Reply): Promise<Reply> => {
    if (reply.status < 300) await cloud.settled(id);
    return reply;
  };
  const post = async (body: Body): Promise<Reply> => {
    if (current !== undefined) await settled(await cloud.octavia('DELETE', `healthmonitors/${current}`));
    const healthmonitor = { pool_id, type: 'HTTP', delay: 5, timeout: 3, max_retries: 2, ...body };
    const reply = await settled(await cloud.octavia('POST', 'healthmonitors', { healthmonitor }));
    current = reply.status === 201 ? textAt(reply.body, 'healthmonitor.id') : undefined;
    return reply;
  };
  const put = async (healthmonitor: Body): Promise<Reply> =>
    settled(await cloud.octavia('PUT', `healthmonitors/${current ?? ''}`, { healthmonitor }));
  return { post, put };
}

export const healthMonitorCases: CloudCases = {
  'types for TCP-like pools; only HTTP and HTTPS get method, path and codes': async (cloud) => {
    const { post } = await monitors(cloud, 'TCP');
    for (const type of ['PING', 'TCP', 'TLS-HELLO'])
      expect(at((await post({ type })).body, 'healthmonitor')).toMatchObject({
        ...{ type, http_method: null, url_path: null, expected_codes: null, max_retries_down: 3 },
      });
    expect(at((await post({ type: 'HTTPS' })).body, 'healthmonitor')).toMatchObject({
      ...{ http_method: 'GET', url_path: '/', expected_codes: '200', http_version: null },
    });
    const sctp = 'Validation failure: The SCTP type is only supported for pools of type UDP/SCTP.';
    expectFault(await post({ type: 'SCTP' }), 400, sctp);
    expect((await post({ type: 'TCP', url_path: null })).status).toBe(201);
  },
  'what path, codes, method, version, domain and counts may be': async (cloud) => {
    const { post } = await monitors(cloud, 'HTTP');
    const refused = async (body: Body, text: string | RegExp): Promise<void> => {
      expectFault(await post(body), 400, text);
    };
    const input = 'Invalid input for field/attribute';
    const codes = 'Value should match the pattern ^(\\d{3}(\\s*,\\s*\\d{3})*)$|^(\\d{3}-\\d{3})$';
    for (const expected_codes of ['20', '200-204,301'])
      await refused({ expected_codes }, `${input} expected_codes. Value: '${expected_codes}'. ${codes}`);
    for (const url_path of ['x', '/a b'])
      await refused(
        { url_path },
        `${input} url_path. Value: '${url_path}'. Value must be a valid URL Path string`,
      );
    await refused({ http_method: 'X' }, /http_method. Value: 'X'. Value should be one of: /);
    const version = `${input} http_version. Value: '2.0'. Value should be one of: 1.0, 1.1`;
    await refused({ http_version: 2 }, version);
    const domain = "Validation failure: 'http_version' must be specified when 'domain_name' is provided.";
    await refused({ domain_name: 'a.test' }, domain);
    const old =
      'http_version 1.0 is not a valid option for health monitors HTTP 1.1 domain name health check';
    await refused({ domain_name: 'a.test', http_version: 1.0 }, old);
    await refused(
      { domain_name: 'a b', http_version: 1.1 },
      /^Invalid input for field\/attribute domain_name/,
    );
    await refused({ max_retries: 11 }, /Value: '11'. Value should be lower or equal to 10$/);
    await refused({ max_retries_down: 0 }, /Value: '0'. Value should be greater or equal to 1$/);
    await refused({ delay: -1 }, /Value: '-1'. Value should be greater or equal to 0$/);
    await refused({ timeout: null }, 'None is not a valid option for timeout');
    const fine = {
      expected_codes: '200, 201',
      url_path: '/a?b=c',
      domain_name: 'a.test',
      http_version: '1.1',
    };
    expect(at((await post(fine)).body, 'healthmonitor')).toMatchObject({ ...fine, http_version: 1.1 });
    expect((await post({ type: 'TCP', domain_name: 'a.test', http_version: 1.1 })).status).toBe(201);
  },
  'PUT: an older version of HTTP takes a host away before it, not with it': async (cloud) => {
    const { post, put } = await monitors(cloud, 'HTTP');
    await post({ http_version: 1.1, domain_name: 'a.test' });
    const old =
      'http_version 1.0 is not a valid option for health monitors HTTP 1.1 domain name health check';
    expectFault(await put({ domain_name: null, http_version: 1.0 }), 400, old);
    expect(at((await put({ domain_name: null })).body, 'healthmonitor.domain_name')).toBeNull();
    expect(at((await put({ http_version: 1.0 })).body, 'healthmonitor.http_version')).toBe(1);
  },
  'PUT: the type is fixed, null brings defaults back where there are some': async (cloud) => {
    const { post, put } = await monitors(cloud, 'HTTP');
    await post({ url_path: '/x', http_version: 1.1, domain_name: 'a.test', tags: ['t'], name: 'n' });
    for (const name of ['type', 'pool_id']) {
      const text = `Unknown attribute for argument health_monitor_.healthmonitor: ${name}`;
      expectFault(await put({ [name]: 'TCP' }), 400, text);
    }
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
  'UDP pools: UDP-CONNECT not faster than every 3 s, and a PUT of it without a delay as the release has it':
    async (cloud) => {
      const { post, put } = await monitors(cloud, 'UDP');
      const types = 'UDP-CONNECT/SCTP/TCP/HTTP';
      const ping = `Validation failure: The associated pool protocol is UDP, so only a ${types} health monitor is supported.`;
      expectFault(await post({ type: 'PING' }), 400, ping);
      const slow = 'The request delay value 2 should be larger than 3 for UDP-CONNECT health monitor type.';
      expectFault(await post({ type: 'UDP-CONNECT', delay: 2 }), 400, `Validation failure: ${slow}`);
      expect((await post({ type: 'HTTP', delay: 2 })).status).toBe(201);
      expect((await post({ type: 'UDP-CONNECT' })).status).toBe(201);
      expectFault(await put({ delay: 2 }), 400, `Validation failure: ${slow}`);
      const without = await cloud.measured('PUT of a UDP-CONNECT monitor without a delay');
      expectMeasured(await put({ timeout: 4 }), without);
      expect((await put({ timeout: 4, delay: 5 })).status).toBe(200);
    },
};
