/** Secrets in Barbican, put there by the user whom levelset is: others could not read them. */
import { onTestFinished } from 'vitest';
import { certificateOf, keyOfPair, type Pair } from '../support/tls-secret.ts';
import { lab } from './environment.ts';
import { OpenStack } from './openstack.ts';

export interface Stored {
  /** Its address, as listeners name it. */
  readonly ref: string;
  /** With what is in it. */
  readonly remove: () => Promise<void>;
}

let session: OpenStack | undefined;
/** levelset's own identity, asking Barbican. */
export function barbican<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<T> {
  session ??= new OpenStack(lab().levelsetCloud);
  return session.must<T>('key-manager', method, path, body);
}

/** PEM, as `openstack secret store` would: a certificate, a private key, or a list of withdrawn ones (`opaque`). */
export async function storeSecret(
  payload: string,
  secret_type: 'certificate' | 'private' | 'opaque',
): Promise<Stored> {
  const body = { name: 'e2e', secret_type, payload, payload_content_type: 'text/plain' };
  const { secret_ref } = await barbican<{ secret_ref: string }>('POST', '/v1/secrets', body);
  return { ref: secret_ref, remove: () => barbican('DELETE', `/v1/secrets/${idOf(secret_ref)}`) };
}

/** A certificate container, as `openstack secret container create` makes one. */
export async function storeContainer(pair: Pair): Promise<Stored> {
  const certificate = await storeSecret(certificateOf(pair), 'certificate');
  const key = await storeSecret(keyOfPair(pair), 'private');
  const secret_refs = [
    { name: 'certificate', secret_ref: certificate.ref },
    { name: 'private_key', secret_ref: key.ref },
  ];
  const body = { name: `e2e ${pair}`, type: 'certificate', secret_refs };
  const { container_ref } = await barbican<{ container_ref: string }>('POST', '/v1/containers', body);
  return {
    ref: container_ref,
    remove: async () => {
      await barbican('DELETE', `/v1/containers/${idOf(container_ref)}`);
      await key.remove();
      await certificate.remove();
    },
  };
}

/** The id at the end of an address. */
export const idOf = (ref: string): string => ref.split('/').at(-1) ?? '';

/** It goes when the test that runs now is over and its Services are gone; its address. */
export function forThisTest({ ref, remove }: Stored): string {
  onTestFinished(remove);
  return ref;
}
