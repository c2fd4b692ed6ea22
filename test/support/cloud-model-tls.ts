import { createHash } from 'node:crypto';
import { ReconcileError } from '../../shared/model/errors.ts';
import type { Attributes } from '../../shared/model/resources.ts';
import type { CloudModel, Wire } from './cloud-model.ts';

/** Of a listener's attributes those about TLS that a PUT takes (Octavia API 2.26: no HSTS). */
export const LISTENER_TLS = [
  ...['default_tls_container_ref', 'sni_container_refs', 'tls_versions', 'tls_ciphers', 'alpn_protocols'],
  ...['client_authentication', 'client_ca_tls_container_ref', 'client_crl_container_ref'],
];
export const POOL_TLS = [
  'tls_enabled',
  'ca_tls_container_ref',
  'tls_container_ref',
  'tls_versions',
  'tls_ciphers',
];

/** A pool in the create of a whole load balancer, which stumbles over settings of TLS that are not named (500). */
export function checkNestedPool(pool: Attributes): void {
  const named = ['tls_ciphers', 'tls_versions', 'alpn_protocols'].every((name) => name in pool);
  if (pool['tls_enabled'] === true && !named)
    throw new ReconcileError('UNEXPECTED_RESPONSE', "'tls_ciphers'");
}

/** Octavia's own rules, in the order of octavia/api/v2/controllers/listener.py. */
export function checkListenerTls(cloud: CloudModel, attributes: Attributes): void {
  const at = (name: string): unknown => attributes[name] ?? undefined;
  if ('hsts_max_age' in attributes) throw refused('Unknown attribute: hsts_max_age');
  const sni = (at('sni_container_refs') ?? []) as readonly unknown[];
  const certificates = [at('default_tls_container_ref'), ...sni].filter((ref) => ref !== undefined);
  if (attributes['protocol'] !== 'TERMINATED_HTTPS') {
    if (certificates.length > 0) throw refused('Certificate container references are not allowed');
    return;
  }
  if (certificates.length === 0)
    throw refused('An SNI or default certificate container reference must be provided');
  const mode = (at('client_authentication') ?? 'NONE') as string;
  const ca = at('client_ca_tls_container_ref');
  if (attributes['client_authentication'] === null && ca === undefined)
    throw refused('Client authentication setting None requires a client CA container reference');
  if (mode !== 'NONE' && ca === undefined)
    throw refused(`Client authentication ${mode} requires a client CA`);
  if (at('client_crl_container_ref') !== undefined && ca === undefined)
    throw refused('A client authentication CA reference is required');
  retrievable(cloud, [...certificates, ca, at('client_crl_container_ref')]);
  notEmpty(attributes);
}

export function checkPoolTls(cloud: CloudModel, attributes: Attributes): void {
  retrievable(cloud, [attributes['ca_tls_container_ref'], attributes['tls_container_ref']]);
  notEmpty(attributes);
}

/** What it names must be in Barbican, by the name that Barbican gives it. */
function retrievable(cloud: CloudModel, refs: readonly unknown[]): void {
  for (const ref of refs.filter((one) => one !== undefined && one !== null)) {
    const found =
      cloud.all('container').some((one) => one['container_ref'] === ref) ||
      cloud.all('secret').some((one) => one['secret_ref'] === ref);
    if (!found) throw refused(`Could not retrieve certificate: [${JSON.stringify(ref)}]`);
  }
}

function notEmpty(attributes: Attributes): void {
  for (const name of ['tls_versions', 'alpn_protocols']) {
    const value = attributes[name];
    if (Array.isArray(value) && value.length === 0) throw refused(`Empty ${name} list`);
  }
}

/** What Barbican asks of a secret (its API reference, "POST /v1/secrets"). */
export function checkSecret(attributes: Attributes): void {
  const { payload, payload_content_encoding: encoding, payload_content_type: type } = attributes;
  const isPkcs12 = Buffer.from(String(payload), 'base64').subarray(0, 1).toString('hex') === '30';
  if (encoding !== 'base64' || type !== 'application/octet-stream' || !isPkcs12)
    throw refused('no PKCS12 in base64');
}

/** So that the same certificate has the same address in any two worlds. */
export function idByName({ name }: Attributes): string {
  const hash = createHash('sha256').update(String(name)).digest('hex');
  return `eeeeeeee-0000-4000-8000-${hash.slice(0, 12)}`;
}

/** As Barbican shows it: with its own address, without what is in it. */
export function asStored(wire: Wire): Wire {
  delete wire['payload'];
  return Object.assign(wire, { secret_ref: `http://127.0.0.1:9311/v1/secrets/${wire.id}` });
}

/**
 * Octavia 11 would hang for ever on a listener whose certificate is gone (docs/sources/openstack.md, "A certificate
 * that is gone").
 */
export function checkNotNamed(cloud: CloudModel, secret: Wire): void {
  const users = cloud
    .all('listener')
    .filter((one) =>
      [one['default_tls_container_ref'], one['sni_container_refs']].flat().includes(secret['secret_ref']),
    );
  if (users.length > 0) throw refused(`secret ${secret.id} is named by listener ${users[0]?.id ?? ''}`);
}

function refused(message: string): ReconcileError {
  return new ReconcileError('REJECTED', message);
}
