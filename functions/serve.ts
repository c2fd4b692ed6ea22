import { errorText } from '../shared/model/errors.ts';
import { FLAGS } from '../shared/config/flags.ts';
import { readFlags, type Flags } from '../shared/config/read-flags.ts';
import type { Report } from '../shared/model/outcome.ts';
import { summarizeSteps } from '../shared/plan/render-plan.ts';
import type { Log } from '../shared/ports.ts';
import type { Sweep } from '../shared/sweep.ts';
import { serviceAccountUser } from '../shared/trigger/keys-from-audit.ts';
import type { Changed } from '../shared/watch/follower.ts';
import { reconcileLine, sweptLine } from './log.ts';
import { createMetrics } from './metrics.ts';
import { createServer } from './server.ts';
import type { VerifySender } from './http/require-sender.ts';
import { listen, parseListen } from './serve/listen.ts';
import { Memory } from './serve/memory.ts';
import { Webhook } from './serve/webhook.ts';
import { queueOf } from './serve/queue-of.ts';
import { Work } from './serve/work.ts';
import { KubernetesCallers } from './http/kubernetes-callers.ts';
import type { Tokens } from './http/admit.ts';
import { followTokens } from './serve/token-files.ts';
import { connectWithLogins } from './connect-with-logins.ts';
import type { Connected } from './world.ts';

export interface ServeOptions {
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Called for every run that ended, after the log and the metrics. */
  readonly reported?: (report: Report) => void;
}

export interface Serving {
  readonly url: string;
  /** True when no key is queued, running or waiting for Octavia, and no sweep runs or is about to run. */
  readonly idle: () => boolean;
  /** Ends within seconds: finishes the write that is under way and releases its lease. */
  stop(): Promise<void>;
}

/** `levelset serve`: the HTTP server, the queue and the sweeps in one process. Throws CONFIG_INVALID. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { flags, env, log } = options;
  const metrics = createMetrics();
  const connected = await connectWithLogins({
    flags,
    env,
    log,
    observeCall: (call) => {
      metrics.observeCall(call);
    },
  });
  const { config } = connected.world;
  const address = flags.listen ?? FLAGS.listen.default;
  const clusters = [config.clusterName];
  const learnId = async (): Promise<void> => {
    if (clusters.length > 1) return;
    const { id } = await connected.cluster();
    if (!clusters.includes(id)) clusters.push(id);
  };
  const { stop: stopTokens, ...tokens } = await followTokens({ flags, env, log });
  const isOpen = tokens.auditTokens.length > 0;
  const dryRun = flags.dryRun === true;
  if (dryRun)
    log.warn('dry run: levelset shows what it would do, and writes nothing to Kubernetes or OpenStack');
  const queue = await queueOf(flags);
  const memory = new Memory(connected.world, dryRun);
  const webhook = new Webhook({ ...connected.world, isKnown: (key) => memory.isAtWorkOn(key) });
  const work = new Work({
    connected,
    dryRun,
    ...(queue && { queue }),
    told: (report) => {
      memory.remember(report);
    },
    reported: (report) => {
      memory.remember(report);
      metrics.observeReconcile(report);
      const { request, certificates } = report;
      if (!request.dryRun && certificates) metrics.setCertificates(request.key, certificates);
      log.info(
        'reconciled',
        reconcileLine(report, (plan) => summarizeSteps(plan.steps)),
      );
      options.reported?.(report);
    },
    swept: (found) => {
      memory.rememberSweep(found);
      // of several replicas another one may have had the events
      if (isOpen && !watches && !queue) webhook.swept(found.news);
      metrics.observeSweep(found.failed === undefined ? 'found' : 'failed');
      if (found.loadBalancersByState) metrics.setLoadBalancers(found.loadBalancersByState);
      for (const [key, certificates] of found.certificates) metrics.setCertificates(key, certificates);
      logSweep(found, log);
      learnId().catch((error: unknown) => {
        log.warn('/audit and /events take the name of the cluster only: its id cannot be read', {
          reason: errorText(error),
        });
      });
    },
  });
  const changed: Changed = (keys, cause) => {
    const because = cause === undefined ? {} : { cause };
    work.enqueue(keys.map((key) => ({ key, trigger: 'watch', ...because }))).catch((error: unknown) => {
      log.error('what a watch saw could not be queued', { error: errorText(error) });
    });
  };
  const watches = flags.watch ? await connected.watches(changed) : undefined;
  const verifySender = await senderTokens(flags, connected);
  warnOfClosedDoors(tokens, log, watches !== undefined || verifySender !== undefined);
  const app = createServer({
    ...tokens,
    ...(verifySender && { verifySender }),
    callers: new KubernetesCallers(await connected.reviews()),
    clusters,
    byCertificate: flags.auditClientCaFile !== undefined,
    open: parseListen(address).loopback,
    self: [serviceAccountUser(config.serviceAccount)],
    enqueue: (requests) => work.enqueue(requests),
    reconcile: (requests) => work.reconcile(requests),
    status: async () =>
      memory.view({ queue: await work.queued(), webhook: webhook.view(), watches: watches?.view() ?? [] }),
    metrics: async () => {
      metrics.setQueue(await work.queued());
      metrics.setWebhook(webhook.view());
      metrics.setWatches(watches?.view() ?? []);
      return metrics.scrape();
    },
    ready: async () => [
      ...(await connected.ready()),
      ...(work.trouble === undefined ? [] : [`queue: ${work.trouble}`]),
    ],
    notes: () => [webhook.view().trouble ?? [], ...(watches?.troubles() ?? [])].flat(),
    observeAudit: (counts) => {
      metrics.observeAudit(counts);
      webhook.accepted();
    },
    observeRefusal: (reason) => {
      if (isOpen) webhook.refused(reason);
    },
    log,
  });
  const listening = await listen(app, address, flags, { log });
  work.start();
  if (flags.allowPlainHttp && listening.url.startsWith('http:'))
    log.warn('--allow-plain-http: tokens pass in the clear, unless a proxy in front ends TLS', {
      url: listening.url,
    });
  watches?.start();
  log.info('listening', { url: listening.url, cluster: config.clusterName });
  return {
    url: listening.url,
    idle: () => work.idle,
    stop: async () => {
      webhook.stop();
      stopTokens();
      await Promise.all([listening.close(), work.stop(), watches?.stop()]);
    },
  };
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
  const { verifySenderTokens } = await import('./serve/sender-tokens.ts');
  return verifySenderTokens({ http, audience, senders: eventsSenders });
}

function warnOfClosedDoors({ auditTokens, resyncTokens }: Tokens, log: Log, isTold: boolean): void {
  if (auditTokens.length === 0 && !isTold)
    log.warn('LEVELSET_AUDIT_TOKENS is empty: /audit and /events refuse everybody');
  if (resyncTokens.length === 0) log.warn('LEVELSET_RESYNC_TOKENS is empty: /resync refuses everybody');
}

function logSweep(found: Sweep, log: Log): void {
  const { warnings, failed } = found;
  for (const warning of warnings) log.warn(warning);
  if (failed === undefined) log.info('swept', sweptLine(found));
  else log.error('the sweep failed', { reason: failed });
}
