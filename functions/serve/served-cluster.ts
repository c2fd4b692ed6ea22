import { type Flags, readFlags } from '../../shared/config/read-flags.ts';
import { errorText } from '../../shared/model/errors.ts';
import type { Report } from '../../shared/model/outcome.ts';
import { summarizeSteps } from '../../shared/plan/render-plan.ts';
import type { Log } from '../../shared/ports.ts';
import type { StatusView } from '../../shared/report/page.ts';
import type { Sweep } from '../../shared/sweep.ts';
import { serviceAccountUser } from '../../shared/trigger/keys-from-audit.ts';
import type { Tokens } from '../../shared/config/tokens.ts';
import type { VerifySender, ServerOptions } from '../http/admit.ts';
import { reconcileLine, sweptLine } from '../log.ts';
import { type ClusterMetrics, UnsettledObjects } from '../metrics.ts';
import type { Connected } from '../world.ts';
import { PageMemory } from '../page/page-memory.ts';
import { MONOTONIC } from '../budget.ts';
import { Webhook } from './webhook.ts';
import { Work, type SharedAmongClusters } from './work.ts';

interface ServedClusterOptions {
  readonly connected: Connected;
  readonly flags: Flags;
  readonly tokens: Tokens;
  readonly log: Log;
  readonly metrics: ClusterMetrics;
  readonly shared?: SharedAmongClusters;
  readonly reported?: (report: Report) => void;
}

export type ClusterEndpoints = Pick<
  ServerOptions,
  | 'clusters'
  | 'verifySender'
  | 'self'
  | 'enqueue'
  | 'dryRun'
  | 'status'
  | 'object'
  | 'observeAudit'
  | 'observeRefusal'
>;

export type ServedCluster = Awaited<ReturnType<typeof makeServedCluster>>;

/** One cluster of a process that serves. Asks nothing of the cluster. Throws CONFIG_INVALID. */
export async function makeServedCluster(options: ServedClusterOptions) {
  const { connected, flags, tokens, log, metrics, shared } = options;
  const { world } = connected;
  const { config } = world;
  const dryRun = flags.dryRun === true;
  const names = [world.cluster ?? config.clusterName];
  const memory = new PageMemory(world, dryRun);
  const unsettled = new UnsettledObjects(() => MONOTONIC.now());
  const webhook = new Webhook({ ...world, isKnown: (key) => memory.isAtWorkOn(key) });
  const isOpen = (): boolean => tokens.auditTokens.length > 0;

  const reported = (report: Report): void => {
    memory.remember(report);
    metrics.observeReconcile(report);
    const waitedMs = unsettled.note(report);
    if (waitedMs !== undefined) metrics.observeAddress(waitedMs);
    const { request, certificates } = report;
    if (!request.dryRun && certificates) metrics.setCertificates(request.key, certificates);
    log.info(
      'reconciled',
      reconcileLine(report, (plan) => summarizeSteps(plan.steps)),
    );
    options.reported?.(report);
  };
  const swept = (found: Sweep): void => {
    memory.rememberSweep(found);
    if (isOpen() && !watches) webhook.swept(found.changed);
    metrics.observeSweep(found.failed === undefined ? 'found' : 'failed');
    if (found.loadBalancersByState) metrics.setLoadBalancers(found.loadBalancersByState);
    for (const [key, certificates] of found.certificates) metrics.setCertificates(key, certificates);
    for (const warning of found.warnings) log.warn(warning);
    if (found.failed === undefined) log.info('swept', sweptLine(found));
    else log.error('the sweep failed', { reason: found.failed });
    learnId().catch((error: unknown) => {
      log.warn('levelset cannot read the id of the cluster, so /audit and /events take only its name', {
        reason: errorText(error),
      });
    });
  };
  /** In a registry its name alone calls a cluster. */
  const learnId = async (): Promise<void> => {
    if (names.length > 1 || world.cluster !== undefined) return;
    const { id } = await connected.cluster();
    if (!names.includes(id)) names.push(id);
  };
  const work = new Work({ connected, dryRun, reported, swept, ...(shared && { shared }) });
  const watches = flags.watch
    ? await connected.watches((keys) => {
        work.enqueue(keys.map((key) => ({ key, trigger: 'watch' })));
      })
    : undefined;
  const verifySender = await senderTokens(flags, connected);
  warnOfClosedDoors(options, watches !== undefined || verifySender !== undefined);

  const view = (): Promise<StatusView> =>
    memory.view({ queue: work.queued(), webhook: webhook.view(), watches: watches?.view() ?? [] });
  const endpoints: ClusterEndpoints = {
    ...(verifySender && { verifySender }),
    clusters: names,
    self: [serviceAccountUser(config.serviceAccount)],
    enqueue: (requests) => {
      work.enqueue(requests);
      return Promise.resolve();
    },
    dryRun: (requests) => work.dryRun(requests),
    status: view,
    object: async (key) => memory.object(key, await view()),
    observeAudit: (counts, keys) => {
      metrics.observeAudit(counts);
      webhook.accepted(keys);
    },
    observeRefusal: (reason) => {
      if (isOpen()) webhook.refused(reason, watches !== undefined);
    },
  };
  return {
    endpoints,
    start: (): void => {
      metrics.beginSweeps(config.sweepIntervalMs);
      work.start();
      watches?.start();
    },
    isIdle: (): boolean => work.idle,
    summary: () => memory.summary(),
    measure: (): void => {
      metrics.setQueue(work.queued());
      metrics.setWebhook(webhook.view());
      metrics.setWatches(watches?.view() ?? []);
      metrics.setUnsettled(unsettled.view());
    },
    missing: () => connected.ready(),
    notes: (): readonly string[] => [webhook.view().trouble ?? [], ...(watches?.troubles() ?? [])].flat(),
    /** Begins nothing any more, and resolves when what is under way has ended: its write is finished. */
    stop: async (): Promise<void> => {
      webhook.stop();
      await Promise.all([work.stop(), watches?.stop()]);
    },
  };
}

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
