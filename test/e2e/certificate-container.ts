import { certificateOf, keyOfPair, type Pair } from '../support/tls-secret.ts';
import type { OpenStack } from './openstack.ts';

export interface StoredContainer {
  /** Its address, as listeners name it. */
  readonly ref: string;
  /** The container and its secrets. */
  remove(): Promise<void>;
}

/** A certificate container, as `openstack secret container create` makes one. */
export async function storeContainer(barbican: OpenStack, pair: Pair): Promise<StoredContainer> {
  const paths: string[] = [];
  const put = async (path: string, body: object): Promise<string> => {
    const answer = await barbican.must<{ secret_ref?: string; container_ref?: string }>(
      'key-manager',
      'POST',
      path,
      body,
    );
    const ref = answer.container_ref ?? answer.secret_ref ?? '';
    paths.push(`${path}/${ref.split('/').at(-1) ?? ''}`);
    return ref;
  };
  const text = (secret_type: string, payload: string): Promise<string> =>
    put('/v1/secrets', { name: `e2e ${pair}`, secret_type, payload, payload_content_type: 'text/plain' });
  const certificate = await text('certificate', certificateOf(pair));
  const key = await text('private', keyOfPair(pair));
  const secret_refs = [
    { name: 'certificate', secret_ref: certificate },
    { name: 'private_key', secret_ref: key },
  ];
  const ref = await put('/v1/containers', { name: `e2e ${pair}`, type: 'certificate', secret_refs });
  return {
    ref,
    async remove() {
      for (const path of paths.toReversed()) await barbican.must('key-manager', 'DELETE', path);
    },
  };
}
