import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContainer } from '../../infra/sandbox/openstack/barbican/containers.ts';
import { createSecret } from '../../infra/sandbox/openstack/barbican/secrets.ts';
import type { KubeObject, SandboxInside } from '../../infra/sandbox/sandbox.ts';
import type { Secret } from '../../shared/model/kubernetes.ts';
import { ReconcileError } from '../../shared/model/errors.ts';
import { readTlsSecret } from '../../shared/model/tls/tls-secret.ts';
import { toPkcs12 } from '../../shared/model/tls/pkcs12.ts';
import type { RepairRecord, StateStore } from '../../shared/ports.ts';

const FOLDER = join(import.meta.dirname, 'certificates');

/** For tests only: `one` and `two` are of EC keys in PKCS #8, `rsa` is of an RSA key in PKCS #1. */
export type Pair = 'one' | 'two' | 'rsa';

export const certificateOf = (pair: Pair): string => readFileSync(join(FOLDER, `${pair}.crt`), 'utf8');
export const keyOfPair = (pair: Pair): string => readFileSync(join(FOLDER, `${pair}.key`), 'utf8');

/** A Secret as the apiserver stores it; `crt` and `key` take the place of what the pair has. */
export function aTlsSecret(
  pair: Pair,
  { name = 'web-tls', type = 'kubernetes.io/tls', crt = certificateOf(pair), key = keyOfPair(pair) } = {},
): Secret {
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  return {
    metadata: { name, namespace: 'default', uid: `secret-${name}`, resourceVersion: '1' },
    type,
    data: { 'tls.crt': encoded(crt), 'tls.key': encoded(key) },
  };
}

/** That Secret is in the namespace default, or what it has is replaced. */
export function keepTlsSecret(
  { kube }: Pick<SandboxInside, 'kube'>,
  pair: Pair,
  other: Parameters<typeof aTlsSecret>[1] = {},
): KubeObject {
  const { metadata, type, data } = aTlsSecret(pair, other);
  return kube.apply({ kind: 'Secret', metadata: { name: metadata.name }, type, data: { ...data } });
}

/** A pair as Barbican takes it for a certificate: PKCS #12. */
export function asPkcs12(pair: Pair): Readonly<Record<string, string>> {
  const read = readTlsSecret(aTlsSecret(pair));
  return {
    payload: 'pair' in read ? toPkcs12(read.pair).toString('base64') : '',
    payload_content_type: 'application/octet-stream',
    payload_content_encoding: 'base64',
  };
}

/** A container with the certificate and the key of a pair, as users put them into Barbican; its address. */
export function containerOf(pair: Pair, { cloud }: Pick<SandboxInside, 'cloud'>): string {
  const base = 'http://sandbox.invalid/key-manager';
  const user = { projectId: cloud.projectId, userId: '', delegated: false };
  const put = (secret_type: string, payload: string): string =>
    createSecret(cloud, user, { secret_type, payload, payload_content_type: 'text/plain' }, base);
  const secret_refs = [
    { name: 'certificate', secret_ref: put('certificate', certificateOf(pair)) },
    { name: 'private_key', secret_ref: put('private', keyOfPair(pair)) },
  ];
  return createContainer(cloud, user, { type: 'certificate', secret_refs }, base);
}

/** An apiserver that has these Secrets, no record of repairs and of what was settled, and no Node. */
export function secretsOf(secrets: Readonly<Record<string, Secret>>) {
  const noNode = (): Promise<never> =>
    Promise.reject(new ReconcileError('KUBE_CONFLICT', 'there is no Node'));
  const repairs: RepairRecord = {
    load: () => Promise.resolve({ repairs: [], version: undefined }),
    save: () => Promise.resolve(true),
  };
  const none = () => Promise.resolve(undefined);
  const state: StateStore = { load: () => Promise.resolve(new Map()), find: none, save: none };
  return {
    ...{ patchNode: noNode, patchNodeStatus: noNode, deleteNode: noNode, repairs, state, getService: none },
    getSecret: (_namespace: string, name: string) => Promise.resolve(secrets[name]),
  };
}
