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
import { endpointLoads } from './world.ts';

export type { ServeOptions, Serving } from './serve/serving.ts';

/** `levelset serve`: the HTTP server, the queue and the sweeps in one process. Throws CONFIG_INVALID. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { flags, env, log } = options;
  if (flags.clusters !== undefined && flags.clusters !== '') {
    const { serveClusters } = await import('./clusters/serve-clusters.ts');
    const { sourceOf } = await import('./clusters/source-of.ts');
    return serveClusters(options, await sourceOf(flags.clusters, options));
  }
  const metrics = createMetrics();
  const connected = await connectWithLogins({
    flags,
    env,
    log,
    observeCall: (call) => {
      metrics.observeCall(call);
    },
  });
  const { stop: stopTokens, ...tokens } = await followTokens({ flags, env, log });
  warnOfDryRun(flags, log);
  const { reported } = options;
  const cluster = await ServedCluster.make({
    ...{ connected, flags, tokens, log, metrics },
    ...(reported && { reported }),
  });
  const address = addressOf(flags);
  const app = createServer({
    ...tokens,
    ...cluster.endpoints,
    byCertificate: flags.auditClientCaFile !== undefined,
    open: parseListen(address).loopback,
    metrics: () => {
      cluster.measure();
      metrics.setEndpoints(endpointLoads());
      return metrics.scrape();
    },
    ready: () => cluster.missing(),
    notes: () => cluster.notes(),
    log,
  });
  const listening = await listen(app, address, flags, { log });
  cluster.start();
  warnOfPlainHttp(flags, listening, log);
  log.info('listening', { url: listening.url, cluster: connected.world.config.clusterName });
  return {
    url: listening.url,
    idle: () => cluster.idle,
    stop: async () => {
      stopTokens();
      await Promise.all([listening.close(), cluster.stop()]);
    },
  };
}
