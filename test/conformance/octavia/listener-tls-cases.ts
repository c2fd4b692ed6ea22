import { expect } from 'vitest';
import { expectFault, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at } from '../json-path.ts';
import * as store from '../barbican/secret-store.ts';

type Body = Record<string, unknown>;

/** A load balancer and calls that make and change listeners on it, one port after the other. */
async function balancer(cloud: CloudSession): Promise<{
  id: string;
  post: (body: Body) => Promise<Reply>;
  put: (listener: unknown, body: Body) => Promise<Reply>;
}> {
  const id = await cloud.balancer();
  let port = 440;
  const post = async (body: Body): Promise<Reply> => {
    port += 1;
    const listener = { loadbalancer_id: id, protocol: 'TERMINATED_HTTPS', protocol_port: port, ...body };
    const reply = await cloud.octavia('POST', 'listeners', { listener });
    if (reply.status === 201) await cloud.settled(id);
    return reply;
  };
  const put = async (listener: unknown, body: Body): Promise<Reply> => {
    const reply = await cloud.octavia('PUT', `listeners/${String(at(listener, 'id'))}`, { listener: body });
    if (reply.status === 200) await cloud.settled(id);
    return reply;
  };
  return { id, post, put };
}

const suiteB = /^TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:.*:ECDHE-RSA-AES128-SHA256$/;

export const listenerTlsCases: CloudCases = {
  'a certificate is a PKCS12 secret without pass phrase or a container; a default alone, or SNI alone':
    async (cloud) => {
      const { post } = await balancer(cloud);
      const p12 = await store.bundleSecret(cloud);
      const made = at((await post({ default_tls_container_ref: p12 })).body, 'listener');
      expect(made).toMatchObject({
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
    const { post } = await balancer(cloud);
    const refused = async (ref: string, text: string | RegExp): Promise<void> => {
      expectFault(await post({ default_tls_container_ref: ref }), 400, text);
    };
    const unreadable =
      /^The PKCS12 bundle is unreadable\. Please check the PKCS12 bundle validity\. .* Error: /;
    await refused(await store.lockedSecret(cloud), unreadable);
    const certificate = await store.certificateSecret(cloud);
    await refused(certificate, unreadable);
    const retrieve = (...refs: string[]): string =>
      `Could not retrieve certificate: [${refs.map((ref) => `'${ref}'`).join(', ')}]`;
    const private_key = await store.otherKeySecret(cloud);
    const mismatch = await store.container(cloud, { certificate, private_key });
    await refused(mismatch, retrieve(mismatch));
    const generic = await store.container(cloud, { certificate, private_key }, 'generic');
    await refused(generic, retrieve(generic));
    await refused('nonsense', retrieve('nonsense'));
    const p12 = await store.bundleSecret(cloud);
    const gone = store.missing(p12);
    const two = { default_tls_container_ref: gone, sni_container_refs: [p12, `${gone}1`] };
    expectFault(await post(two), 400, retrieve(`${gone}1`, gone));
  },
  'TLS settings where TLS ends, and where it does not': async (cloud) => {
    const { post } = await balancer(cloud);
    const p12 = await store.bundleSecret(cloud);
    const refused = async (body: Body, text: string | RegExp): Promise<void> => {
      expectFault(await post({ default_tls_container_ref: p12, ...body }), 400, text);
    };
    const tls =
      'Validation failure: Certificate container references are not allowed on HTTP protocol listeners.';
    await refused({ protocol: 'HTTP' }, tls);
    await refused({ protocol: 'UDP' }, 'Validation failure: UDP protocol listener does not support TLS.');
    const versions = 'Validation failure: Invalid TLS versions: TLSv9, X';
    await refused({ tls_versions: ['TLSv9', 'X'] }, versions);
    await refused({ tls_versions: [] }, /^Validation failure: Empty TLS version list\. Either specify/);
    await refused({ alpn_protocols: [] }, /^Validation failure: Empty ALPN protocol list\. Either specify/);
    const alpn =
      "Invalid input for field/attribute alpn_protocols. Value: '['spdy']'. Value should be a valid ALPN protocol ID";
    await refused({ alpn_protocols: ['spdy'] }, alpn);
    await refused({ tls_ciphers: 'A;B' }, /^Validation failure: Invalid characters in cipher string\. Only/);
    const unused = { protocol: 'HTTP', tls_versions: ['nonsense'], tls_ciphers: 'X' };
    expect(at((await post(unused)).body, 'listener')).toMatchObject({
      ...{ tls_versions: ['nonsense'], tls_ciphers: 'X', alpn_protocols: null },
    });
    const prometheus = { protocol: 'PROMETHEUS', default_tls_container_ref: p12 };
    expect(at((await post(prometheus)).body, 'listener')).toMatchObject({ tls_versions: null });
  },
  'client certificates: a CA in PEM, which needs a certificate of the listener’s own': async (cloud) => {
    const { post, put } = await balancer(cloud);
    const p12 = await store.bundleSecret(cloud);
    const ca = await store.certificateSecret(cloud);
    const refused = async (body: Body, text: string | RegExp): Promise<void> => {
      expectFault(await post({ default_tls_container_ref: p12, ...body }), 400, text);
    };
    const auth =
      'Validation failure: Client authentication setting MANDATORY requires a client CA container reference.';
    await refused({ client_authentication: 'MANDATORY' }, auth);
    const alone = { protocol: 'HTTP', default_tls_container_ref: null, client_ca_tls_container_ref: ca };
    const needed =
      'Validation failure: An SNI or default certificate container reference must be provided with a client CA container reference.';
    await refused(alone, needed);
    const crl =
      'Validation failure: A client authentication CA reference is required to specify a client authentication revocation list.';
    await refused({ client_crl_container_ref: ca }, crl);
    const on = { client_authentication: 'MANDATORY', client_ca_tls_container_ref: ca };
    const gone = store.missing(ca);
    const lost = { ...on, client_ca_tls_container_ref: gone };
    await refused(lost, `Could not retrieve certificate: ['${gone}']`);
    const key = { ...on, client_ca_tls_container_ref: await store.keySecret(cloud) };
    await refused(
      key,
      /^Validation failure: The client authentication CA certificate is invalid\. It must be/,
    );
    await refused(
      { ...on, client_crl_container_ref: ca },
      /^Validation failure: The client authentication certificate revocation list is invalid\. It must be/,
    );
    const made = await post({ default_tls_container_ref: p12, ...on });
    expect(at(made.body, 'listener')).toMatchObject(on);
    const off = await put(at(made.body, 'listener'), { client_ca_tls_container_ref: null });
    expect(at(off.body, 'listener.client_ca_tls_container_ref')).toBeNull();
  },
  'PUT: an unknown certificate is refused, none at all is not': async (cloud) => {
    const { post, put } = await balancer(cloud);
    const p12 = await store.bundleSecret(cloud);
    const listener = at((await post({ default_tls_container_ref: p12 })).body, 'listener');
    const gone = store.missing(p12);
    const text = `Could not retrieve certificate: ['${gone}']`;
    expectFault(await put(listener, { default_tls_container_ref: gone }), 400, text);
    const sni = await put(listener, { sni_container_refs: [p12] });
    expect(at(sni.body, 'listener.sni_container_refs')).toEqual([p12]);
    const none = await put(listener, { default_tls_container_ref: null, sni_container_refs: null });
    expect(at(none.body, 'listener')).toMatchObject({
      ...{ default_tls_container_ref: null, sni_container_refs: [] },
    });
  },
  'a certificate that is deleted before its listener: ERROR, and a delete that never ends': {
    sandboxOnly: 'it wedges a real load balancer until an administrator repairs the database',
    run: async (cloud) => {
      const { id, post } = await balancer(cloud);
      const p12 = await store.bundleSecret(cloud);
      const made = at((await post({ default_tls_container_ref: p12 })).body, 'listener');
      await cloud.barbican('DELETE', p12.slice(p12.indexOf('/v1/') + 4));
      const path = `listeners/${String(at(made, 'id'))}`;
      expect((await cloud.octavia('DELETE', path)).status).toBe(204);
      expect(at(await cloud.settled(id), 'provisioning_status')).toBe('ERROR');
      expect(at((await cloud.octavia('GET', path)).body, 'listener.provisioning_status')).toBe('ACTIVE');
      expect((await cloud.octavia('DELETE', `loadbalancers/${id}?cascade=true`)).status).toBe(204);
      for (let look = 0; look < 3; look += 1) {
        cloud.target.hurry();
        const lb = await cloud.octavia('GET', `loadbalancers/${id}`);
        expect(at(lb.body, 'loadbalancer.provisioning_status')).toBe('PENDING_DELETE');
      }
      cloud.forget(id);
    },
  },
};
