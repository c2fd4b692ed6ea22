import { Logger } from '@aws-lambda-powertools/logger';
import type { Report } from '../shared/model/outcome.ts';
import type { Plan } from '../shared/model/plan.ts';
import { printable } from '../shared/model/text/text.ts';
import { noteOfStep } from '../shared/plan/render-plan.ts';
import type { Attributes } from '../shared/model/resources.ts';
import type { Log } from '../shared/ports.ts';
import type { Sweep } from '../shared/sweep.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Keys that Powertools keeps for itself. It would drop such a field, with a warning on every line. */
const RESERVED: Readonly<Record<string, string>> = {
  level: 'field_level',
  message: 'field_message',
  sampling_rate: 'field_sampling_rate',
  service: 'field_service',
  timestamp: 'field_timestamp',
};

const SECRET = /token|secret|passw|authorization|credential|private.?key/i;

/** JSON lines, debug and info to stdout, others to stderr. `level`: else POWERTOOLS_LOG_LEVEL, or info. `always`: fields of every line. */
export function createLog(level?: LogLevel, always: () => Attributes = () => ({})): Log {
  const logger = new Logger({
    ...{ serviceName: 'levelset', jsonReplacerFn: redactField },
    ...(level !== undefined && { logLevel: level }),
  });
  const all = (fields: Attributes): Attributes => ({ ...always(), ...withoutReserved(fields) });
  return logThrough((level, message, fields) => {
    logger[level](message, all(fields));
  });
}

export function logThrough(write: (level: keyof Log, message: string, fields: Attributes) => void): Log {
  const at =
    (level: keyof Log): Log['info'] =>
    (message, fields = {}) => {
      write(level, message, fields);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export function reconcileLine(report: Report, renderShort: (plan: Plan) => string): Attributes {
  const { request, outcome, plan } = report;
  return {
    cluster: request.cluster,
    object: request.key,
    trigger: request.trigger,
    cause: request.cause,
    dry_run: request.dryRun === true ? true : undefined,
    outcome: outcome.status,
    ...('reason' in outcome ? { reason: outcome.reason } : {}),
    ...(outcome.status === 'failed' ? { reason: outcome.message, code: outcome.code } : {}),
    plan: plan && renderShort(plan),
    applied: report.applied.length,
    drift: plan?.drift?.slice(0, MOST_DRIFT).map(noteOfStep),
    drift_count: plan?.drift?.length,
    drift_stays: plan?.driftStays,
    duration_ms: Math.round(report.durationMs),
    calls: report.calls,
    openstack_request_ids: report.failedRequestIds.length > 0 ? report.failedRequestIds : undefined,
    load_balancer: report.loadBalancerId,
    address: report.address,
  };
}

const MOST_DRIFT = 10;

export function sweptLine(found: Sweep): Attributes {
  const { requests, services, released, settled, comparedInFull, nodes, nodesSettled } = found;
  return {
    services,
    let_go: released,
    settled,
    compared_in_full: comparedInFull,
    nodes,
    nodes_settled: nodesSettled,
    queued: requests.length,
  };
}

function withoutReserved(fields: Attributes): Attributes {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [RESERVED[key] ?? key, value]));
}

export function redactField(key: string, value: unknown): unknown {
  if (SECRET.test(key) && value !== undefined && value !== null) return '[redacted]';
  return typeof value === 'string' ? value.split('\n').map(printable).join('\n') : value;
}
