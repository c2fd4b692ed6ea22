import type { Report } from '../../shared/model/outcome.ts';
import { BoundedMap } from '../../shared/memory/bounded-map.ts';
import type { Key } from '../../shared/model/request.ts';
import type { World } from '../../shared/ports.ts';
import type { StatusView } from '../../shared/report/page.ts';
import type { Sweep } from '../../shared/sweep.ts';
import { listObjects, statusRows, type LastReport } from '../status-rows.ts';

const LIST_AGE_MS = 1_000;
/**
 * More than a cluster has Services and Nodes. Besides this limit, only a view of the page drops reports:
 * those of objects without a row.
 */
const MOST_REPORTS = 20_000;

/** What the status page shows: Services and Nodes with their last runs, and the last sweep, of this process. */
export class Memory {
  readonly #world: World;
  readonly #reports = new BoundedMap<Key, LastReport>(MOST_REPORTS);
  #lastSweep: StatusView['lastSweep'];
  #listed: { readonly atMs: number; readonly objects: ReturnType<typeof listObjects> } | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  remember(report: Report): void {
    const { key, dryRun } = report.request;
    if (dryRun) return;
    this.#reports.set(key, { report, at: this.#now() });
  }

  rememberSweep({ services, nodes, requests, warnings, failed }: Sweep): void {
    const all = failed === undefined ? warnings : [`the sweep failed: ${failed}`, ...warnings];
    this.#lastSweep = { at: this.#now(), services, nodes, queued: requests.length, warnings: all };
  }

  /** Lists Services and Nodes, at most once a second for all readers of the page. */
  async view(queue: NonNullable<StatusView['queue']>): Promise<StatusView> {
    const { clock, config } = this.#world;
    const atMs = clock.now();
    if (!this.#listed || atMs - this.#listed.atMs > LIST_AGE_MS) {
      this.#listed = { atMs, objects: listObjects(this.#world) };
    }
    const rows = statusRows(await this.#listed.objects, config, this.#reports);
    const shown = new Set(rows.map(({ object }) => object));
    for (const key of this.#reports.keys()) if (!shown.has(key)) this.#reports.delete(key);
    return {
      cluster: config.clusterName,
      generatedAt: this.#now(),
      rows,
      queue,
      ...(this.#lastSweep && { lastSweep: this.#lastSweep }),
    };
  }

  #now(): string {
    return new Date(this.#world.clock.now()).toISOString();
  }
}
