import { expect } from 'vitest';
import { expectFault, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, textAt } from '../json-path.ts';
import * as store from '../barbican/secret-store.ts';

type Body = Record<string, unknown>;
async function pools(cloud: CloudSession): Promise<{
  id: string;
  post: (body: Body) => Promise<Reply>;
  put: (pool: string, body: Body) => Promise<Reply>;
}> {
  const id = await cloud.balancer();
  const settled = async (reply: Reply): Promise<Reply> => {
    if (reply.status < 300) await cloud.settled(id);
    return reply;
  };
  const post = async (body: Body): Promise<Reply> => {
    const pool = { loadbalancer_id: id, protocol: 'HTTP', lb_algorithm: 'ROUND_ROBIN', ...body };
    return settled(await cloud.octavia('POST', 'pools', { pool }));
  };
  const put = async (pool: string, body: Body): Promise<Reply> =>
    settled(await cloud.octavia('PUT', `pools/${pool}`, { pool: body }));
  return { id, post, put };
}

export const poolAttributeCases: CloudCases = {
  'session persistence: who may have which, and what an update leaves of it': async (cloud) => {
    const { post, put } = await pools(cloud);
    const refused = async (
      session_persistence: Body,
      text: string | RegExp,
      more: Body = {},
    ): Promise<void> => {
      expectFault(await post({ session_persistence, ...more }), 400, text);
    };
    await refused({}, "Invalid input for field/attribute type. Value: 'None'. Mandatory field missing.");
    await refused(
      { type: 'X' },
      /^Invalid input for field\/attribute type. Value: 'X'. Value should be one of: /,
    );
    const unknown = 'Unknown attribute for argument pool_.pool.session_persistence: nonsense';
    await refused({ type: 'SOURCE_IP', nonsense: 1 }, unknown);
    const app = { type: 'APP_COOKIE' };
    const pattern =
      /^Invalid input for field\/attribute cookie_name. Value: 'a b'. Value should match the pattern /;
    await refused({ ...app, cookie_name: 'a b' }, pattern);
    await refused({ ...app, cookie_name: 'a=b' }, 'Validation failure: Supplied "cookie_name" is invalid.');
    const only =
      'Validation failure: Field "cookie_name" can only be specified with session persistence of type "APP_COOKIE".';
    await refused({ type: 'HTTP_COOKIE', cookie_name: 'a' }, only);
    const timed =
      'Validation failure: persistence_timeout and persistence_granularity is only for UDP and SCTP protocol pools.';
    await refused({ type: 'SOURCE_IP', persistence_timeout: 10 }, timed);
    const http =
      'Validation failure: Session persistence of type HTTP_COOKIE is not supported for UDP/SCTP protocol pools.';
    await refused({ type: 'HTTP_COOKIE' }, http, { protocol: 'UDP' });
    const tcp = await post({ protocol: 'TCP', session_persistence: { type: 'HTTP_COOKIE' } });
    expect(tcp.status).toBe(201);
    const made = await post({ session_persistence: { ...app, cookie_name: 'abc' } });
    const pool = textAt(made.body, 'pool.id');
    const change = async (session_persistence: unknown): Promise<unknown> =>
      at((await put(pool, { session_persistence })).body, 'pool.session_persistence');
    const nothing = { cookie_name: null, persistence_timeout: null, persistence_granularity: null };
    expect(await change({ cookie_name: 'def' })).toEqual({ ...nothing, ...app, cookie_name: 'def' });
    expect(await change({ type: 'SOURCE_IP' })).toEqual({ ...nothing, type: 'SOURCE_IP' });
    expect(await change({})).toEqual({ ...nothing, type: 'SOURCE_IP' });
    const name =
      'Validation failure: Field "cookie_name" must be specified when using the "APP_COOKIE" session persistence type.';
    expectFault(await put(pool, { session_persistence: app }), 400, name);
    expect(await change(null)).toBeNull();
    const typeless = await put(pool, { session_persistence: { cookie_name: 'def' } });
    expectFault(typeless, 400, 'Validation failure: Invalid session_persistence provided.');
  },
  'TLS to the members: settings filled in where it is on, certificates looked at anyway': async (cloud) => {
    const { post, put } = await pools(cloud);
    const ca = await store.certificateSecret(cloud);
    const on = await post({ tls_enabled: true, ca_tls_container_ref: ca });
    expect(at(on.body, 'pool')).toMatchObject({
      ...{ ca_tls_container_ref: ca, tls_versions: ['TLSv1.2', 'TLSv1.3'] },
      alpn_protocols: ['h2', 'http/1.1', 'http/1.0'],
    });
    const off = await post({ tls_versions: ['X'], tls_ciphers: 'Y' });
    expect(at(off.body, 'pool')).toMatchObject({
      tls_enabled: false,
      tls_versions: ['X'],
      alpn_protocols: null,
    });
    const refused = async (body: Body, text: string | RegExp): Promise<void> => {
      expectFault(await post(body), 400, text);
    };
    const gone = store.missing(ca);
    await refused({ ca_tls_container_ref: gone }, `Could not retrieve certificate: ['${gone}']`);
    await refused({ tls_container_ref: gone }, `Could not retrieve certificate: ['${gone}']`);
    const key = await store.keySecret(cloud);
    await refused(
      { ca_tls_container_ref: key },
      /^Validation failure: The client authentication CA certificate is invalid\. It must be/,
    );
    const crl = 'Validation failure: A CA certificate reference is required to specify a revocation list.';
    await refused({ crl_container_ref: ca }, crl);
    await refused({ tls_enabled: true, tls_versions: ['X'] }, 'Validation failure: Invalid TLS versions: X');
    const pool = textAt(off.body, 'pool.id');
    const none = await put(pool, { tls_versions: null, tls_ciphers: null, alpn_protocols: null });
    expect(at(none.body, 'pool')).toMatchObject({
      tls_versions: ['TLSv1.2', 'TLSv1.3'],
      alpn_protocols: null,
    });
    const wrong = await put(pool, { tls_versions: ['X'] });
    expectFault(wrong, 400, 'Validation failure: Invalid TLS versions: X');
  },
  'weight, backup and monitor address of a member, and what null makes of them': async (cloud) => {
    const { id, post } = await pools(cloud);
    const path = `pools/${textAt((await post({})).body, 'pool.id')}/members`;
    const member = { address: '10.0.0.251', protocol_port: 80 };
    const refused = async (more: Body, text: string): Promise<void> => {
      expectFault(await cloud.octavia('POST', path, { member: { ...member, ...more } }), 400, text);
    };
    const input = 'Invalid input for field/attribute';
    await refused({ weight: 257 }, `${input} weight. Value: '257'. Value should be lower or equal to 256`);
    await refused({ weight: -1 }, `${input} weight. Value: '-1'. Value should be greater or equal to 0`);
    const monitor = `${input} monitor_address. Value: 'x'. Value should be IPv4 or IPv6 format`;
    await refused({ monitor_address: 'x' }, monitor);
    const given = { weight: 0, backup: true, monitor_port: 99, monitor_address: '10.0.0.250', tags: ['x'] };
    const made = await cloud.octavia('POST', path, { member: { ...member, ...given } });
    expect(at(made.body, 'member')).toMatchObject(given);
    await cloud.settled(id);
    const nulls = Object.fromEntries(Object.keys(given).map((name) => [name, null]));
    const put = await cloud.octavia('PUT', `${path}/${textAt(made.body, 'member.id')}`, { member: nulls });
    expect(at(put.body, 'member')).toMatchObject({
      ...{ weight: 1, backup: false, monitor_port: null, monitor_address: null, tags: ['x'] },
    });
  },
};
