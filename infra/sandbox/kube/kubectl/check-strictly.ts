import { asJson } from '../../json.ts';
import type { KubeCall } from '../kube-access.ts';
import { statusRefusal } from '../kube-refusal.ts';
import { unknownFields } from './unknown-fields.ts';

/** Refuses a write with fields that the API does not have, if it says `fieldValidation=Strict`, as kubectl does. */
export function checkStrictly({ verb, type, query, body }: KubeCall): void {
  if (query.get('fieldValidation') !== 'Strict' || !['create', 'update', 'patch'].includes(verb)) return;
  const unknown = unknownFields(type.kind, asJson(body)).map((field) => `unknown field "${field}"`);
  if (unknown.length === 0) return;
  const error = `strict decoding error: ${unknown.join(', ')}`;
  if (verb === 'patch') {
    const message = `Invalid value: ${JSON.stringify(JSON.stringify(body))}: ${error}`;
    const causes = [{ reason: 'FieldValueInvalid', message, field: 'patch' }];
    throw statusRefusal(422, 'Invalid', ` "" is invalid: patch: ${message}`, { causes });
  }
  const what = `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}`;
  throw statusRefusal(400, 'BadRequest', `${what}: ${error}`);
}
