import { printable } from '../model/text/printable.ts';
import { isRecord, stringAt } from './json.ts';

/** What a service says of a refusal. */
export interface Fault {
  readonly message: string;
  /** Neutron's exception name, such as OverQuota. */
  readonly type?: string;
}

const LONGEST_MESSAGE = 500;

/**
 * Reads the error body of any service: Octavia `{faultstring}`, Neutron `{NeutronError: {type, message}}`, keystone
 * and keystonemiddleware `{error: {message}}`, Nova `{itemNotFound: {message}}`, pecan `{title, description}`
 * (openstack-lab.md, "Facts for a faithful simulator"). Undefined when the body is none of these.
 */
export function readFault(body: unknown): Fault | undefined {
  if (!isRecord(body)) return undefined;
  const inner = Object.values(body).find(isRecord);
  const candidates = [
    stringAt(body, 'faultstring'),
    stringAt(inner, 'message'),
    stringAt(body, 'NeutronError'),
    stringAt(body, 'description'),
    stringAt(body, 'title'),
  ];
  const message = candidates.find((text) => text !== undefined && text !== '');
  if (message === undefined) return undefined;
  const type = stringAt(inner, 'type');
  return { message: oneLine(message), ...(type === undefined ? {} : { type }) };
}

/**
 * True when a 404 speaks of the object that was asked for. A 404 of a proxy, or of an endpoint with a wrong path, does not:
 * it must never be read as "deleted".
 */
export function saysAbsent(status: number, body: unknown): boolean {
  if (status !== 404 || !isRecord(body)) return false;
  return (
    'faultstring' in body ||
    'NeutronError' in body ||
    NOVA_SAYS.test(stringAt(body['itemNotFound'], 'message') ?? '') ||
    BARBICAN_SAYS.test(stringAt(body, 'description') ?? '')
  );
}

/** Nova names what it has not got (error_404_nova_server.json). */
const NOVA_SAYS = /\b(instance|flavor)\b.*could not be found/i;

/** Pecan answers a path that it does not know in the same form, but names no object (error_404_barbican_secret.json). */
const BARBICAN_SAYS = /\b(secret|container)\b/i;

function oneLine(text: string): string {
  const line = printable(text.replace(/[\s\p{Cc}]+/gu, ' ').trim());
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE - 1)}…`;
}
