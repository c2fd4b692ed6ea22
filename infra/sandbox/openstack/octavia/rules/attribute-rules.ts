import { networkOf } from '../../ip-network.ts';

/** What wsme checks of one attribute (octavia/api/v2/types), and what Octavia fills in. */
export interface AttributeRule {
  readonly kind: 'text' | 'flag' | 'number' | 'uuid' | 'address' | 'list' | 'map' | 'object' | 'objects';
  /** The value that an attribute has if a create leaves it out, or an update sets it to null. */
  readonly fallback?: unknown;
  /** The value that null in an update leaves behind, if that is not `fallback`. */
  readonly cleared?: unknown;
  /** Null in an update changes nothing. */
  readonly keep?: boolean;
  /** Null in an update reaches the database, which refuses it: 500 (tried on the lab). */
  readonly notNull?: boolean;
  readonly createOnly?: boolean;
  readonly required?: boolean;
  readonly oneOf?: readonly (string | number)[];
  /** Numbers are shown with a digit after the point, as Python shows a float. */
  readonly decimal?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly least?: number;
  readonly most?: number;
  readonly pattern?: RegExp;
  /** A check of the value, or of every element of a list, with the text of its refusal. */
  readonly must?: { readonly be: (value: string) => boolean; readonly say: string };
}

export const once = (rule: AttributeRule): AttributeRule => ({ ...rule, createOnly: true });
export const mandatory = (rule: AttributeRule): AttributeRule => ({ ...rule, required: true });
export const text = (fallback: string | null, most = 255): AttributeRule => ({
  kind: 'text',
  fallback,
  most,
});
export const flag = (fallback: boolean): AttributeRule => ({ kind: 'flag', fallback, cleared: false });
export const number = (fallback: number | null, min?: number, max?: number): AttributeRule => ({
  kind: 'number',
  fallback,
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
});
export const choice = (...oneOf: (string | number)[]): AttributeRule => ({
  kind: typeof oneOf[0] === 'number' ? 'number' : 'text',
  oneOf,
  fallback: null,
});
export const list = (fallback: [] | null, most?: number): AttributeRule => ({
  kind: 'list',
  fallback,
  ...(most === undefined ? {} : { most }),
});
export const uuid: AttributeRule = { kind: 'uuid', fallback: null };
export const address: AttributeRule = { kind: 'address', fallback: null };
export const port = number(null, 1, 65535);
export const objects: AttributeRule = once({ kind: 'objects', fallback: [] });

export const tags: AttributeRule = list([], 255);
/** Null in an update leaves these tags: octavia/db/repositories.py, `update`, skips them (tried on the lab). */
export const keptTags: AttributeRule = { ...tags, keep: true };
export const owner = { project_id: once(text(null, 36)) };

export const cidrs: AttributeRule = {
  ...list(null),
  must: { be: (value) => networkOf(value) !== undefined, say: 'Value should be IPv4 or IPv6 CIDR format' },
};
export const alpnProtocols: AttributeRule = {
  ...list(null),
  must: {
    be: (value) => ['h2', 'http/1.1', 'http/1.0'].includes(value),
    say: 'Value should be a valid ALPN protocol ID',
  },
};
export const url: AttributeRule = {
  ...text(null, Infinity),
  must: {
    be: (value) => /^https?:\/\/[^\s/?#]+[^\s]*$/.test(value),
    say: 'Value must be a valid URL string',
  },
};
export const urlPath: AttributeRule = {
  ...text(null, Infinity),
  must: { be: (value) => /^\/[^\s]*$/.test(value), say: 'Value must be a valid URL Path string' },
};
