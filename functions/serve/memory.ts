import type { Report } from '../../shared/model/outcome.ts';
import type { Key } from '../../shared/model/request.ts';
import type { World } from '../../shared/ports.ts';
import type { StatusView } from '../../shared/report/page.ts';
import type { Sweep } from '../../shared/sweep.ts';
import { statusRows, type LastReport } from '../status-rows.ts';

const LIST_AGE_MS = 1_000;

/** What the status page shows: the Services as they are, with the last run of each and the last sweep of this process. */
export class Memory {
  readonly #world: World;
  readonly #reports = new Map<Key, LastReport>();
  #lastSweep: StatusView['lastSweep'];
  #services: { readonly atMs: number; readonly list: ReturnType<World['kube']['listServices']> } | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  remember(report: Report): void {
    if (!report.request.dryRun) this.#reports.set(report.request.key, { report, at: this.#now() });
  }

  rememberSweep({ services, requests, warnings, failed }: Sweep): void {
    const all = failed === undefined ? warnings : [`the sweep failed: ${failed}`, ...warnings];
    this.#lastSweep = { at: this.#now(), services, queued: requests.length, warnings: all };
  }

  /** Lists the Services, at most once a second however many look. */
  async view(queue: NonNullable<StatusView['queue']>): Promise<StatusView> {
    const { clock, config, kube } = this.#world;
    const atMs = clock.now();
    if (!this.#services || atMs - this.#services.atMs > LIST_AGE_MS) {
      this.#services = { atMs, list: kube.listServices() };
    }
    const rows = statusRows(await this.#services.list, config, this.#reports);
    const shown = new Set<string>(rows.map((row) => `service/${row.service}`));
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
