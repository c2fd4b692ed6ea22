/** Certificates that levelset put into Barbican out of Secrets: how they are called, and found again. */
import { createHash } from 'node:crypto';
import type { ClusterIdentity } from '../ownership.ts';
import { TAG_PREFIX } from '../ownership.ts';
import type { ServiceKey } from '../request.ts';
import type { Address } from '../address.ts';

/** A certificate out of one Secret, by what is in it: renewed, it is another one. */
export interface CertificateSource {
  /** Of the Secret, in the namespace of the Service. */
  readonly secret: string;
  readonly fingerprint: string;
}

/** Barbican lists by this attribute of a secret, and does nothing else with it: so one call has all of this cluster. */
export const storedMode = (cluster: ClusterIdentity): string => `${TAG_PREFIX}${cluster.id}`;

/** `levelset/<short id of the cluster>/<namespace>/<Service>/<Secret>/<fingerprint>`, for one Service alone. */
export function storedName(cluster: ClusterIdentity, service: ServiceKey, source: CertificateSource): string {
  const { namespace, name } = service;
  return ['levelset', short(cluster), namespace, name, cut(source.secret), source.fingerprint].join('/');
}

export function storedAddress({ secret, fingerprint }: CertificateSource): Address {
  return `secret/${cut(secret)}/${fingerprint}`;
}

/** Whose it is and what it was made from; undefined for what is not ours. */
export function readStoredName(
  name: unknown,
  cluster: ClusterIdentity,
): { readonly service: ServiceKey; readonly address: Address } | undefined {
  const [mark, id, namespace, service, secret, fingerprint, more] = String(name).split('/');
  if (mark !== 'levelset' || id !== short(cluster) || more !== undefined) return undefined;
  if (!namespace || !service || !secret || !fingerprint) return undefined;
  return { service: { namespace, name: service }, address: storedAddress({ secret, fingerprint }) };
}

function short(cluster: ClusterIdentity): string {
  return hash(cluster.id).slice(0, 12);
}

/** Names in Barbican have 255 characters, of a Secret 253: a long one ends in its hash (decision 31). */
const LONGEST = 60;

function cut(secret: string): string {
  return secret.length <= LONGEST ? secret : `${secret.slice(0, LONGEST - 9)}-${hash(secret).slice(0, 8)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
