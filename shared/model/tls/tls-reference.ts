/** A certificate container or a secret of Barbican, as people and services name it: by id or by address. */
export interface TlsReference {
  readonly id: string;
  /** Undefined for a plain id, which may be either. */
  readonly collection?: 'containers' | 'secrets';
}

const UUID = '[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}';
const ID = new RegExp(`^${UUID}$`, 'i');
const ADDRESS = new RegExp(`^https?://[^\\s/?#]+(/[^\\s?#]*)?/(containers|secrets)/(${UUID})/?$`, 'i');

/** Of an address only kind and id count: where Barbican is, the catalog says (decision 30). */
export function parseTlsReference(text: string): TlsReference | undefined {
  if (ID.test(text)) return { id: text.toLowerCase() };
  const [, , collection, id] = ADDRESS.exec(text) ?? [];
  if (collection === undefined || id === undefined) return undefined;
  return { id: id.toLowerCase(), collection: collection.toLowerCase() as 'containers' | 'secrets' };
}

/** What two ways to name one certificate have in common; a text that names none stands for itself. */
export function identityOf(reference: unknown): unknown {
  if (typeof reference !== 'string') return reference ?? null;
  return parseTlsReference(reference)?.id.replaceAll('-', '') ?? reference;
}
