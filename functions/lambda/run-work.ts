import type { Report } from '../../shared/model/outcome.ts';
import { requestOf, type Key, type ReconcileRequest } from '../../shared/model/request.ts';
import { summarizeSteps } from '../../shared/plan/render-plan.ts';
import type { Budget } from '../../shared/ports.ts';
import { isPending } from '../../shared/model/load-balancer/octavia.ts';
import { nextWork } from '../../shared/queue/next-work.ts';
import { nextLookMs, operationOf } from '../../shared/queue/next-look.ts';
import type { QueuedWork } from '../../shared/queue/queued-work.ts';
import { LONGEST_DELAY_MS } from '../../shared/queue/sqs-queue.ts';
import { reconcile } from '../../shared/reconcile.ts';
import { looksAfterRoutes } from '../../shared/config/controllers.ts';
import type { InvocationTime } from '../budget.ts';
import { reconcileLine } from '../log.ts';
import { budgetSpent, CLOSING_MS, valueWithin, withDeadline, within } from '../../shared/deadline.ts';
import { outcomeOfError } from '../../shared/report/outcome-of-error.ts';
import { findStatuses } from '../../shared/queue/busy-load-balancers.ts';
import type { FunctionWorld } from './connected.ts';
import { metrics } from './function-metrics.ts';
import type { Group } from './groups.ts';

/** Within this time, reports about Nodes without an address become one message. */
const NODE_SET_MS = 30_000;
/**
 * The delay of the message that follows the change of a Node. Changes of other Nodes meanwhile need no
 * message of their own.
 */
const CHANGED_MS = 2_000;

/** Runs one key, and requeues it if it is not done. Throws if it cannot be requeued. */
export async function runWork(work: QueuedWork, to: FunctionWorld, time: InvocationTime): Promise<Report> {
  const report = await runInTime(work.request, to, time.runs);
  metrics.observeReconcile(report);
  to.log.info(
    'reconciled',
    reconcileLine(report, (plan) => summarizeSteps(plan.steps)),
  );
  if (!work.request.dryRun) await withDeadline(time.sending, () => follow(work, report, to));
  return report;
}

/** The report of a run. Whatever hangs, it comes when the time of the run, and that of its end, is over. */
async function runInTime(request: ReconcileRequest, { world }: FunctionWorld, time: Budget): Promise<Report> {
  const started = world.clock.now();
  const run = reconcile(request, world, time);
  const report = await valueWithin(time.remainingMs() + CLOSING_MS, run);
  if (report) return report;
  const outcome = outcomeOfError(budgetSpent('wait for the end of the run'));
  const durationMs = world.clock.now() - started;
  return { request, outcome, applied: [], durationMs, calls: 0, failedRequestIds: [] };
}

/** Queues what a run leaves to do. */
async function follow(work: QueuedWork, report: Report, to: FunctionWorld): Promise<void> {
  await requeue(work, report, to);
  if (report.membersMoved) await followNodes(to);
  if ((report.nodesWithoutAddress ?? []).length > 0) {
    await queueMembers(to, 'nodes-without-address', NODE_SET_MS);
  }
}

/**
 * Queues what depends on Nodes after levelset wrote one, since audit events about its own writes are ignored.
 */
async function followNodes(to: FunctionWorld): Promise<void> {
  const keys: readonly Key[] = looksAfterRoutes(to.world.config) ? ['nodeset', 'routes'] : ['nodeset'];
  for (const key of keys) {
    const request = requestOf(to.world, { key, trigger: 'requeue' });
    await sendLater({ request, attempt: 0, delayMs: CHANGED_MS }, to);
  }
}

/**
 * Queues the node set. Messages within `everyMs` have the same cause, by which SQS drops all but the first.
 */
async function queueMembers(to: FunctionWorld, what: string, everyMs: number): Promise<void> {
  const cause = `${what}/${Math.floor(to.world.clock.now() / everyMs)}`;
  const request = requestOf(to.world, { key: 'nodeset', trigger: 'requeue', cause });
  await to.triggers.sendTriggers([{ request, attempt: 0 }]);
}

/** Sends what a run leaves to do to the background queue. */
export async function requeue(work: QueuedWork, report: Report, to: Requeuing): Promise<void> {
  const { key, trigger } = work.request;
  if (trigger === 'requeue') to.world.memory.arrivals.delete(key); // it has come
  const next = nextWork(work, report, Math.random);
  if (next) await sendLater(next.waitingFor === undefined ? next : firstLook(next, report, to.world), to);
}

/** The message by which a load balancer is looked at first; no earlier than a run without progress comes back. */
function firstLook(
  next: QueuedWork & { readonly delayMs: number },
  report: Report,
  { clock, memory }: Requeuing['world'],
): QueuedWork & { readonly delayMs: number } {
  const operation = operationOf(report);
  const lookMs = nextLookMs(0, operation && memory.durations.quickest(operation));
  return {
    ...next,
    sinceMs: clock.now(),
    ...(operation && { operation }),
    delayMs: next.attempt > 1 ? Math.max(next.delayMs, lookMs) : lookMs,
  };
}

/** What is needed to requeue a key. */
type Requeuing = Pick<FunctionWorld, 'background'> & {
  readonly world: Pick<FunctionWorld['world'], 'clock' | 'memory'>;
};

/**
 * Sends a delayed message for a key, unless this process has sent one that comes no later. Otherwise each event and each
 * sweep would begin a chain of messages of its own for a key that does not settle.
 */
function sendLater(
  { delayMs, ...work }: QueuedWork & { readonly delayMs: number },
  to: Requeuing,
): Promise<void> {
  return sendFor(to.world.clock.now() + Math.min(delayMs, LONGEST_DELAY_MS), work, to);
}

/** The same for a message that comes at this moment, in milliseconds since 1970. */
export async function sendFor(atMs: number, work: QueuedWork, to: Requeuing): Promise<void> {
  const now = to.world.clock.now();
  const { arrivals } = to.world.memory;
  const { key } = work.request;
  const next = arrivals.get(key) ?? now;
  if (next > now && next <= atMs) return;
  await to.background.sendDelayed([{ ...work, delayMs: Math.max(0, atMs - now) }]);
  arrivals.set(key, atMs);
}

/** A batch waits no longer to find out which load balancers are locked. */
const LOOK_MS = 5_000;

/**
 * Returns the groups that can run now. A group whose load balancer Octavia still locks goes back to the
 * queue; one list call finds these. If the list or the sending fails, all groups are returned, and each run
 * looks for itself.
 */
export async function sendPendingBack(
  groups: readonly Group[],
  to: FunctionWorld,
): Promise<readonly Group[]> {
  const waits = ({ work }: Group): boolean => work.waitingFor !== undefined;
  if (!groups.some(waits)) return groups;
  try {
    const waitedFor = groups.flatMap(({ work }) => work.waitingFor ?? []);
    const found = await within(LOOK_MS, async () =>
      findStatuses(waitedFor, to.world.cloud, await to.cluster()),
    );
    const busy = groups.filter(
      (group) => waits(group) && isPending(found.get(group.work.waitingFor ?? '') ?? ''),
    );
    const ready = groups.filter((group) => !busy.includes(group));
    for (const { work } of ready) learnDuration(work, to.world);
    await to.background.sendDelayed(busy.map(({ work }) => lookAgain(work, to.world)));
    return ready;
  } catch (error) {
    to.log.warn('cannot send back the keys whose load balancer is locked; all of them run', {
      error: String(error),
    });
    return groups;
  }
}

type Remembering = Pick<FunctionWorld['world'], 'clock' | 'memory'>;

/** A message of a program without `sinceMs` begins its wait anew. */
function lookAgain(
  work: QueuedWork,
  { clock, memory }: Remembering,
): QueuedWork & { readonly delayMs: number } {
  const now = clock.now();
  const { sinceMs = now, operation } = work;
  const expectedMs = operation && memory.durations.quickest(operation);
  return { ...work, sinceMs, delayMs: nextLookMs(Math.max(0, now - sinceMs), expectedMs) };
}

/** Each process of the function learns for itself. */
function learnDuration({ waitingFor, operation, sinceMs }: QueuedWork, { clock, memory }: Remembering): void {
  if (waitingFor !== undefined && operation && sinceMs !== undefined)
    memory.durations.learn(operation, clock.now() - sinceMs);
}
