import { forgetAll } from '../shared/memory/memory.ts';
import { connectWithLogins } from './connect-with-logins.ts';
import { createMetrics } from './metrics.ts';
import { createServer } from './server.ts';
import { makeServedCluster, type ServedCluster } from './serve/served-cluster.ts';
import { followTokens } from './serve/followed-files.ts';
import { leadOrFollow, type Led, type ServeOptions, type Serving } from './serve/while-leading.ts';
import type { ProbeOptions } from './status.ts';

export type { ServeOptions, Serving } from './serve/while-leading.ts';

const LOOK_MS = 60_000;

/** `levelset serve`. Of several processes with one state namespace the holder of the Lease works and writes (decision 521). Throws CONFIG_INVALID. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { flags, env, log, reported } = options;
  if (flags.clusters !== undefined && flags.clusters !== '') {
    const { serveClusters } = await import('./clusters/serve-clusters.ts');
    const { homeOfClusters, sourceOf } = await import('./clusters/source-of.ts');
    const source = await sourceOf(flags.clusters, options);
    return serveClusters({ ...options, home: await homeOfClusters(flags.clusters, options) }, source);
  }
  let metrics = createMetrics();
  const connected = await connectWithLogins({
    flags,
    env,
    log,
    observeCall: (call) => {
      metrics.observeCall(call);
    },
  });
  const { config, memory } = connected.world;
  const tokens = await followTokens({ flags, env, log });
  const make = (): Promise<ServedCluster> =>
    makeServedCluster({ connected, flags, tokens, log, metrics, ...(reported && { reported }) });
  let next: ServedCluster | undefined = await make();

  const lead = async (probing: ProbeOptions): Promise<Led> => {
    const cluster = next ?? (await make());
    next = undefined;
    cluster.start();
    return {
      handler: createServer({
        ...{ ...tokens, ...probing, ...cluster.endpoints, log },
        metrics: () => {
          cluster.measure();
          return probing.metrics();
        },
        notes: () => cluster.notes(),
      }),
      isIdle: cluster.isIdle,
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
  const serving = await leadOrFollow({
    ...{ flags, lead, log, tokens, home: connected.home },
    ready: () => connected.ready(),
    metrics: () => metrics,
  });
  log.info('listening', { url: serving.url, cluster: config.clusterName });
  return {
    ...serving,
    stop: async () => {
      clearInterval(look);
      await serving.stop();
    },
  };
}
