/** The names of certificates that levelset copies from Secrets into Barbican. It finds them again by these names. */
import { createHash } from 'node:crypto';
import { TAG_PREFIX, type ClusterIdentity } from '../ownership.ts';
import type { ServiceKey } from '../request.ts';
import type { Address } from '../address.ts';

/** The certificate in a Secret. A renewed one has another fingerprint. */
interface CertificateSource {
  readonly secret: string;
  readonly fingerprint: string;
}

/** The attribute `mode`, by which Barbican filters lists. */
export const storedMode = (cluster: ClusterIdentity): string => `${TAG_PREFIX}${cluster.id}`;

/** `levelset/<hash of the cluster>/<namespace>/<Service>/<Secret>/<fingerprint>`: each Service has its own copy. */
export function storedName(cluster: ClusterIdentity, service: ServiceKey, source: CertificateSource): string {
  const { namespace, name } = service;
  return ['levelset', short(cluster), namespace, name, cut(source.secret), source.fingerprint].join('/');
}

export function storedAddress({ secret, fingerprint }: CertificateSource): Address {
  return `secret/${cut(secret)}/${fingerprint}`;
}

/** Undefined for a name that is not this cluster's. */
export function readStoredName(
  name: unknown,
  cluster: ClusterIdentity,
): { readonly service: ServiceKey; readonly address: Address } | undefined {
  const [mark, id, namespace, service, secret, fingerprint, more] = String(name).split('/');
  if (mark !== 'levelset' || id !== short(cluster) || more !== undefined) return undefined;
  if (!namespace || !service || !secret || !fingerprint) return undefined;
  return { service: { namespace, name: service }, address: storedAddress({ secret, fingerprint }) };
}

/** The namespace of the Service for which a certificate is stored, with its cluster if that is another one. */
export function namespaceInStoredName(name: unknown, cluster: ClusterIdentity): string | undefined {
  const [mark, id, namespace, ...rest] = String(name).split('/');
  if (mark !== 'levelset' || id === undefined || namespace === undefined || rest.length !== 3)
    return undefined;
  return id === short(cluster) ? namespace : `${namespace} of cluster ${id}`;
}

function short(cluster: ClusterIdentity): string {
  return hash(cluster.id).slice(0, 12);
}

/** Characters of a Secret's name that fit into 255 with the rest (decision 31). */
const LONGEST = 60;

function cut(secret: string): string {
  return secret.length <= LONGEST ? secret : `${secret.slice(0, LONGEST - 9)}-${hash(secret).slice(0, 8)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
