import type { Flags } from '../../shared/config/read-flags.ts';
import { adviceOn } from '../../shared/model/errors.ts';
import { reasonOf, type Report } from '../../shared/model/outcome.ts';
import {
  asNodeKey,
  asServiceKey,
  isEverything,
  isObjectKey,
  parseObject,
  requestOf,
  scopeOf,
  type Key,
  type ReconcileRequest,
  type SweepScope,
} from '../../shared/model/request.ts';
import { inParallel } from '../../shared/observe/reads.ts';
import { renderPlan, summarizeSteps } from '../../shared/plan/render-plan.ts';
import type { World } from '../../shared/ports.ts';
import { reconcile } from '../../shared/reconcile.ts';
import { planNotes } from '../../shared/report/condition.ts';
import { sweep, type Sweep } from '../../shared/sweep.ts';
import { timeBudget } from '../budget.ts';
import { misused } from './command.ts';

/** The keys that a person wrote; none: all, or with -n those of the namespace. Throws CONFIG_INVALID with the first word that is no key. */
export function readObjects(
  objects: readonly string[],
  { namespace }: Pick<Flags, 'namespace'>,
): readonly Key[] {
  if (objects.length === 0)
    return readObjects([namespace === undefined ? 'all' : `namespace/${namespace}`], {});
  return objects.map((text) => {
    const key = parseObject(text, namespace);
    const word = JSON.stringify(text);
    if (key === undefined)
      throw misused(
        `${word} is not an object: give svc/NAME with -n NAMESPACE, service/NAMESPACE/NAME, node/NAME, routes, namespace/NAME, nodeset or all`,
      );
    const itsOwn = asServiceKey(key)?.namespace;
    if (namespace !== undefined && itsOwn !== namespace && asNodeKey(key) === undefined)
      throw misused(`-n ${namespace} is not for ${word}: give svc/NAME with -n, or leave -n`);
    return key;
  });
}

/** Whether a person named an object that does not exist, and that has left nothing. */
export function isMissing({ request, outcome, missing }: Report, named: readonly Key[]): boolean {
  return missing === true && outcome.status === 'settled' && named.includes(request.key);
}

interface FoundRequests {
  readonly requests: readonly ReconcileRequest[];
  /** A sweep could not read or compare something: there may be more. */
  readonly incomplete: boolean;
  readonly absent: readonly Key[];
}

/** The objects that the keys stand for, without repetitions. For a namespace, the node set and all, a sweep finds them. */
export async function findRequests(
  keys: readonly Key[],
  world: World,
  scope: Pick<SweepScope, 'everyService'> = {},
): Promise<FoundRequests> {
  const scopes = [...new Set(keys.filter((key) => !isObjectKey(key)))].map(scopeOf);
  const found = new Set<Key>(keys.filter(isObjectKey));
  const absent: Key[] = [];
  let incomplete = false;
  for (const each of scopes.some(isEverything) ? [{}] : scopes) {
    const { namespace } = each;
    if (namespace !== undefined && !(await world.kube.hasNamespace(namespace)))
      absent.push(`namespace/${namespace}`);
    const swept = await sweepAndWarn(world, { ...each, ...scope, readOnly: true });
    for (const { key } of swept.requests) found.add(key);
    incomplete ||= swept.incomplete;
  }
  const requests = [...found].map((key) => requestOf(world, { key, trigger: 'command' }));
  return { requests, incomplete, absent };
}

/** Sweeps, and logs what could not be read. Throws if the sweep failed and found nothing. */
export async function sweepAndWarn(world: World, scope: SweepScope): Promise<Sweep> {
  const found = await sweep(world, scope);
  for (const warning of found.warnings) world.log.warn(warning);
  if (found.failed === undefined) return found;
  const message = `the sweep failed: ${found.failed}`;
  if (found.requests.length === 0) throw new Error(message);
  world.log.error(message);
  return found;
}

interface RunOptions {
  readonly dryRun?: boolean | undefined;
  readonly told?: (report: Report) => void;
}

/** Runs each request once, several at a time, and Services that share load balancers one after the other. */
export async function runRequests(
  requests: readonly ReconcileRequest[],
  world: World,
  { dryRun = false, told }: RunOptions = {},
): Promise<readonly Report[]> {
  const { concurrentServiceSyncs, reconcileTimeoutMs } = world.config;
  const runOne = async (request: ReconcileRequest): Promise<Report> => {
    const budget = timeBudget(reconcileTimeoutMs, world.clock);
    const report = await reconcile({ ...request, dryRun }, world, budget);
    if (!needsGroup(report)) told?.(report);
    return report;
  };
  const reports = await inParallel(requests, concurrentServiceSyncs, runOne);
  const ended: Report[] = [];
  for (const report of reports)
    ended.push(needsGroup(report) ? await runOne({ ...report.request, inGroup: true }) : report);
  return ended;
}

function needsGroup({ outcome }: Report): boolean {
  return outcome.status === 'progressing' && outcome.needsGroup === true;
}

/** A run in one line, and one for each thing that it leaves undone; a dry run as its plan. */
export function reportInWords(report: Report): string {
  const { request, outcome, plan, applied, address } = report;
  if (request.dryRun && plan) return renderPlan(plan);
  const reached = address === undefined ? '' : `, ${address}`;
  const done = applied.length === 0 ? '' : ` (${summarizeSteps(applied)})`;
  const waiting = plan?.awaitingApproval.length ?? 0;
  const waits = waiting === 0 ? '' : `; ${waiting} waiting for approval`;
  const reason = adviceIn(report);
  const notes = plan && outcome.status !== 'progressing' ? planNotes(plan) : [];
  return [
    `${request.key}: ${outcome.status}, ${reason}${reached}${done}${waits}`,
    ...notes.filter((note) => !reason.startsWith(note)).map((note) => `  ${note}`),
  ].join('\n');
}

/** Those that failed, each in its words, but Services or Nodes that failed of the same as one line with their number. */
export function describeFailed(reports: readonly Report[], inWords = reportInWords): readonly string[] {
  const failed = reports.filter(({ outcome }) => outcome.status === 'failed');
  const kindOf = ({ request }: Report): string => (request.key.startsWith('node/') ? 'Nodes' : 'Services');
  const causes = Map.groupBy(failed, (report) => `${kindOf(report)}: ${adviceIn(report)}`);
  return [...causes].flatMap(([cause, same]) => {
    if (same.length === 1) return same.map(inWords);
    const names = same.slice(0, 3).map(({ request }) => request.key.replace(/^\w+\//, ''));
    return `${same.length} ${cause} (${names.join(', ')}${same.length > 3 ? ', ...' : ''})`;
  });
}

export function adviceIn({ outcome, loadBalancerId }: Report): string {
  const advice = outcome.status === 'failed' ? ` (${adviceOn(outcome.code, loadBalancerId)})` : '';
  return `${reasonOf(outcome)}${advice}`;
}

/** 1: something failed, 2: something is progressing, 0: nothing is left to do. */
export function exitCode(reports: readonly Report[]): number {
  const has = (status: Report['outcome']['status']): boolean =>
    reports.some(({ outcome }) => outcome.status === status);
  if (has('failed')) return 1;
  return has('progressing') ? 2 : 0;
}
