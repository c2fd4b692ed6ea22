/** A server for supertest whose world is a few lists. */
import type { ServerOptions } from '../../functions/http/admit.ts';
import { createServer } from '../../functions/server.ts';
import type { Outcome, Report } from '../../shared/model/outcome.ts';
import type { Plan } from '../../shared/model/plan.ts';
import type { ReconcileRequest, TriggerCounts } from '../../shared/model/request.ts';
import { SELF } from '../unit/trigger/audit-events.ts';
import { AUDIT_TOKEN, NEXT_AUDIT_TOKEN, PAGE_TOKEN, RESYNC_TOKEN } from './tokens.ts';

export const AUDIT = `Bearer ${AUDIT_TOKEN}`;
export const RESYNC = `Bearer ${RESYNC_TOKEN}`;
export const PAGE = `Bearer ${PAGE_TOKEN}`;

export const PLAN: Plan = {
  object: 'uid-1',
  services: ['shop/web'],
  steps: [
    {
      verb: 'delete',
      kind: 'listener',
      address: 'listener/tcp/80',
      id: 'l-1',
      because: 'no port of the Service asks for it',
    },
  ],
  refused: [],
  awaitingApproval: [],
  problems: [],
  foreign: [],
};

/** Steps that put back what was settled. */
export const DRIFT: NonNullable<Plan['drift']> = [
  {
    ...{ verb: 'update', address: 'pool/tcp/80', kind: 'pool', id: 'p' },
    changes: [{ attribute: 'lb_algorithm', from: 'SOURCE_IP', to: 'ROUND_ROBIN' }],
  },
  { verb: 'create', address: 'member/tcp/80/10.0.0.7:30080', kind: 'member', attributes: {} },
];

export type TestServer = ReturnType<typeof testServer>;

export function testServer(change: Partial<ServerOptions> = {}) {
  const queued: ReconcileRequest[] = [];
  const dryRuns: ReconcileRequest[] = [];
  const counted: TriggerCounts[] = [];
  /** Every line of the log, as JSON. */
  const lines: string[] = [];
  const note = (message: string, fields?: unknown) => void lines.push(JSON.stringify([message, fields]));
  const options: ServerOptions = {
    clusters: ['cluster-uid', 'kubernetes'],
    auditTokens: [AUDIT_TOKEN, NEXT_AUDIT_TOKEN],
    resyncTokens: [RESYNC_TOKEN],
    pageTokens: [PAGE_TOKEN],
    open: false,
    self: [SELF],
    enqueue: (requests) => Promise.resolve(void queued.push(...requests)),
    dryRun: (requests) => {
      dryRuns.push(...requests);
      return Promise.resolve(requests.map((request) => report(request, { status: 'settled' })));
    },
    status: () => Promise.resolve({ cluster: 'kubernetes', generatedAt: '2026-11-21T03:00:00Z', rows: [] }),
    metrics: () =>
      Promise.resolve({ contentType: 'text/plain; version=0.0.4', body: 'levelset_queue_depth 0\n' }),
    ready: () => Promise.resolve([]),
    observeAudit: (counts) => void counted.push(counts),
    log: { debug: note, info: note, warn: note, error: note },
    ...change,
  };
  return { app: createServer(options), options, queued, dryRuns, counted, lines };
}

export function report(request: ReconcileRequest, outcome: Outcome): Report {
  return { request, outcome, plan: PLAN, applied: [], durationMs: 12, calls: 3, failedRequestIds: [] };
}
