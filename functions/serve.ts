import { isSettledWithin } from '../shared/deadline.ts';
import type { LeaderLease } from '../shared/kube/leader-lease.ts';
import { forgetAll } from '../shared/memory/memory.ts';
import { connectWithLogins } from './connect-with-logins.ts';
import { createMetrics } from './metrics.ts';
import { createServer } from './server.ts';
import { listen, parseListen } from './serve/listen.ts';
import { ServedCluster } from './serve/served-cluster.ts';
import {
  addressOf,
  warnOfDryRun,
  warnOfPlainHttp,
  type ServeOptions,
  type Serving,
} from './serve/serving.ts';
import { followTokens } from './serve/token-files.ts';
import { followerServer, WhileLeading, type Led } from './serve/while-leading.ts';
import { endpointLoads } from './world.ts';

export type { ServeOptions, Serving } from './serve/serving.ts';

/** So long the start waits to see whether this process leads. */
const FIRST_LOOK_MS = 2_000;
const LOOK_MS = 60_000;

/**
 * `levelset serve`: the HTTP server, the queue and the sweeps in one process. Of several processes with one namespace for their state the one that holds
 * the Lease works and writes (decision 521). Throws CONFIG_INVALID.
 */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { flags, env, log, reported } = options;
  if (flags.clusters !== undefined && flags.clusters !== '') {
    const { serveClusters } = await import('./clusters/serve-clusters.ts');
    const { sourceOf } = await import('./clusters/source-of.ts');
    return serveClusters(options, await sourceOf(flags.clusters, options));
  }
  let metrics = createMetrics();
  let lease: LeaderLease | undefined;
  const connected = await connectWithLogins({
    flags,
    env,
    log,
    observeCall: (call) => {
      metrics.observeCall(call);
    },
  });
  const { config, memory } = connected.world;
  const { stop: stopTokens, ...tokens } = await followTokens({ flags, env, log });
  warnOfDryRun(flags, log);
  const address = addressOf(flags);
  const make = (): Promise<ServedCluster> =>
    ServedCluster.make({ connected, flags, tokens, log, metrics, ...(reported && { reported }) });
  let next: ServedCluster | undefined = await make();
  const probing = {
    ...tokens,
    open: parseListen(address).loopback,
    ready: () => connected.ready(),
    metrics: () => {
      metrics.setLeader(lease?.leads ?? true);
      metrics.setEndpoints(endpointLoads());
      return metrics.scrape();
    },
    log,
  };

  const lead = async (): Promise<Led> => {
    const cluster = next ?? (await make());
    next = undefined;
    cluster.start();
    return {
      handler: createServer({
        ...probing,
        ...cluster.endpoints,
        byCertificate: flags.auditClientCaFile !== undefined,
        metrics: () => {
          cluster.measure();
          return probing.metrics();
        },
        notes: () => cluster.notes(),
      }),
      get idle() {
        return cluster.idle;
      },
      stop: async () => {
        await cluster.stop();
        forgetAll(memory);
        metrics = createMetrics();
      },
    };
  };
  const tellMissing = (): unknown => connected.ready(); // never rejects, and logs what is missing once
  tellMissing();
  const look = setInterval(tellMissing, LOOK_MS).unref();
  const leader = (): string => lease?.holder ?? 'nobody';
  const work = new WhileLeading(lead, followerServer({ ...probing, leader }), log);
  if (!flags.dryRun) await connected.labelPod(false); // before it is ready: its process may have led before
  const listening = await listen(work.handler, address, flags, { log });
  if (flags.dryRun) await work.change(true);
  else {
    const { promise: changed, resolve } = Promise.withResolvers<undefined>();
    lease = await connected.lease((leads) => {
      resolve(Promise.all([work.change(leads), connected.labelPod(leads)]).then(() => undefined));
    });
    lease.start();
    await isSettledWithin(changed, FIRST_LOOK_MS);
  }
  warnOfPlainHttp(flags, listening, log);
  log.info('listening', { url: listening.url, cluster: config.clusterName });
  return {
    url: listening.url,
    idle: () => work.idle,
    stop: async () => {
      stopTokens();
      clearInterval(look);
      await Promise.all([listening.close(), work.change(false)]);
      await lease?.stop();
    },
  };
}
