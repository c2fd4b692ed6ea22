import { expect } from 'vitest';
import { certificate } from '../octavia/certificates.ts';
import type { CloudCases } from '../cloud-case.ts';
import { CloudSession, type Reply } from '../cloud-session.ts';
import { at, listAt } from '../json-path.ts';
import * as store from './secret-store.ts';

const nobody = '00000000-0000-0000-0000-000000000001';
const pathOf = (ref: string): string => ref.slice(ref.indexOf('/v1/') + 4);

function expectRefused(reply: Reply, status: number, description: string): void {
  expect([reply.status, at(reply.body, 'code'), at(reply.body, 'description')]).toEqual([
    ...[status, status, description],
  ]);
}

export const secretCases: CloudCases = {
  'a secret is made with its payload, described without it, listed by name, deleted': async (cloud) => {
    const name = `conformance ${Date.now()}`;
    const body = {
      name,
      secret_type: 'certificate',
      payload: certificate,
      payload_content_type: 'text/plain',
    };
    const made = await cloud.barbican('POST', 'secrets', body);
    const ref = String(at(made.body, 'secret_ref'));
    expect([made.status, made.headers.get('location')]).toEqual([201, ref]);
    expect(ref).toMatch(/\/v1\/secrets\/[0-9a-f-]{36}$/);
    const shown = (await cloud.barbican('GET', pathOf(ref))).body;
    expect(shown).toMatchObject({
      ...{ name, secret_type: 'certificate', status: 'ACTIVE', secret_ref: ref, expiration: null },
      ...{ algorithm: null, bit_length: null, mode: null, content_types: { default: 'text/plain' } },
    });
    const listed = await cloud.barbican('GET', `secrets?name=${encodeURIComponent(name)}`);
    expect([at(listed.body, 'total'), listAt(listed.body, 'secrets')]).toEqual([1, [shown]]);
    const payload = await cloud.barbican('GET', `${pathOf(ref)}/payload`, undefined, {
      Accept: 'text/plain',
    });
    expect([payload.status, payload.body]).toEqual([200, certificate]);
    const json = await cloud.barbican('GET', `${pathOf(ref)}/payload`);
    expectRefused(json, 406, 'Secret payload retrieval issue seen - Wrong payload content-type.');
    expect((await cloud.barbican('DELETE', pathOf(ref))).status).toBe(204);
    expectRefused(await cloud.barbican('GET', pathOf(ref)), 404, 'Secret not found.');
    const odd = await cloud.barbican('GET', `secrets/${nobody}`);
    expectRefused(odd, 404, 'Not Found. Provided secret id is invalid.');
  },
  'a container holds a certificate’s parts by name, and loses what is deleted': async (cloud) => {
    const certificateRef = await store.certificateSecret(cloud);
    const key = await store.keySecret(cloud);
    const ref = await store.container(cloud, { certificate: certificateRef, private_key: key });
    const refused = async (body: Record<string, unknown>, status: number, text: string): Promise<void> => {
      expectRefused(await cloud.barbican('POST', 'containers', { name: 'x', ...body }), status, text);
    };
    const schema = "Provided object does not match schema 'Container':";
    const type = `${schema} 'zz' is not one of ['generic', 'rsa', 'certificate']. Invalid property: 'type'`;
    await refused({ type: 'zz', secret_refs: [] }, 400, type);
    const minimum = `${schema} The minimum required reference name is 'certificate' for Certificate type. Invalid property: 'secret_refs'`;
    const alone = [{ name: 'private_key', secret_ref: key }];
    await refused({ type: 'certificate', secret_refs: alone }, 400, minimum);
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
  'Octavia puts itself on the list of readers of what it is given, and takes itself off never': async (
    cloud,
  ) => {
    const p12 = await store.bundleSecret(cloud);
    const acl = async (): Promise<unknown> => (await cloud.barbican('GET', `${pathOf(p12)}/acl`)).body;
    expect(await acl()).toEqual({ read: { 'project-access': true } });
    const id = await cloud.balancer();
    const tls = { protocol: 'TERMINATED_HTTPS', protocol_port: 443, default_tls_container_ref: p12 };
    const listener = await cloud.child('listeners', 'listener', { loadbalancer_id: id, ...tls });
    await cloud.settled(id);
    expect(at(await acl(), 'read')).toMatchObject({ 'project-access': true });
    expect(listAt(await acl(), 'read.users')).toHaveLength(1);
    await cloud.octavia('DELETE', `listeners/${listener}`);
    await cloud.settled(id);
    expect(listAt(await acl(), 'read.users')).toHaveLength(1);
    expect((await cloud.barbican('DELETE', `${pathOf(p12)}/acl`)).status).toBe(200);
    expect(await acl()).toEqual({ read: { 'project-access': true } });
  },
  'another project’s secret is 403 to see, read and delete, and not in the list': async (cloud) => {
    const ref = await store.certificateSecret(cloud);
    const other = await CloudSession.open(cloud.target, cloud.target.stranger);
    const refused = async (method: string, path: string, what: string): Promise<void> => {
      const text = `${what} attempt not allowed - please review your user/project privileges`;
      expectRefused(await other.barbican(method, path), 403, text);
    };
    await refused('GET', pathOf(ref), 'Secret retrieval');
    await refused('GET', `${pathOf(ref)}/payload`, 'Secret payload retrieval');
    await refused('DELETE', pathOf(ref), 'Secret deletion');
    const listed = await other.barbican('GET', 'secrets?name=conformance');
    expect(listAt(listed.body, 'secrets')).toEqual([]);
  },
};
