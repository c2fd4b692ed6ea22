import { ReconcileError } from '../model/errors.ts';
import type { ObjectMeta } from '../model/kubernetes.ts';

/** Every object has a uid: what has none is the answer of something else, such as a proxy. */
export function asObject(body: unknown, doing: string): { readonly metadata: ObjectMeta } {
  const { metadata } = (body ?? {}) as { metadata?: Partial<ObjectMeta> };
  if (typeof metadata?.uid === 'string') return body as { readonly metadata: ObjectMeta };
  throw new ReconcileError('UNEXPECTED_RESPONSE', `cannot ${doing}: the answer is no Kubernetes object`);
}
