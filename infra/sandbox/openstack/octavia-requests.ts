import type { Call } from '../exchange.ts';
import { asJson, type Json } from '../json.ts';
import { octaviaFault, Refusal } from '../refusal.ts';
import { argumentName, type ResourceKind } from './octavia-attributes.ts';
import { checkVersion } from './octavia-versions.ts';

/** The object in a request's body, which has one key with the resource's name. */
export function bodyOf(call: Call, name: ResourceKind, minor: number): Json {
  const body = asJson(call.body);
  const unknown = Object.keys(body).find((key) => key !== name);
  if (unknown !== undefined)
    throw octaviaFault(
      400,
      `Unknown attribute for argument ${argumentName[name].split('.')[0] ?? ''}: ${unknown}`,
    );
  const given = asJson(body[name]);
  checkVersion(minor, name, given);
  return given;
}

export const notFound = (): Error => new Refusal(404, { code: 404, title: 'Not Found', description: '' });
export const notAllowed = (): Error =>
  new Refusal(405, { code: 405, title: 'Method Not Allowed', description: '' });
