/** What a load balancer listens with, and the secrets it shows. */
import { expect } from 'vitest';
import { expectFault, refusing, type Body, type CloudCases } from './cloud-case.ts';
import { CloudSession, type Reply } from './cloud-session.ts';
import { cloudSuite } from './cloud-suite.ts';
import { at, listAt } from './json-path.ts';
import { emptyBalancer, listenerAttributeCases, listenerCases } from './octavia/listener-cases.ts';
import * as store from './barbican/secret-store.ts';

const suiteB = /^TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:.*:ECDHE-RSA-AES128-SHA256$/;

const retrieve = (...refs: string[]): string =>
  `Could not retrieve certificate: [${refs.map((ref) => `'${ref}'`).join(', ')}]`;

/** A load balancer, listeners of which speak TLS; where they are refused their certificate is this. */
async function withTls(cloud: CloudSession) {
  const on = await emptyBalancer(cloud, 'TERMINATED_HTTPS', 441);
  const p12 = await store.bundleSecret(cloud);
  return { ...on, p12, refused: refusing(on.post, { default_tls_container_ref: p12 }) };
}

const listenerTlsCases: CloudCases = {
  'a certificate is an open PKCS12 secret or a container; a default alone, or SNI alone': async (cloud) => {
    const { post, p12 } = await withTls(cloud);
    expect(at((await post({ default_tls_container_ref: p12 })).body, 'listener')).toMatchObject({
      ...{ default_tls_container_ref: p12, sni_container_refs: [], client_authentication: 'NONE' },
      ...{ tls_versions: ['TLSv1.2', 'TLSv1.3'], alpn_protocols: ['h2', 'http/1.1', 'http/1.0'] },
      tls_ciphers: expect.stringMatching(suiteB) as unknown,
    });
    const certificate = await store.certificateSecret(cloud);
    const private_key = await store.keySecret(cloud);
    const both = await store.container(cloud, { certificate, private_key });
    expect((await post({ sni_container_refs: [both] })).status).toBe(201);
  },
  'what is no certificate with its key, or not there, is 400': async (cloud) => {
    const { post, p12, refused } = await withTls(cloud);
    const refusedRef = (default_tls_container_ref: string, text: string | RegExp): Promise<void> =>
      refused({ default_tls_container_ref }, text);
    const unreadable =
      /^The PKCS12 bundle is unreadable\. Please check the PKCS12 bundle validity\. .* Error: /;
    await refusedRef(await store.lockedSecret(cloud), unreadable);
    const certificate = await store.certificateSecret(cloud);
    await refusedRef(certificate, unreadable);
    const private_key = await store.otherKeySecret(cloud);
    const mismatch = await store.container(cloud, { certificate, private_key });
    const generic = await store.container(cloud, { certificate, private_key }, 'generic');
    for (const ref of [mismatch, generic, 'nonsense']) await refusedRef(ref, retrieve(ref));
    const gone = store.missing(p12);
    const two = { default_tls_container_ref: gone, sni_container_refs: [p12, `${gone}1`] };
    expectFault(await post(two), 400, retrieve(`${gone}1`, gone));
  },
  'TLS settings where TLS ends, and where it does not': async (cloud) => {
    const { post, p12, refused } = await withTls(cloud);
    const tls = 'Certificate container references are not allowed on HTTP protocol listeners.';
    await refused({ protocol: 'HTTP' }, `Validation failure: ${tls}`);
    await refused({ protocol: 'UDP' }, 'Validation failure: UDP protocol listener does not support TLS.');
    await refused({ tls_versions: ['TLSv9', 'X'] }, 'Validation failure: Invalid TLS versions: TLSv9, X');
    await refused({ tls_versions: [] }, /^Validation failure: Empty TLS version list\. Either specify/);
    await refused({ alpn_protocols: [] }, /^Validation failure: Empty ALPN protocol list\. Either specify/);
    const alpn = "alpn_protocols. Value: '['spdy']'. Value should be a valid ALPN protocol ID";
    await refused({ alpn_protocols: ['spdy'] }, `Invalid input for field/attribute ${alpn}`);
    await refused({ tls_ciphers: 'A;B' }, /^Validation failure: Invalid characters in cipher string\. Only/);
    const unused = { tls_versions: ['nonsense'], tls_ciphers: 'X' };
    const plain = await post({ protocol: 'HTTP', ...unused });
    expect(at(plain.body, 'listener')).toMatchObject({ ...unused, alpn_protocols: null });
    const prometheus = await post({ protocol: 'PROMETHEUS', default_tls_container_ref: p12 });
    expect(at(prometheus.body, 'listener')).toMatchObject({ tls_versions: null });
  },
  'client certificates: a CA in PEM, which needs a certificate of the listener’s own': async (cloud) => {
    const { post, put, p12, refused } = await withTls(cloud);
    const ca = await store.certificateSecret(cloud);
    const auth = 'Client authentication setting MANDATORY requires a client CA container reference.';
    await refused({ client_authentication: 'MANDATORY' }, `Validation failure: ${auth}`);
    const alone = { protocol: 'HTTP', default_tls_container_ref: null, client_ca_tls_container_ref: ca };
    const needed =
      'An SNI or default certificate container reference must be provided with a client CA container reference.';
    await refused(alone, `Validation failure: ${needed}`);
    const crl =
      'A client authentication CA reference is required to specify a client authentication revocation list.';
    await refused({ client_crl_container_ref: ca }, `Validation failure: ${crl}`);
    const on = { client_authentication: 'MANDATORY', client_ca_tls_container_ref: ca };
    const gone = store.missing(ca);
    await refused({ ...on, client_ca_tls_container_ref: gone }, retrieve(gone));
    const key = { ...on, client_ca_tls_container_ref: await store.keySecret(cloud) };
    const what = 'Validation failure: The client authentication';
    await refused(key, new RegExp(`^${what} CA certificate is invalid\\. It must be`));
    const list = new RegExp(`^${what} certificate revocation list is invalid\\. It must be`);
    await refused({ ...on, client_crl_container_ref: ca }, list);
    const made = at((await post({ default_tls_container_ref: p12, ...on })).body, 'listener');
    expect(made).toMatchObject(on);
    const off = await put(made, { client_ca_tls_container_ref: null });
    expect(at(off.body, 'listener.client_ca_tls_container_ref')).toBeNull();
  },
  'PUT: an unknown certificate is refused, none at all is not': async (cloud) => {
    const { post, put, p12 } = await withTls(cloud);
    const listener = at((await post({ default_tls_container_ref: p12 })).body, 'listener');
    const gone = store.missing(p12);
    expectFault(await put(listener, { default_tls_container_ref: gone }), 400, retrieve(gone));
    const sni = await put(listener, { sni_container_refs: [p12] });
    expect(at(sni.body, 'listener.sni_container_refs')).toEqual([p12]);
    const none = await put(listener, { default_tls_container_ref: null, sni_container_refs: null });
    const without = { default_tls_container_ref: null, sni_container_refs: [] };
    expect(at(none.body, 'listener')).toMatchObject(without);
  },
  'a certificate that is deleted before its listener: ERROR, and a delete that never ends': {
    sandboxOnly: 'it wedges a real load balancer until an administrator repairs the database',
    run: async (cloud) => {
      const { id, post, p12 } = await withTls(cloud);
      const made = at((await post({ default_tls_container_ref: p12 })).body, 'listener');
      await cloud.barbican('DELETE', pathOf(p12));
      const path = `listeners/${String(at(made, 'id'))}`;
      expect((await cloud.octavia('DELETE', path)).status).toBe(204);
      expect(at(await cloud.settled(id), 'provisioning_status')).toBe('ERROR');
      expect(at(await cloud.shown(path), 'provisioning_status')).toBe('ACTIVE');
      expect((await cloud.octavia('DELETE', `loadbalancers/${id}?cascade=true`)).status).toBe(204);
      for (let look = 0; look < 3; look += 1) {
        cloud.target.hurry();
        expect(at(await cloud.shown(`loadbalancers/${id}`), 'provisioning_status')).toBe('PENDING_DELETE');
      }
      cloud.forget(id);
    },
  },
};

const nobody = '00000000-0000-0000-0000-000000000001';
const pathOf = (ref: string): string => ref.slice(ref.indexOf('/v1/') + 4);

function expectRefused({ status, body }: Reply, code: number, text: string): void {
  expect([status, at(body, 'code'), at(body, 'description')]).toEqual([code, code, text]);
}

const secretCases: CloudCases = {
  'a secret is made with its payload, described without it, listed by name, deleted': async (cloud) => {
    const name = `conformance ${Date.now()}`;
    const described = { name, secret_type: 'certificate' };
    const payload = { payload: store.certificate, payload_content_type: 'text/plain' };
    const made = await cloud.barbican('POST', 'secrets', { ...described, ...payload });
    const ref = String(at(made.body, 'secret_ref'));
    expect([made.status, made.headers.get('location')]).toEqual([201, ref]);
    expect(ref).toMatch(/\/v1\/secrets\/[0-9a-f-]{36}$/);
    const shown = (await cloud.barbican('GET', pathOf(ref))).body;
    expect(shown).toMatchObject({
      ...{ ...described, status: 'ACTIVE', secret_ref: ref, expiration: null },
      ...{ algorithm: null, bit_length: null, mode: null, content_types: { default: 'text/plain' } },
    });
    const listed = await cloud.barbican('GET', `secrets?name=${encodeURIComponent(name)}`);
    expect([at(listed.body, 'total'), listAt(listed.body, 'secrets')]).toEqual([1, [shown]]);
    const path = `${pathOf(ref)}/payload`;
    const read = await cloud.barbican('GET', path, undefined, { Accept: 'text/plain' });
    expect([read.status, read.body]).toEqual([200, store.certificate]);
    const type = 'Secret payload retrieval issue seen - Wrong payload content-type.';
    expectRefused(await cloud.barbican('GET', path), 406, type);
    expect((await cloud.barbican('DELETE', pathOf(ref))).status).toBe(204);
    expectRefused(await cloud.barbican('GET', pathOf(ref)), 404, 'Secret not found.');
    const odd = await cloud.barbican('GET', `secrets/${nobody}`);
    expectRefused(odd, 404, 'Not Found. Provided secret id is invalid.');
  },
  'a container holds a certificate’s parts by name, and loses what is deleted': async (cloud) => {
    const certificate = await store.certificateSecret(cloud);
    const key = await store.keySecret(cloud);
    const ref = await store.container(cloud, { certificate, private_key: key });
    const refused = async (body: Body, status: number, text: string): Promise<void> => {
      expectRefused(await cloud.barbican('POST', 'containers', { name: 'x', ...body }), status, text);
    };
    const schema = "Provided object does not match schema 'Container':";
    const type = "'zz' is not one of ['generic', 'rsa', 'certificate']. Invalid property: 'type'";
    await refused({ type: 'zz', secret_refs: [] }, 400, `${schema} ${type}`);
    const minimum =
      "The minimum required reference name is 'certificate' for Certificate type. Invalid property: 'secret_refs'";
    const alone = [{ name: 'private_key', secret_ref: key }];
    await refused({ type: 'certificate', secret_refs: alone }, 400, `${schema} ${minimum}`);
    const gone = [{ name: 'a', secret_ref: store.missing(key) }];
    await refused({ type: 'generic', secret_refs: gone }, 404, "Secret provided for 'a' doesn't exist.");
    const shown = async (): Promise<unknown[]> =>
      listAt((await cloud.barbican('GET', pathOf(ref))).body, 'secret_refs').map((one) => at(one, 'name'));
    expect((await shown()).sort()).toEqual(['certificate', 'private_key']);
    expect((await cloud.barbican('DELETE', pathOf(key))).status).toBe(204);
    expect(await shown()).toEqual(['certificate']);
    const unknown = await cloud.barbican('GET', `containers/${nobody}`);
    expectRefused(unknown, 404, 'Not Found. Provided container id is invalid.');
  },
  'Octavia puts itself on the list of readers of what it gets, and never off again': async (cloud) => {
    const { id, post, p12 } = await withTls(cloud);
    const path = `${pathOf(p12)}/acl`;
    const acl = async (): Promise<unknown> => (await cloud.barbican('GET', path)).body;
    expect(await acl()).toEqual({ read: { 'project-access': true } });
    const made = await post({ protocol_port: 443, default_tls_container_ref: p12 });
    expect(at(await acl(), 'read')).toMatchObject({ 'project-access': true });
    expect(listAt(await acl(), 'read.users')).toHaveLength(1);
    await cloud.done(id, 'DELETE', `listeners/${String(at(made.body, 'listener.id'))}`);
    expect(listAt(await acl(), 'read.users')).toHaveLength(1);
    expect((await cloud.barbican('DELETE', path)).status).toBe(200);
    expect(await acl()).toEqual({ read: { 'project-access': true } });
  },
  'another project’s secret is 403 to see, read and delete, and not in the list': async (cloud) => {
    const path = pathOf(await store.certificateSecret(cloud));
    const other = await CloudSession.open(cloud.target, cloud.target.stranger);
    for (const [method, of, what] of [
      ['GET', path, 'Secret retrieval'],
      ['GET', `${path}/payload`, 'Secret payload retrieval'],
      ['DELETE', path, 'Secret deletion'],
    ] as const) {
      const text = `${what} attempt not allowed - please review your user/project privileges`;
      expectRefused(await other.barbican(method, of), 403, text);
    }
    expect(listAt((await other.barbican('GET', 'secrets?name=conformance')).body, 'secrets')).toEqual([]);
  },
};

cloudSuite({
  'listeners, pools and monitors': listenerCases,
  'attributes of listeners': listenerAttributeCases,
  'TLS of listeners': listenerTlsCases,
  secrets: secretCases,
});
