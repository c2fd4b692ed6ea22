/** Each way in which an answer goes wrong, as a rule for the simulators. */
import type { FaultRule } from '../../../infra/sandbox/fault-rules.ts';
import type { Service } from '../../../infra/sandbox/exchange.ts';
import { keyOfPair } from '../../support/tls-secret.ts';

/** What nobody may ever read. */
export const PASSWORD = 'pw-7f3c9e51-of-the-cloud';

export type Fault = (typeof FAULTS)[number];

export const FAULTS = [
  ...(['refused', 'answer lost', '401', '403 quota', '404', '409', '429', '500', '503'] as const),
  ...(['html', 'truncated', 'hang', 'reset', 'drip'] as const),
] as const;

/** A proxy's page, which repeats what was asked. */
const PAGE: Pick<FaultRule, 'headers' | 'body'> = {
  headers: { 'Content-Type': 'text/html' },
  body: `<html><body>Bad gateway. You sent: ${PASSWORD} ${keyOfPair('one')}</body></html>`,
};

type Rule = Omit<FaultRule, 'match'>;
const RULES: Readonly<Partial<Record<Fault, Rule>>> = {
  refused: { kind: 'reset-before' },
  'answer lost': { kind: 'fail-after', status: 504, ...PAGE },
  html: { kind: 'fail-before', status: 200, ...PAGE },
  truncated: { kind: 'truncate' },
  hang: { kind: 'hang' },
  reset: { kind: 'reset-after' },
  drip: { kind: 'drip' },
};

/** The rule for a service, without what it matches. */
export function ruleOf(fault: Fault, service: Service): Rule {
  const status = Number(fault.slice(0, 3));
  const headers = fault === '429' ? { 'Retry-After': '7' } : {};
  return RULES[fault] ?? { kind: 'fail-before', status, headers, body: refusalOf(status, service) };
}

const WORDS: Readonly<Record<number, string>> = {
  401: 'The request you have made requires authentication.',
  403: 'Quota has been met for resources: ["everything"]',
  404: 'What was asked for could not be found.',
  409: 'It is immutable and cannot be updated.',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'The server is currently unable to handle the request',
};

const KUBE_REASONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  429: 'TooManyRequests',
};

/** As this service words a refusal. */
function refusalOf(code: number, service: Service): unknown {
  const message = WORDS[code] ?? '';
  if (service === 'kube') {
    const reason = KUBE_REASONS[code] ?? 'InternalError';
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, message, code };
  }
  if (service === 'octavia') return { faultcode: 'Client', faultstring: message, debuginfo: null };
  if (service === 'neutron') {
    const type = code === 403 ? 'OverQuota' : 'Refused';
    return { NeutronError: { type, message, detail: '' } };
  }
  return { error: { code, message, title: message } };
}
