import { type Config, looksAfterNodes } from '../shared/config/config.ts';
import type { Condition, Node, Service } from '../shared/model/kubernetes.ts';
import { hasTaint, SERVER_GONE, UNINITIALIZED_TAINT, parseProviderID } from '../shared/model/node/node.ts';
import type { ErrorCode } from '../shared/model/errors.ts';
import { reasonOf, type Report, whoActs } from '../shared/model/outcome.ts';
import type { Plan } from '../shared/model/plan.ts';
import { LOAD_BALANCER_ID } from '../shared/model/ownership.ts';
import { asServiceKey, serviceKey, type Key } from '../shared/model/request.ts';
import { RELEASED_REASON, TAKEN_OVER_REASON } from '../shared/model/service-object.ts';
import { NODE_BLOCKED } from '../shared/node/report/report-node.ts';
import { quote } from '../shared/model/text/text.ts';
import { driftInWords, renderPlan } from '../shared/plan/render-plan.ts';
import type { World } from '../shared/ports.ts';
import { longestRequeueMs } from '../shared/queue/scheduling.ts';
import { readyCondition, BLOCKED_REASON } from '../shared/report/condition.ts';
import type { RowState, StatusRow } from '../shared/report/page.ts';
import { isOurs } from '../shared/service/service-object.ts';

export interface ListedObjects {
  readonly services: readonly Service[];
  /** Empty if levelset does not look after Nodes. */
  readonly nodes: readonly Node[];
}

export async function listObjects({ kube, config }: World): Promise<ListedObjects> {
  const [services, nodes] = await Promise.all([
    kube.listServices(),
    looksAfterNodes(config) ? kube.listNodes() : [],
  ]);
  return { services, nodes };
}

/** The rows of the status page: every Service, and of gone Services, Nodes and routes those that are not settled. */
export function statusRows(
  { services, nodes }: ListedObjects,
  config: Pick<Config, 'loadBalancerClass'>,
  reports: ReadonlyMap<Key, LastReport>,
): readonly StatusRow[] {
  return [
    ...serviceRows(services, config, reports),
    ...goneRows(services, reports),
    ...nodeRows(nodes, reports),
    ...routesRow(reports),
  ];
}

export interface LastReport {
  readonly report: Report;
  /** RFC 3339. */
  readonly at: string;
  /** When a run first ended in this state, RFC 3339. */
  readonly since?: string;
}

/** A row for each Service that wants or has a load balancer of levelset: its last run in this process, or else its status. */
export function serviceRows(
  services: readonly Service[],
  config: Pick<Config, 'loadBalancerClass'>,
  reports: ReadonlyMap<Key, LastReport>,
): readonly StatusRow[] {
  const rows = services
    .filter((service) => isOurs(service, config))
    .map((service): StatusRow => {
      const { namespace, name } = service.metadata;
      const last = reports.get(serviceKey(namespace, name));
      return withReport(rowFromStatus(service), service, last);
    });
  return rows.map((row) => withSharers(row, rows));
}

/** The row of an object with its last run. Its condition may tell of a problem that is older than this process. */
function withReport(row: StatusRow, { status }: Service | Node, last: LastReport | undefined): StatusRow {
  const its = { ...row, ...(last && rowFromReport(last)) };
  const told = readyCondition<Condition>(status?.conditions);
  const isOld = told?.status === 'False' && its.state === row.state;
  return isOld ? { ...its, since: told.lastTransitionTime } : its;
}

export function goneRows(
  services: readonly Service[],
  reports: ReadonlyMap<Key, LastReport>,
): readonly StatusRow[] {
  const there = new Set(services.map(({ metadata: { namespace, name } }) => serviceKey(namespace, name)));
  return [...reports]
    .filter(
      ([key, { report }]) => asServiceKey(key) && !there.has(key) && report.outcome.status !== 'settled',
    )
    .map(([object, last]) => ({ object, ...rowFromReport(last) }));
}

function withSharers(row: StatusRow, rows: readonly StatusRow[]): StatusRow {
  const { loadBalancerId: id, object } = row;
  const others = rows.filter((other) => other.loadBalancerId === id && other.object !== object);
  if (id === undefined || others.length === 0) return row;
  return { ...row, sharedWith: others.map((other) => other.object.replace(/^service\//, '')).sort() };
}

function rowFromStatus(service: Service): StatusRow {
  const condition = readyCondition(service.status?.conditions);
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  const addresses = ingress.flatMap(({ ip, hostname }) => ip ?? hostname ?? []);
  const id = service.metadata.annotations?.[LOAD_BALANCER_ID];
  return {
    object: serviceKey(service.metadata.namespace, service.metadata.name),
    state: STATES[condition?.reason ?? ''] ?? 'unknown',
    reason: condition?.message ?? 'no run yet',
    ...(id !== undefined && { loadBalancerId: id }),
    ...(addresses.length > 0 && { address: addresses.join(', ') }),
    planSteps: 0,
  };
}

/** The outcome of the last run, by the reason of the condition. A condition that is True may have the reason of a failure. */
const STATES: Readonly<Partial<Record<string, RowState>>> = {
  EnsuredLoadBalancer: 'settled',
  UnAvailableLoadBalancer: 'settled',
  EnsuringLoadBalancer: 'progressing',
  DeletingLoadBalancer: 'progressing',
  [BLOCKED_REASON]: 'blocked',
  [RELEASED_REASON]: 'blocked',
  [TAKEN_OVER_REASON]: 'blocked',
  SyncLoadBalancerFailed: 'failed',
};

const OUTAGES: readonly ErrorCode[] = ['CLOUD_UNAVAILABLE', 'KUBE_UNAVAILABLE'];

export function rowFromReport({
  report,
  at,
  since,
}: LastReport): Pick<StatusRow, 'state' | 'reason' | 'planSteps'> & Partial<StatusRow> {
  const { outcome, plan, loadBalancerId, address, request } = report;
  const act = whoActs(outcome, plan);
  const longestMs = longestRequeueMs(outcome);
  return {
    state: outcome.status,
    reason: [reasonOf(outcome), ...inNumbers(report)].join('; '),
    ...(loadBalancerId !== undefined && { loadBalancerId }),
    ...(address !== undefined && { address }),
    trigger: request.trigger,
    at,
    ...(since !== undefined && { since }),
    // an outage says nothing of the object
    ...('code' in outcome && OUTAGES.includes(outcome.code) && { unknownSince: since ?? at }),
    ...(act !== undefined && { act }),
    ...(longestMs !== undefined && { nextAt: new Date(Date.parse(at) + longestMs).toISOString() }),
    planSteps: plan?.steps.length ?? 0,
    ...(plan && {
      plan: renderPlan(plan),
      awaitingApproval: awaitingApproval(plan),
      problems: plan.problems.length,
      drift: plan.drift?.length ?? 0,
    }),
  };
}

function awaitingApproval({ awaitingApproval: changes, refused }: Plan): number {
  return changes.length + refused.filter(({ approval }) => approval !== undefined).length;
}

function inNumbers({ plan, outcome }: Report): readonly string[] {
  if (plan === undefined) return [];
  const waiting = awaitingApproval(plan);
  const [first, ...others] = outcome.status === 'settled' ? plan.problems : [];
  return [
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? 'change waits' : 'changes wait'} for approval`] : []),
    ...(first ? [`${first.field} ${quote(first.value)} ${first.message}`] : []),
    ...(others.length > 0 ? [`${others.length} more ${others.length === 1 ? 'problem' : 'problems'}`] : []),
    ...(plan.drift ? [driftInWords(plan)] : []),
  ];
}

/** A row for each Node that is not settled: its last run, or else what the Node says. Settled Nodes are many. */
export function nodeRows(
  nodes: readonly Node[],
  reports: ReadonlyMap<Key, LastReport>,
): readonly StatusRow[] {
  return nodes
    .map((node): StatusRow => {
      const object = `node/${node.metadata.name}` as const;
      const last = reports.get(object);
      return withReport(rowFromNode(object, node), node, last && isComparison(last) ? last : undefined);
    })
    .filter(({ state }) => state !== 'settled');
}

/** One row for the routes, if their last run did not end as settled. No object in the cluster has their state. */
export function routesRow(reports: ReadonlyMap<Key, LastReport>): readonly StatusRow[] {
  const last = reports.get('routes');
  if (!last || last.report.outcome.status === 'settled') return [];
  return [{ object: 'routes', ...rowFromReport(last) }];
}

/** A run for most events about a Node ends before it compares anything, and so knows nothing about the Node. */
function isComparison({ report }: LastReport): boolean {
  return report.plan !== undefined || report.outcome.status !== 'settled';
}

function rowFromNode(object: Key, node: Node): StatusRow {
  const addresses = (node.status?.addresses ?? []).filter(({ type }) => type.endsWith('IP'));
  const serverId = parseProviderID(node.spec?.providerID ?? '')?.serverId;
  return {
    object,
    ...stateOf(node),
    ...(serverId === undefined ? {} : { serverId }),
    ...(addresses.length > 0 ? { address: addresses.map(({ address }) => address).join(', ') } : {}),
    planSteps: 0,
  };
}

function stateOf(node: Node): Pick<StatusRow, 'state' | 'reason'> {
  const condition = readyCondition(node.status?.conditions);
  if (condition?.status === 'False')
    return { state: condition.reason === NODE_BLOCKED ? 'blocked' : 'failed', reason: condition.message };
  if (node.metadata.annotations?.[SERVER_GONE] !== undefined)
    return {
      state: 'progressing',
      reason: 'its server does not exist; levelset looks for it once more before it deletes the Node',
    };
  if (hasTaint(node, UNINITIALIZED_TAINT)) return { state: 'progressing', reason: 'waits to be initialised' };
  return { state: 'settled', reason: '' };
}
