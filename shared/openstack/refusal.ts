import { ReconcileError, type ErrorCode, type ErrorContext } from '../model/errors.ts';
import { NoAnswer, type HttpAnswer } from './openstack-http.ts';
import { printable } from '../model/text/text.ts';
import { isRecord, stringAt, withoutUndefined } from '../model/json.ts';

interface Rule {
  readonly status: number;
  readonly type?: string;
  readonly message?: RegExp;
  readonly unless?: string;
  readonly code: ErrorCode;
  readonly hint?: string;
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
  { status: 404, type: 'ExternalGatewayForFloatingIPNotFound', code: 'CONFLICT', hint: 'a router has to join the subnet to the external network' },
  { status: 404, type: 'SecurityGroupNotFound', unless: ' security group', code: 'NOT_FOUND' },
  { status: 404, type: 'QosPolicyNotFound', unless: ' QoS policy', code: 'NOT_FOUND' },
  { status: 408, code: 'CLOUD_UNAVAILABLE' },
  { status: 409, message: /is immutable and cannot be updated/, code: 'LOAD_BALANCER_BUSY' },
  { status: 409, message: /^Invalid state ERROR of/, code: 'LOAD_BALANCER_ERROR' },
  { status: 409, message: /^Invalid state /, code: 'LOAD_BALANCER_BUSY' },
  { status: 409, type: 'OverQuota', code: 'QUOTA_EXCEEDED' },
  { status: 409, message: /^(The VIP IP address is already in use: )?No more IP addresses available/, code: 'ADDRESSES_EXHAUSTED' },
  { status: 409, message: /^The VIP IP address is already in use: Quota exceeded/, code: 'QUOTA_EXCEEDED' },
  { status: 409, message: /^The VIP IP address is already in use/, code: 'REJECTED' },
  { status: 409, code: 'CONFLICT' },
  { status: 412, code: 'CHANGED_MEANWHILE' },
  { status: 413, type: 'overLimit', code: 'RATE_LIMITED' },
  { status: 413, message: /rate.?limit/i, code: 'RATE_LIMITED' },
  { status: 413, code: 'CLOUD_UNAVAILABLE', hint: 'a proxy in front of OpenStack refuses a body of this size' },
  { status: 422, code: 'REJECTED' },
  { status: 429, code: 'RATE_LIMITED' },
  // Providers pass on Neutron's refusal of the VIP port as a 500.
  { status: 500, message: /^Provider '.*' reports error: .*quota/i, code: 'QUOTA_EXCEEDED' },
  { status: 500, message: /^Provider '.*' reports error: .*(no more ip addresses|exhausted|unable to find any ip address)/i, code: 'ADDRESSES_EXHAUSTED' },
  { status: 500, message: /^Provider '.*' reports error: .*(by policy|policy does not allow|forbidden)/i, code: 'FORBIDDEN' },
  { status: 500, message: /^Provider '.*' reports error: .*(already allocated|not a valid IP|cannot be directly assigned|BadRequestException: 400)/, code: 'REJECTED' },
  { status: 501, message: /^Provider '/, code: 'REJECTED' },
];

/** The error for an answer that is no success. `attempted` says what was tried on which object. */
export function refusal(attempted: string, answer: HttpAnswer): ReconcileError {
  const fault = readFault(answer.body);
  const { status, missingRule, page } = answer;
  const words = fault?.message ?? (page && `HTTP ${status}: ${oneLine(page)}`);
  const said =
    missingRule === undefined
      ? (words ?? `HTTP ${status} without a readable message`)
      : `the application credential lacks the access rule ${missingRule}; make one with the rules of infra/openstack/access-rules.json`;
  const context = { ...contextOf(answer), ...limitIn(said) };
  if (status === 403 && !isOfOpenStack(answer))
    return new ReconcileError(
      'CLOUD_UNAVAILABLE',
      `${attempted}: a proxy in front of OpenStack refuses it: ${said}`,
      context,
    );
  const { code, hint } = classify(attempted, answer, fault);
  return new ReconcileError(code, `${attempted}: ${said}${hint === undefined ? '' : `; ${hint}`}`, context);
}

/** Whether a service of OpenStack said it, and no gateway or proxy before it. */
function isOfOpenStack({ requestId, body }: HttpAnswer): boolean {
  if (requestId !== undefined) return true;
  if (!isRecord(body)) return false;
  const hasInner = Object.values(body).some((inner) => stringAt(inner, 'message') !== undefined);
  return hasInner || 'faultstring' in body || 'NeutronError' in body || ('code' in body && 'title' in body);
}

/** The number of routes that a router may have (`max_routes` of neutron.conf). No API tells it but this refusal. */
function limitIn(said: string): Pick<ErrorContext, 'limit'> {
  const [, limit] = /The number of routes exceeds the maximum (\d+)/.exec(said) ?? [];
  return limit === undefined ? {} : { limit: Number(limit) };
}

/** The error for a success with another body than the API promises. */
export function unexpected(attempted: string, answer: HttpAnswer, missing: string): ReconcileError {
  const { status, body, page = '' } = answer;
  const isJson = body !== undefined || status === 204;
  const instead = isJson ? `has no ${missing}` : `is not JSON${page && `, but says: ${oneLine(page)}`}`;
  const message = `${attempted}: HTTP ${status}, but the answer ${instead}`;
  return new ReconcileError('UNEXPECTED_RESPONSE', message, contextOf(answer));
}

/** The error for a request without a whole answer. Other errors are returned as they are. */
export function unreachable(attempted: string, error: unknown): unknown {
  if (!(error instanceof NoAnswer)) return error;
  return error.isTooLong
    ? new ReconcileError('UNEXPECTED_RESPONSE', `${attempted}: ${error.message}`, { isTooLong: true })
    : new ReconcileError('CLOUD_UNAVAILABLE', `${attempted}: ${error.message}`);
}

function classify(
  attempted: string,
  answer: HttpAnswer,
  fault: Fault | undefined,
): Pick<Rule, 'code' | 'hint'> {
  const { status, body } = answer;
  const matches = (rule: Rule): boolean =>
    rule.status === status &&
    (rule.type === undefined || rule.type === fault?.type) &&
    (rule.unless === undefined || !attempted.includes(rule.unless)) &&
    (rule.message === undefined || rule.message.test(fault?.message ?? ''));
  const other = status >= 500 ? 'CLOUD_UNAVAILABLE' : 'UNEXPECTED_RESPONSE';
  return RULES.find(matches) ?? { code: saysAbsent(status, body) ? 'GONE' : other };
}

function contextOf(answer: HttpAnswer): ErrorContext {
  const { status, requestId, retryAfterMs, serverTimeMs } = answer;
  return withoutUndefined({ status, requestId, retryAfterMs, serverTimeMs });
}

interface Fault {
  readonly message: string;
  /** Neutron's exception name, such as OverQuota, or Nova's key, such as overLimit. */
  readonly type?: string;
}

const LONGEST_MESSAGE = 500;

/** Where services and gateways say why, the fullest first. */
const SAYS = 'faultstring message NeutronError description error_msg detail msg title error'.split(' ');

/** Reads the error body of any service (docs/sources/openstack.md, "Error bodies") and of gateways. */
export function readFault(body: unknown): Fault | undefined {
  if (!isRecord(body)) return undefined;
  const [key, inner] = Object.entries(body).find(([, value]) => isRecord(value)) ?? [];
  const places = [inner, body, ...(Array.isArray(body['errors']) ? (body['errors'] as unknown[]) : [])];
  const message = SAYS.flatMap((name) => places.map((place) => stringAt(place, name))).find(
    (text) => text !== undefined && text !== '',
  );
  if (message === undefined) return undefined;
  const type = stringAt(inner, 'type') ?? key;
  return { message: oneLine(message), ...(type === undefined ? {} : { type }) };
}

/** Whether a 404 is about the object that was asked for. That of a proxy, or for a wrong path, must never be taken for "deleted". */
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

/** Pecan answers an unknown path in the same form, but names no object. */
const BARBICAN_SAYS = /\b(secret|container)\b/i;

function oneLine(text: string): string {
  const line = printable(text.replace(/(<br\s*\/?>|[\s\p{Cc}])+/giu, ' ').trim());
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE - 1)}…`;
}
