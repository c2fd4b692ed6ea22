import { isRecord, stringAt } from './json.ts';

/** An object of Barbican with the id that its own address ends in; of that address nothing else is used (decision 30). */
export function withIdOf(reference: 'secret_ref' | 'container_ref', object: unknown): unknown {
  const id = stringAt(object, reference)?.split('/').at(-1);
  return isRecord(object) && id !== undefined && id !== '' ? { ...object, id } : undefined;
}
