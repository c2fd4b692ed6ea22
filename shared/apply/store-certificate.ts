import { ReconcileError } from '../model/errors.ts';
import { toPkcs12 } from '../model/tls/pkcs12.ts';
import type { CreateStep } from '../model/plan.ts';
import type { WireResource } from '../model/resources.ts';
import type { StoredPayload } from '../model/attributes.ts';
import { readTlsSecret } from '../model/tls/tls-secret.ts';
import type { Cloud, Kube } from '../ports.ts';

/**
 * Puts the certificate of a Secret into Barbican. The plan names only the Secret; the key goes nowhere else. What a
 * lost answer made is found by its name, a hash of the contents.
 */
export async function storeCertificate(
  { attributes }: CreateStep,
  { cloud, ...source }: SecretSource & { readonly cloud: Cloud },
): Promise<WireResource> {
  const { payload, ...named } = attributes as Readonly<Record<string, string>> & { payload: StoredPayload };
  const [stored] = await cloud.list('secret', { name: named['name'] ?? '', mode: named['mode'] ?? '' });
  if (stored) return stored;
  const text = await payloadOf(payload, source);
  const encoded = {
    payload: text,
    payload_content_type: 'application/octet-stream',
    payload_content_encoding: 'base64',
  };
  try {
    return { ...named, ...(await cloud.create('secret', { ...named, ...encoded })) };
  } catch (error) {
    throw withoutPayload(error);
  }
}

interface SecretSource {
  readonly kube: Pick<Kube, 'getSecret'>;
}

async function payloadOf({ $secret, fingerprint }: StoredPayload, { kube }: SecretSource): Promise<string> {
  const [namespace = '', name = ''] = $secret.split('/');
  const secret = await kube.getSecret(namespace, name);
  const read = secret && readTlsSecret(secret);
  if (read && 'pair' in read && read.fingerprint === fingerprint)
    return toPkcs12(read.pair).toString('base64');
  throw new ReconcileError('KUBE_CONFLICT', `the Secret ${$secret} changed after the plan was made`);
}

/** The error without Barbican's text, which may quote the payload. */
function withoutPayload(error: unknown): unknown {
  if (!(error instanceof ReconcileError)) return error;
  const { status } = error.context;
  if (status === undefined && error.code === 'CLOUD_UNAVAILABLE') return error;
  const message = `Barbican refused to store a certificate${status === undefined ? '' : ` (HTTP ${status})`}`;
  return new ReconcileError(error.code, message, error.context);
}
