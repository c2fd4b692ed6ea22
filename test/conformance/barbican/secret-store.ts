import { bundle, certificate, lockedBundle, otherKey, privateKey } from '../octavia/certificates.ts';
import type { CloudSession } from '../cloud-session.ts';
import { textAt } from '../json-path.ts';

const pathOf = (ref: string): string => ref.slice(ref.indexOf('/v1/'));

/** Stores a secret for the length of a case and gives its reference. */
export async function secret(cloud: CloudSession, body: Record<string, unknown>): Promise<string> {
  const reply = await cloud.barbican('POST', 'secrets', body);
  const ref = textAt(reply.body, 'secret_ref');
  cloud.leave('key-manager', pathOf(ref));
  return ref;
}

const pem = (cloud: CloudSession, payload: string, secret_type: string): Promise<string> =>
  secret(cloud, { name: 'conformance', secret_type, payload, payload_content_type: 'text/plain' });

const pkcs12 = (cloud: CloudSession, payload: string): Promise<string> =>
  secret(cloud, {
    ...{ name: 'conformance', secret_type: 'opaque', payload },
    ...{ payload_content_type: 'application/octet-stream', payload_content_encoding: 'base64' },
  });

export async function container(
  cloud: CloudSession,
  refs: Record<string, string>,
  type = 'certificate',
): Promise<string> {
  const secret_refs = Object.entries(refs).map(([name, secret_ref]) => ({ name, secret_ref }));
  const reply = await cloud.barbican('POST', 'containers', { name: 'conformance', type, secret_refs });
  const ref = textAt(reply.body, 'container_ref');
  cloud.leave('key-manager', pathOf(ref));
  return ref;
}

export const certificateSecret = (cloud: CloudSession): Promise<string> =>
  pem(cloud, certificate, 'certificate');
export const keySecret = (cloud: CloudSession): Promise<string> => pem(cloud, privateKey, 'private');
export const otherKeySecret = (cloud: CloudSession): Promise<string> => pem(cloud, otherKey, 'private');
export const bundleSecret = (cloud: CloudSession): Promise<string> => pkcs12(cloud, bundle);
export const lockedSecret = (cloud: CloudSession): Promise<string> => pkcs12(cloud, lockedBundle);

/** The reference of a secret that is not there, at the same place. */
export const missing = (ref: string): string => ref.replace(/[^/]+$/, '00000000-0000-0000-0000-000000000001');
