import { recent, type RecordedDeletions } from '../../shared/model/records.ts';
import { errorText } from '../../shared/model/errors.ts';
import type { Report } from '../../shared/model/outcome.ts';
import { valueWithin } from '../../shared/deadline.ts';
import { BoundedMap } from '../../shared/memory/bounded-map.ts';
import { parseKey, type Key } from '../../shared/model/request.ts';
import { summarizeSteps } from '../../shared/plan/render-plan.ts';
import type { World } from '../../shared/ports.ts';
import type { ClusterRow } from '../../shared/report/page/clusters-page.ts';
import type { ObjectView } from '../../shared/report/page/object-view.ts';
import { WORST_FIRST, type RowState, type StatusRow, type StatusView } from '../../shared/report/page.ts';
import type { Sweep } from '../../shared/sweep.ts';
import { HttpError } from '../http/exchange.ts';
import { Health, History, DetailsCache } from './remembered.ts';
import {
  listObjects,
  rowFromReport,
  statusRows,
  type LastReport,
  type ListedObjects,
} from '../status-rows.ts';

const LIST_AGE_MS = 1_000;
const PATIENCE_MS = 3_000;
/** More than a cluster has Services and Nodes. Below this limit only a view of the page drops reports: those of objects without a row. */
const MOST_REPORTS = 20_000;

type Listing = Pick<StatusView, 'notListed'>;

const LATE: Listing = { notListed: `the kube-apiserver has not answered for ${PATIENCE_MS / 1_000} s` };

export class PageMemory {
  readonly #world: World;
  readonly #reports = new BoundedMap<Key, LastReport>(MOST_REPORTS);
  #lastSweep: StatusView['lastSweep'];
  /** The end of the last sweep before those that found out nothing of Services, RFC 3339. */
  #unseenSince: string | undefined;
  #listing: { readonly atMs: number; readonly ended: Promise<Listing | undefined> } | undefined;
  /** One at a time, however long the kube-apiserver takes. */
  #underWay: Promise<Listing> | undefined;
  /** RFC 3339. */
  #listedAt: string | undefined;
  #objects: ListedObjects = { services: [], nodes: [] };
  #deletions: StatusView['deletions'];

  readonly #dryRun: boolean;
  readonly #health: Health;
  readonly #history = new History();
  readonly #details: DetailsCache;

  /** With `dryRun` all runs are dry runs, and the page shows what they would do. */
  constructor(world: World, dryRun = false) {
    this.#world = world;
    this.#health = new Health(world);
    this.#details = new DetailsCache(world);
    this.#dryRun = dryRun;
  }

  remember(report: Report): void {
    const { key, dryRun } = report.request;
    if (dryRun && !this.#dryRun) return;
    const [at, last] = [this.#now(), this.#reports.get(key)];
    this.#history.add(report, at);
    const its = withLastPlan(dryRun ? asNotDone(report) : report, last);
    const isSame = last?.report.outcome.status === its.outcome.status;
    this.#reports.set(key, { report: its, at, since: isSame ? (last.since ?? at) : at });
  }

  /** Whether the last run of a key left work to do: the state of its object then says nothing new. */
  isAtWorkOn(key: Key): boolean {
    const last = this.#reports.get(key);
    return last !== undefined && last.report.outcome.status !== 'settled';
  }

  rememberSweep({ services, released, nodes, requests, warnings, failed }: Sweep): void {
    const all = failed === undefined ? warnings : [`the sweep failed: ${failed}`, ...warnings];
    const isSeen = failed === undefined || services > 0;
    this.#unseenSince = isSeen ? undefined : (this.#unseenSince ?? this.#lastSweep?.at ?? this.#now());
    this.#lastSweep = { at: this.#now(), services, released, nodes, queued: requests.length, warnings: all };
  }

  /** What a page of many clusters shows of one. It asks the kube-apiserver for nothing, and knows of no object without a run. */
  summary(): Pick<ClusterRow, 'lastSweep' | 'states' | 'awaitingApproval'> {
    const rows = [...this.#reports.keys()].flatMap((key) => {
      const last = this.#reports.get(key);
      return last ? [rowFromReport(last)] : [];
    });
    const count = (state: RowState): number => rows.filter((row) => row.state === state).length;
    return {
      lastSweep: this.#lastSweep,
      states: Object.fromEntries(WORST_FIRST.map((state) => [state, count(state)])),
      awaitingApproval: rows.reduce((sum, { awaitingApproval = 0 }) => sum + awaitingApproval, 0),
    };
  }

  /** Lists Services and Nodes, at most once a second for all readers of the page. If that fails the last list counts. */
  async view({
    queue,
    webhook,
    watches,
  }: Pick<StatusView, 'queue' | 'webhook' | 'watches'>): Promise<StatusView> {
    const { clock, config } = this.#world;
    const atMs = clock.now();
    if (!this.#listing || atMs - this.#listing.atMs > LIST_AGE_MS) {
      this.#underWay ??= this.#list();
      this.#listing = { atMs, ended: valueWithin(PATIENCE_MS, this.#underWay) };
    }
    const { notListed } = (await this.#listing.ended) ?? LATE;
    const listed = statusRows(this.#objects, config, this.#reports);
    const { rows: asked, notAsked, answeredAt } = await this.#health.of(listed);
    const unknownSince = notListed === undefined ? (this.#unseenSince ?? answeredAt) : this.#listedAt;
    const rows = unknownSince === undefined ? asked : asked.map((row) => ({ unknownSince, ...row }));
    const shown = new Set(rows.map(({ object }) => object));
    if (notListed === undefined)
      for (const key of this.#reports.keys()) if (!shown.has(key)) this.#reports.delete(key);
    return {
      ...{ cluster: config.clusterName, generatedAt: this.#now(), rows, queue, webhook, watches },
      ...{ notListed, healthUnknown: notAsked, deletions: this.#deletions, lastSweep: this.#lastSweep },
      ...(this.#dryRun && { dryRun: true as const }),
    };
  }

  /** What the page of one object shows. `view` is the one of now. Throws HttpError 404. */
  async object(text: string, { rows, cluster, notListed }: StatusView): Promise<ObjectView> {
    const key = parseKey(text);
    const row = rows.find(({ object }) => object === key) ?? (key && this.#rowOf(key));
    if (!row)
      throw new HttpError(404, `${JSON.stringify(text)} is not an object that levelset looks after here`);
    const { object } = row;
    const read = await this.#details.at(object);
    return {
      ...{ cluster, generatedAt: this.#now(), row },
      ...(notListed !== undefined && { notListed }),
      ...read,
      runs: this.#history.of(object),
    };
  }

  /** Of an object without a row, such as a Node that is as desired. */
  #rowOf(object: Key): StatusRow | undefined {
    const [last] = this.#history.of(object);
    const { nodes } = this.#objects;
    const isNode = nodes.some(({ metadata: { name } }) => object === `node/${name}`);
    if (!last && !isNode) return undefined;
    const { state = 'unknown', reason = 'no run yet', at, trigger } = last ?? {};
    return {
      ...{ object, state, reason, planSteps: 0 },
      ...(at !== undefined && { at }),
      ...(trigger !== undefined && { trigger }),
    };
  }

  /** Never throws: a page without the newest rows says why. */
  async #list(): Promise<Listing> {
    try {
      [this.#objects, this.#deletions] = await Promise.all([
        listObjects(this.#world),
        recentDeletions(this.#world).catch(() => undefined), // a run that needs the record says what is wrong with it
      ]);
      this.#listedAt = this.#now();
      return {};
    } catch (error) {
      return { notListed: errorText(error) };
    } finally {
      this.#underWay = undefined;
    }
  }

  #now(): string {
    return new Date(this.#world.clock.now()).toISOString();
  }
}

async function recentDeletions({ kube, clock, config }: World): Promise<StatusView['deletions']> {
  const { nodes, left } = kube.deletions;
  const [ofNodes, ofLoadBalancers] = await Promise.all([nodes.load(), left.load()]);
  const count = ({ deletions }: RecordedDeletions): number => recent(deletions, clock.now()).length;
  return {
    ...{ nodes: count(ofNodes), loadBalancers: count(ofLoadBalancers) },
    percent: config.deletionPercent,
  };
}

/** A run that failed before it had a plan: the page keeps the last one. */
function withLastPlan(report: Report, last: LastReport | undefined): Report {
  const plan = report.plan ?? last?.report.plan;
  return report.outcome.status === 'failed' && plan ? { ...report, plan } : report;
}

/** The report of a dry run, whose steps wait until levelset runs without --dry-run. */
function asNotDone(report: Report): Report {
  const { steps = [] } = report.plan ?? {};
  if (steps.length === 0) return report;
  return { ...report, outcome: { status: 'blocked', reason: `dry run: ${summarizeSteps(steps)}` } };
}
