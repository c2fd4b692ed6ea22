import { ReconcileError, type ErrorCode, type ErrorContext } from '../model/errors.ts';
import { NoAnswer, type HttpAnswer } from './openstack-http.ts';
import { printable } from '../model/text/text.ts';
import { isRecord, stringAt } from '../model/json.ts';

interface Rule {
  readonly status: number;
  readonly type?: string;
  readonly message?: RegExp;
  readonly code: ErrorCode;
}

/** Codes for refusals; the first match counts. Nothing else reads the words of OpenStack. */
// prettier-ignore
const RULES: readonly Rule[] = [
  { status: 400, type: 'ExternalIpAddressExhausted', code: 'ADDRESSES_EXHAUSTED' },
  { status: 400, type: 'RoutesExhausted', code: 'QUOTA_EXCEEDED' },
  { status: 400, code: 'REJECTED' },
  { status: 401, code: 'UNAUTHORIZED' },
  { status: 403, message: /^Quota has been met/, code: 'QUOTA_EXCEEDED' },
  { status: 403, code: 'FORBIDDEN' },
  // what a request names, not what it is about
  { status: 404, type: 'NetworkNotFound', code: 'NOT_FOUND' },
  { status: 404, type: 'SubnetNotFound', code: 'NOT_FOUND' },
  { status: 408, code: 'CLOUD_UNAVAILABLE' },
  { status: 409, message: /is immutable and cannot be updated/, code: 'LOAD_BALANCER_BUSY' },
  { status: 409, message: /^Invalid state ERROR of/, code: 'LOAD_BALANCER_ERROR' },
  { status: 409, message: /^Invalid state /, code: 'LOAD_BALANCER_BUSY' },
  { status: 409, type: 'OverQuota', code: 'QUOTA_EXCEEDED' },
  { status: 409, message: /^No more IP addresses available/, code: 'ADDRESSES_EXHAUSTED' },
  { status: 409, code: 'CONFLICT' },
  { status: 412, code: 'CHANGED_MEANWHILE' },
  { status: 422, code: 'REJECTED' },
  { status: 429, code: 'RATE_LIMITED' },
  // The amphora provider passes on Neutron's refusal of the VIP address as a 500.
  { status: 500, message: /^Provider '.*' reports error: .*(already allocated|not a valid IP|cannot be directly assigned)/, code: 'REJECTED' },
  { status: 501, message: /^Provider '/, code: 'REJECTED' },
];

/** The error for an answer that is no success. `attempted` says what was tried on which object. */
export function refusal(attempted: string, answer: HttpAnswer): ReconcileError {
  const fault = readFault(answer.body);
  const { status, missingRule } = answer;
  const said =
    missingRule === undefined
      ? (fault?.message ?? `HTTP ${status} without a readable message`)
      : `the application credential lacks the access rule ${missingRule}; make one with the rules of infra/openstack/access-rules.json`;
  return new ReconcileError(classify(answer, fault), `${attempted}: ${said}`, {
    ...contextOf(answer),
    ...limitIn(said),
  });
}

/** The number of routes that a router may have (`max_routes` of neutron.conf). No API tells it but this refusal. */
function limitIn(said: string): Pick<ErrorContext, 'limit'> {
  const [, limit] = /The number of routes exceeds the maximum (\d+)/.exec(said) ?? [];
  return limit === undefined ? {} : { limit: Number(limit) };
}

/** The error for a success with another body than the API promises. */
export function unexpected(attempted: string, answer: HttpAnswer, missing: string): ReconcileError {
  const message = `${attempted}: HTTP ${answer.status}, but the answer has no ${missing}`;
  return new ReconcileError('UNEXPECTED_RESPONSE', message, contextOf(answer));
}

/** The error for a request without a whole answer. Other errors are returned as they are. */
export function unreachable(attempted: string, error: unknown): unknown {
  if (!(error instanceof NoAnswer)) return error;
  return new ReconcileError('CLOUD_UNAVAILABLE', `${attempted}: ${error.message}`);
}

function classify(answer: HttpAnswer, fault: Fault | undefined): ErrorCode {
  const { status, body } = answer;
  const matches = (rule: Rule): boolean =>
    rule.status === status &&
    (rule.type === undefined || rule.type === fault?.type) &&
    (rule.message === undefined || rule.message.test(fault?.message ?? ''));
  const rule = RULES.find(matches);
  if (status === 404 && !rule) return saysAbsent(status, body) ? 'GONE' : 'UNEXPECTED_RESPONSE';
  return rule?.code ?? (status >= 500 ? 'CLOUD_UNAVAILABLE' : 'UNEXPECTED_RESPONSE');
}

function contextOf(answer: HttpAnswer): ErrorContext {
  const { status, requestId, retryAfterMs } = answer;
  return {
    status,
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** What a service says about a refusal. */
export interface Fault {
  readonly message: string;
  /** Neutron's exception name, such as OverQuota. */
  readonly type?: string;
}

const LONGEST_MESSAGE = 500;

/**
 * Reads the error body of any service: Octavia `{faultstring}`, Neutron `{NeutronError: {type, message}}`, keystone
 * and keystonemiddleware `{error: {message}}`, Nova `{itemNotFound: {message}}`, pecan `{title, description}`
 * (docs/sources/openstack.md, "Error bodies"). Undefined when the body is none of these.
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
 * Whether a 404 is about the object that was asked for. A 404 from a proxy, or for a wrong path, is not, and
 * must never be taken for "deleted".
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

/** How Nova says that it has no such object (docs/sources/openstack.md, "Error bodies"). */
const NOVA_SAYS = /\b(instance|flavor)\b.*could not be found/i;

/**
 * How Barbican says that it has no such object. Pecan answers an unknown path in the same form, but names no
 * object.
 */
const BARBICAN_SAYS = /\b(secret|container)\b/i;

function oneLine(text: string): string {
  const line = printable(text.replace(/[\s\p{Cc}]+/gu, ' ').trim());
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE - 1)}…`;
}
