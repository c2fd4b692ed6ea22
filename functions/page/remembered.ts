import { BoundedMap } from '../../shared/memory/bounded-map.ts';
import { reasonOf, type Report } from '../../shared/model/outcome.ts';
import type { Key } from '../../shared/model/request.ts';
import { summarizeSteps } from '../../shared/plan/render-plan.ts';
import type { PastRun, ObjectView } from '../../shared/report/page/object-view.ts';
import { valueWithin } from '../../shared/deadline.ts';
import { errorText } from '../../shared/model/errors.ts';
import type { World } from '../../shared/ports.ts';
import type { StatusRow } from '../../shared/report/page.ts';
import { listOurLoadBalancers } from '../../shared/service/observe/project.ts';
import { newMemory } from '../../shared/memory/memory.ts';
import { serviceDetails } from '../../shared/service/report/object-details.ts';

const MOST_RUNS_OF_ONE = 10;
/** Of all objects: some megabytes. */
const MOST_RUNS = 20_000;

export class History {
  readonly #runs = new BoundedMap<Key, readonly PastRun[]>(MOST_RUNS, ({ length }) => length);

  add({ request, outcome, applied, calls, durationMs, failedRequestIds }: Report, at: string): void {
    const { key, trigger, cause } = request;
    const run: PastRun = {
      ...{ at, trigger, ...(cause !== undefined && { cause }) },
      ...{ state: outcome.status, reason: reasonOf(outcome) },
      ...(outcome.status === 'failed' && { code: outcome.code }),
      did: applied.length === 0 ? 'wrote nothing' : summarizeSteps(applied).replaceAll('to ', ''),
      ...{ calls, durationMs, failedRequestIds },
    };
    this.#runs.set(key, [run, ...this.of(key)].slice(0, MOST_RUNS_OF_ONE));
  }

  of(key: Key): readonly PastRun[] {
    return this.#runs.get(key) ?? [];
  }
}

/** One list for all readers of the page in this time. */
const HEALTH_AGE_MS = 10_000;
const FAILED_AGE_MS = 2_000;
/** The page waits so long for Octavia. */
const HEALTH_PATIENCE_MS = 2_000;

interface WithHealth {
  readonly rows: readonly StatusRow[];
  readonly notAsked?: string;
  /** Then the time of the last answer, RFC 3339. */
  readonly answeredAt?: string;
}

export class Health {
  readonly #world: World;
  #askedAtMs = -Infinity;
  #answeredAtMs: number;
  #asked: Promise<string | undefined> = Promise.resolve(undefined);
  #statuses: ReadonlyMap<string, string> = new Map();

  constructor(world: World) {
    this.#world = world;
    this.#answeredAtMs = world.clock.now();
  }

  /** The rows with the status of their load balancer, by one call for all of them; none without a load balancer. Never throws. */
  async of(rows: readonly StatusRow[]): Promise<WithHealth> {
    if (rows.every(({ loadBalancerId }) => loadBalancerId === undefined)) return { rows };
    const now = this.#world.clock.now();
    if (now - this.#askedAtMs >= HEALTH_AGE_MS) {
      this.#askedAtMs = now;
      this.#asked = this.#ask();
    }
    // a large project takes its time to list
    const late = now - this.#answeredAtMs < 3 * HEALTH_AGE_MS ? undefined : 'Octavia has not answered yet';
    const done = await valueWithin(
      HEALTH_PATIENCE_MS,
      this.#asked.then((notAsked) => ({ notAsked })),
    );
    const { notAsked } = done ?? { notAsked: late };
    return {
      rows: rows.map((row) => {
        const operatingStatus = this.#statuses.get(row.loadBalancerId ?? '');
        return operatingStatus === undefined ? row : { ...row, operatingStatus };
      }),
      ...(notAsked !== undefined && { notAsked, answeredAt: new Date(this.#answeredAtMs).toISOString() }),
    };
  }

  async #ask(): Promise<string | undefined> {
    const { kube, cloud, config } = this.#world;
    try {
      const cluster = { id: await kube.clusterId(), name: config.clusterName };
      const balancers = await listOurLoadBalancers(cluster, cloud);
      this.#answeredAtMs = this.#world.clock.now();
      this.#statuses = new Map(balancers.map(({ id, operating_status }) => [id, String(operating_status)]));
      return undefined;
    } catch (error) {
      this.#askedAtMs -= HEALTH_AGE_MS - FAILED_AGE_MS;
      return errorText(error);
    }
  }
}

/** Details of an object for all its readers in this time. */
const DETAILS_AGE_MS = 15_000;
/** The page waits so long for details, and then shows the last ones. */
const DETAILS_PATIENCE_MS = 3_000;
/** So many are read at once, so that readers take no room from the work. */
const MOST_UNDER_WAY = 2;
const MOST_KEPT = 50;

type ReadDetails = Pick<ObjectView, 'details' | 'notRead'>;

interface Kept {
  readonly atMs: number;
  readonly last: ReadDetails;
  readonly underWay?: Promise<ReadDetails>;
}

export class DetailsCache {
  readonly #world: World;
  readonly #kept = new BoundedMap<Key, Kept>(MOST_KEPT);
  #underWay = 0;

  /** It remembers for itself: what runs expect after their own writes is not what is there. */
  constructor(world: World) {
    this.#world = { ...world, memory: newMemory() };
  }

  /** The last details, at most 15 s old while OpenStack answers soon. Never throws. */
  async at(key: Key): Promise<ReadDetails> {
    const now = this.#world.clock.now();
    const kept = this.#kept.get(key);
    if (kept?.underWay === undefined && (kept === undefined || now - kept.atMs >= DETAILS_AGE_MS)) {
      if (this.#underWay >= MOST_UNDER_WAY)
        return {
          ...kept?.last,
          notRead: 'levelset reads other objects at the moment',
        };
      this.#begin(key, now, kept?.last ?? {});
    }
    const { underWay, last = {} } = this.#kept.get(key) ?? {};
    if (!underWay) return last;
    const read = await valueWithin(DETAILS_PATIENCE_MS, underWay);
    return read ?? { ...last, notRead: `OpenStack has not answered for ${DETAILS_PATIENCE_MS / 1_000} s` };
  }

  #begin(key: Key, atMs: number, last: ReadDetails): void {
    this.#underWay += 1;
    const underWay = this.#read(key, last).then((read) => {
      this.#underWay -= 1;
      this.#kept.set(key, { atMs, last: read });
      return read;
    });
    this.#kept.set(key, { atMs, last, underWay });
  }

  async #read(key: Key, last: ReadDetails): Promise<ReadDetails> {
    try {
      const details = await serviceDetails(key, this.#world);
      return details ? { details } : {};
    } catch (error) {
      return { ...(last.details && { details: last.details }), notRead: errorText(error) };
    }
  }
}
