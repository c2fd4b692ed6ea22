import { type Flags, readFlags } from '../../shared/config/read-flags.ts';
import { errorText } from '../../shared/model/errors.ts';
import type { Report } from '../../shared/model/outcome.ts';
import { summarizeSteps } from '../../shared/plan/render-plan.ts';
import type { Log } from '../../shared/ports.ts';
import type { StatusView } from '../../shared/report/page.ts';
import type { Sweep } from '../../shared/sweep.ts';
import { serviceAccountUser } from '../../shared/trigger/keys-from-audit.ts';
import type { Changed } from '../../shared/watch/follower.ts';
import type { Watches } from '../../shared/watch/watches.ts';
import type { Tokens } from '../../shared/config/tokens.ts';
import type { VerifySender } from '../http/admit.ts';
import type { ServerOptions } from '../http/server-options.ts';
import { reconcileLine, sweptLine } from '../log.ts';
import type { ClusterMetrics } from '../metrics.ts';
import type { Connected } from '../world.ts';
import { PageMemory } from './memory.ts';
import { MONOTONIC } from '../budget.ts';

import { UnsettledObjects } from './unsettled.ts';
import { Webhook } from './webhook.ts';
import { Work, type SharedAmongClusters } from './work.ts';

interface ServedClusterOptions {
  readonly connected: Connected;
  readonly flags: Flags;
  readonly tokens: Tokens;
  readonly log: Log;
  readonly metrics: ClusterMetrics;
  /** What it shares with other clusters of the process; nothing without it. */
  readonly shared?: SharedAmongClusters;
  /** Called for every run that ended, after the log and the metrics. */
  readonly reported?: (report: Report) => void;
}

/** What the HTTP endpoints need of one cluster. */
export type ClusterEndpoints = Pick<
  ServerOptions,
  | 'clusters'
  | 'verifySender'
  | 'self'
  | 'enqueue'
  | 'reconcile'
  | 'status'
  | 'object'
  | 'observeAudit'
  | 'observeRefusal'
>;

/** One cluster of a process that serves: its queue, sweeps and watches, and what is remembered of its runs. */
export class ServedCluster {
  readonly #options: ServedClusterOptions;
  readonly #memory: PageMemory;
  readonly #unsettled = new UnsettledObjects(() => MONOTONIC.now());
  readonly #webhook: Webhook;
  readonly #work: Work;
  /** The names by which requests may call it. */
  readonly #names: string[];
  #watches: Watches | undefined;
  #endpoints: ClusterEndpoints | undefined;

  /** Asks nothing of the cluster. Throws CONFIG_INVALID. */
  static async make(options: ServedClusterOptions): Promise<ServedCluster> {
    const made = new ServedCluster(options);
    await made.#complete();
    return made;
  }

  private constructor(options: ServedClusterOptions) {
    this.#options = options;
    const { connected, flags, log, metrics, shared } = options;
    const { world } = connected;
    const dryRun = flags.dryRun === true;
    this.#names = [world.cluster ?? world.config.clusterName];
    this.#memory = new PageMemory(world, dryRun);
    this.#webhook = new Webhook({ ...world, isKnown: (key) => this.#memory.isAtWorkOn(key) });
    this.#work = new Work({
      connected,
      dryRun,
      ...(shared && { shared }),
      reported: (report) => {
        this.#memory.remember(report);
        metrics.observeReconcile(report);
        const waitedMs = this.#unsettled.note(report);
        if (waitedMs !== undefined) metrics.observeAddress(waitedMs);
        const { request, certificates } = report;
        if (!request.dryRun && certificates) metrics.setCertificates(request.key, certificates);
        log.info(
          'reconciled',
          reconcileLine(report, (plan) => summarizeSteps(plan.steps)),
        );
        options.reported?.(report);
      },
      swept: (found) => {
        this.#swept(found);
      },
    });
  }

  get endpoints(): ClusterEndpoints {
    if (!this.#endpoints) throw new Error('the cluster is not complete');
    return this.#endpoints;
  }

  get #isOpen(): boolean {
    return this.#options.tokens.auditTokens.length > 0;
  }

  /** Starts the first sweep and the interval, and the watches. */
  start(): void {
    this.#options.metrics.beginSweeps(this.#options.connected.world.config.sweepIntervalMs);
    this.#work.start();
    this.#watches?.start();
  }

  /** True when no key is queued, running or waiting for Octavia, and no sweep runs or is about to run. */
  get idle(): boolean {
    return this.#work.idle;
  }

  /** What a page of many clusters shows of it. */
  summary(): ReturnType<PageMemory['summary']> {
    return this.#memory.summary();
  }

  /** Sets the metrics of what is now, right before they are read. */
  measure(): void {
    const { metrics } = this.#options;
    metrics.setQueue(this.#work.queued());
    metrics.setWebhook(this.#webhook.view());
    metrics.setWatches(this.#watches?.view() ?? []);
    metrics.setUnsettled(this.#unsettled.view());
  }

  /** The sides that do not answer, in words. */
  async missing(): Promise<readonly string[]> {
    return this.#options.connected.ready();
  }

  notes(): readonly string[] {
    return [this.#webhook.view().trouble ?? [], ...(this.#watches?.troubles() ?? [])].flat();
  }

  /** Begins nothing any more, and resolves when what is under way has ended: its write is finished. */
  async stop(): Promise<void> {
    this.#webhook.stop();
    await Promise.all([this.#work.stop(), this.#watches?.stop()]);
  }

  async #complete(): Promise<void> {
    const { connected, flags } = this.#options;
    const { config } = connected.world;
    this.#watches = flags.watch ? await connected.watches(this.#changed) : undefined;
    const verifySender = await senderTokens(flags, connected);
    warnOfClosedDoors(this.#options, this.#watches !== undefined || verifySender !== undefined);
    this.#endpoints = {
      ...(verifySender && { verifySender }),
      clusters: this.#names,
      self: [serviceAccountUser(config.serviceAccount)],
      enqueue: (requests) => {
        this.#work.enqueue(requests);
        return Promise.resolve();
      },
      reconcile: (requests) => this.#work.reconcile(requests),
      status: () => this.#view(),
      object: async (key) => this.#memory.object(key, await this.#view()),
      observeAudit: (counts, keys) => {
        this.#options.metrics.observeAudit(counts);
        this.#webhook.accepted(keys);
      },
      observeRefusal: (reason) => {
        if (this.#isOpen) this.#webhook.refused(reason, this.#watches !== undefined);
      },
    };
  }

  #view(): Promise<StatusView> {
    const [webhook, watches] = [this.#webhook.view(), this.#watches?.view() ?? []];
    return this.#memory.view({ queue: this.#work.queued(), webhook, watches });
  }

  readonly #changed: Changed = (keys) => {
    this.#work.enqueue(keys.map((key) => ({ key, trigger: 'watch' })));
  };

  #swept(found: Sweep): void {
    const { log, metrics } = this.#options;
    this.#memory.rememberSweep(found);
    if (this.#isOpen && !this.#watches) this.#webhook.swept(found.news);
    metrics.observeSweep(found.failed === undefined ? 'found' : 'failed');
    if (found.loadBalancersByState) metrics.setLoadBalancers(found.loadBalancersByState);
    for (const [key, certificates] of found.certificates) metrics.setCertificates(key, certificates);
    logSweep(found, log);
    this.#learnId().catch((error: unknown) => {
      log.warn('/audit and /events take the name of the cluster only: its id cannot be read', {
        reason: errorText(error),
      });
    });
  }

  /** In a registry its name alone calls a cluster. */
  async #learnId(): Promise<void> {
    const { connected } = this.#options;
    if (this.#names.length > 1 || connected.world.cluster !== undefined) return;
    const { id } = await connected.cluster();
    if (!this.#names.includes(id)) this.#names.push(id);
  }
}

/** Its code is loaded when it is asked for. */
async function senderTokens(
  flags: Flags,
  { kubeHttp: http, world }: Connected,
): Promise<VerifySender | undefined> {
  const { eventsAudience: audience, eventsSenders = [`${world.config.stateNamespace}/*`] } = readFlags(
    flags,
    [],
  );
  if (audience === undefined) return undefined;
  const { verifySenderTokens } = await import('./sender-tokens.ts');
  return verifySenderTokens({ http, audience, senders: eventsSenders });
}

function warnOfClosedDoors({ connected, tokens, log }: ServedClusterOptions, isTold: boolean): void {
  const { cluster } = connected.world;
  const given = (variable: string, text: string): string =>
    cluster === undefined ? `${variable} is` : `${text} of the entry and ${variable} are`;
  if (tokens.auditTokens.length === 0 && !isTold)
    log.warn(`${given('LEVELSET_AUDIT_TOKENS', 'audit-tokens')} empty: /audit and /events refuse everybody`);
  if (tokens.resyncTokens.length === 0)
    log.warn(`${given('LEVELSET_RESYNC_TOKENS', 'resync-tokens')} empty: /resync refuses everybody`);
}

function logSweep(found: Sweep, log: Log): void {
  const { warnings, failed } = found;
  for (const warning of warnings) log.warn(warning);
  if (failed === undefined) log.info('swept', sweptLine(found));
  else log.error('the sweep failed', { reason: failed });
}
