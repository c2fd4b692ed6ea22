import type { Entry, Source } from '../../shared/clusters/entry.ts';
import { Registry } from '../../shared/clusters/registry.ts';
import { isSettledWithin, valueWithin } from '../../shared/deadline.ts';
import { proxyVariables } from '../../shared/proxy.ts';
import { createMetricsByCluster } from '../metrics.ts';
import { listen, parseListen } from '../serve/listen.ts';
import { ServedCluster } from '../serve/served-cluster.ts';
import {
  addressOf,
  warnOfDryRun,
  warnOfPlainHttp,
  type ServeOptions,
  type Serving,
} from '../serve/serving.ts';
import { followTokens } from '../serve/token-files.ts';
import { endpointLoads, type Connected } from '../world.ts';
import { createClustersServer } from './clusters-server.ts';
import { connectEntry, ofCluster } from './connect-entry.ts';
import { ConnectedClusters } from './connected-clusters.ts';
import { Logins } from './logins.ts';
import { Projects } from './projects.ts';
import { Timetable } from './timetable.ts';

/** The first look goes on after that: a thousand clusters that hang take it a minute. */
const FIRST_LOOK_MS = 2_000;

/**
 * `levelset serve --clusters`: the same for several clusters, each with its own World, queue and sweeps. Throws CONFIG_INVALID.
 */
export async function serveClusters(
  { flags, env, log, reported }: ServeOptions,
  source: Source,
  everyMs?: number,
): Promise<Serving> {
  const registry = new Registry(source, { flags, env: proxyVariables(env) });
  const metrics = createMetricsByCluster();
  const { stop: stopTokens, ...tokens } = await followTokens({ flags, env, log });
  warnOfDryRun(flags, log);
  const [logins, projects, timetable] = [new Logins(), new Projects(), new Timetable()];

  const connect = async (entry: Entry): Promise<Connected> => {
    const own = metrics.of(entry.name);
    return connectEntry(entry, {
      log,
      logins,
      observeCall: (call) => {
        if (clusters.entryOf(entry.name)) own.observeCall(call); // one may end after its cluster has
      },
    });
  };
  const begin = async (entry: Entry, connected: Connected): Promise<ServedCluster> => {
    await metrics.forget(entry.name); // gauges of before would stay: another World may have another cluster
    const cluster = await ServedCluster.make({
      connected,
      flags: entry.settings.flags,
      tokens: {
        // they may change while the World stays
        get auditTokens() {
          return [...(clusters.entryOf(entry.name) ?? entry).tokens.auditTokens, ...tokens.auditTokens];
        },
        resyncTokens: [...entry.tokens.resyncTokens, ...tokens.resyncTokens],
        pageTokens: [],
      },
      log: ofCluster(log, entry.name),
      metrics: metrics.of(entry.name),
      shared: { room: await projects.enter(connected), turns: timetable.of(entry.name) },
      ...(reported && { reported }),
    });
    cluster.start();
    return cluster;
  };
  const clusters = new ConnectedClusters({
    registry,
    connect,
    begin,
    ended: (name) => {
      logins.leave(name);
      projects.leave(name);
      return metrics.forget(name);
    },
    log,
    ...(everyMs !== undefined && { everyMs }),
  });
  const served = (): readonly ServedCluster[] =>
    clusters.names.map((name) => clusters.get(name)).filter((its) => its !== undefined);

  const address = addressOf(flags);
  const app = createClustersServer({
    tokens,
    byCertificate: flags.auditClientCaFile !== undefined,
    open: parseListen(address).loopback,
    find: (name) => {
      const entry = clusters.entryOf(name);
      return entry && { tokens: entry.tokens, endpoints: clusters.get(name)?.endpoints };
    },
    status: () =>
      Promise.resolve({
        generatedAt: new Date().toISOString(),
        clusters: clusters.names.map((cluster) => ({
          cluster,
          isServed: clusters.get(cluster) !== undefined,
          problems: clusters.problemsOf(cluster),
          ...(clusters.get(cluster)?.summary() ?? { states: {}, awaitingApproval: 0 }),
        })),
        ...(flags.dryRun && { dryRun: true as const }),
        ...(clusters.trouble !== undefined && { trouble: clusters.trouble }),
      }),
    metrics: async () => {
      metrics.setServed(new Map(clusters.names.map((name) => [name, clusters.get(name) !== undefined])));
      metrics.setEndpoints(endpointLoads());
      for (const cluster of served()) cluster.measure();
      return metrics.scrape();
    },
    ready: () => Promise.resolve(missingOf(clusters)),
    notes: () => notesOf(clusters),
    log,
  });
  const listening = await listen(app, address, flags, { log });
  warnOfPlainHttp(flags, listening, log);
  await isSettledWithin(clusters.start(), FIRST_LOOK_MS); // who starts it hears no signal before
  log.info('listening', { url: listening.url, clusters: clusters.names.length });
  return {
    url: listening.url,
    idle: () => clusters.idle && served().every(({ idle }) => idle),
    stop: async () => {
      stopTokens();
      await Promise.all([listening.close(), clusters.stop(), source.stop?.()]);
    },
  };
}

/** The sides without which no cluster is served. */
function missingOf({ wasRead, trouble }: ConnectedClusters<ServedCluster>): readonly string[] {
  return wasRead ? [] : [`clusters: ${trouble ?? 'not read yet'}`];
}

/** Nobody who asks waits longer for the sides of any cluster. */
const NOTES_MS = 1_000;
const UNKNOWN = 'its kube-apiserver or its OpenStack did not answer within a second';

/** What makes no other cluster unready: each line names its cluster. */
async function notesOf(clusters: ConnectedClusters<ServedCluster>): Promise<readonly string[]> {
  const ofEach = clusters.names.map(async (name) => {
    const its = clusters.get(name);
    const sides = its && (await valueWithin(NOTES_MS, its.missing()));
    const notes = its ? [...(sides ?? [UNKNOWN]), ...its.notes()] : [];
    return [...clusters.problemsOf(name), ...notes.map((note) => `${name}: ${note}`)];
  });
  const trouble = clusters.trouble === undefined ? [] : [`clusters: ${clusters.trouble}`];
  return [...trouble, ...(await Promise.all(ofEach)).flat()];
}
