import { valueWithin } from '../../shared/deadline.ts';
import { errorText } from '../../shared/model/errors.ts';
import type { World } from '../../shared/ports.ts';
import type { StatusRow } from '../../shared/report/page.ts';
import { listOurLoadBalancers } from '../../shared/service/observe/project.ts';

/** One list for all readers of the page in this time. */
const AGE_MS = 10_000;
const FAILED_AGE_MS = 2_000;
/** The page waits so long for Octavia. */
const PATIENCE_MS = 2_000;

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
    if (now - this.#askedAtMs >= AGE_MS) {
      this.#askedAtMs = now;
      this.#asked = this.#ask();
    }
    // a large project takes its time to list
    const late = now - this.#answeredAtMs < 3 * AGE_MS ? undefined : 'Octavia has not answered yet';
    const done = await valueWithin(
      PATIENCE_MS,
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
      this.#askedAtMs -= AGE_MS - FAILED_AGE_MS;
      return errorText(error);
    }
  }
}
