import type { Json } from '../../json.ts';
import { Refusal } from '../../refusal.ts';
import type { Secret, SecretContainer } from './objects.ts';

const titles: Record<number, string> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  413: 'Request Entity Too Large',
};

export const barbicanError = (code: number, description: string | null): Refusal =>
  new Refusal(code, { code, title: titles[code] ?? '', description });

/** A body that Barbican's schema refuses, with the property it blames. */
export const schemaError = (schema: string, reason: string, property: string): Refusal =>
  barbicanError(
    400,
    `Provided object does not match schema '${schema}': ${reason}. Invalid property: '${property}'`,
  );

export const secretRef = (base: string, id: string): string => `${base}/v1/secrets/${id}`;
export const containerRef = (base: string, id: string): string => `${base}/v1/containers/${id}`;

/** A secret without its payload, which has a path of its own. */
export function secretView(secret: Secret, base: string): Json {
  const { created, updated, name, secret_type, expiration, algorithm, bit_length, mode, creator_id } = secret;
  const content = secret.content_type === null ? {} : { content_types: { default: secret.content_type } };
  return {
    ...{ created, updated, status: 'ACTIVE', name, secret_type, expiration },
    ...{ algorithm, bit_length, mode, creator_id, ...content },
    secret_ref: secretRef(base, secret.id),
  };
}

export function containerView(container: SecretContainer): Json {
  const { created, updated, name, type, creator_id, secret_refs, container_ref } = container;
  const known = { created, updated, status: 'ACTIVE', name, type, creator_id };
  return { ...known, secret_refs, consumers: [], container_ref };
}
