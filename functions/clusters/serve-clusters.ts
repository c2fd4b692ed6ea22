import { hostname } from 'node:os';
import type { Entry, EntrySource } from '../../shared/clusters/entry.ts';
import { Registry } from '../../shared/clusters/registry.ts';
import { isSettledWithin, valueWithin } from '../../shared/deadline.ts';
import type { Home } from '../../shared/kube/home.ts';
import type { Leading } from '../../shared/kube/leader-lease.ts';
import { proxyVariables } from '../../shared/proxy.ts';
import type { ClustersView } from '../../shared/report/page/clusters-page.ts';
import type { Tokens } from '../../shared/config/tokens.ts';
import { createMetricsByCluster, type MetricsByCluster } from '../metrics.ts';
import { makeServedCluster, type ServedCluster } from '../serve/served-cluster.ts';
import { followTokens } from '../serve/token-files.ts';
import { leadOrFollow, type Led, type ServeOptions, type Serving } from '../serve/while-leading.ts';
import type { ProbeOptions } from '../status.ts';
import type { Connected } from '../world.ts';
import { createClustersServer } from './clusters-server.ts';
import { connectEntry, ofCluster } from './connect-entry.ts';
import { ConnectedClusters } from './connected-clusters.ts';
import { Logins } from './logins.ts';
import { Projects } from './projects.ts';
import { Timetable } from './timetable.ts';

/** The first look goes on after that: a thousand clusters that hang take it a minute. */
const FIRST_LOOK_MS = 2_000;

interface ServeClustersOptions extends ServeOptions {
  readonly home?: Home | undefined;
  readonly everyMs?: number;
}

/** `levelset serve --clusters`: each cluster with its own World, queue and sweeps; one process leads all. Throws CONFIG_INVALID. */
export async function serveClusters(options: ServeClustersOptions, source: EntrySource): Promise<Serving> {
  const { flags, env, log, home } = options;
  let metrics = createMetricsByCluster();
  const tokens = await followTokens({ flags, env, log });
  let clusters: ConnectedClusters<ServedCluster> | undefined;
  const lead = async (probing: ProbeOptions, leading: Leading | undefined): Promise<Led> => {
    const leads = leading ?? { guard: () => undefined, deployment: `serve --clusters on ${hostname()}` };
    const led = makeClusters(options, source, tokens, metrics, flags.dryRun ? undefined : leads);
    clusters = led;
    await isSettledWithin(led.start(), FIRST_LOOK_MS); // who starts it hears no signal before
    return {
      handler: createClustersServer({
        ...probing,
        tokens,
        find: (name) => {
          const entry = led.entryOf(name);
          return entry && { tokens: entry.tokens, endpoints: led.get(name)?.endpoints };
        },
        status: () => Promise.resolve(viewOf(led, flags.dryRun === true)),
        metrics: () => {
          metrics.setServed(new Map(led.names.map((name) => [name, led.get(name) !== undefined])));
          for (const cluster of servedBy(led)) cluster.measure();
          return probing.metrics();
        },
        notes: () => notesOf(led),
        log,
      }),
      isIdle: () => led.idle && servedBy(led).every((cluster) => cluster.isIdle()),
      stop: async () => {
        await led.stop();
        clusters = undefined;
        metrics = createMetricsByCluster();
      },
    };
  };
  const serving = await leadOrFollow({
    ...{ flags, lead, log, home, tokens, metrics: () => metrics },
    // the registry is the side without which no cluster is served
    ready: () =>
      Promise.resolve(
        !clusters || clusters.wasRead ? [] : [`clusters: ${clusters.trouble ?? 'not read yet'}`],
      ),
  });
  log.info('listening', { url: serving.url, clusters: clusters?.names.length ?? 0 });
  return {
    ...serving,
    stop: async () => {
      await Promise.all([serving.stop(), source.stop?.()]);
    },
  };
}

function makeClusters(
  { flags, env, log, reported, everyMs }: ServeClustersOptions,
  source: EntrySource,
  tokens: Tokens,
  metrics: MetricsByCluster,
  leading: Leading | undefined,
): ConnectedClusters<ServedCluster> {
  const [logins, projects, timetable] = [new Logins(), new Projects(), new Timetable()];
  const begin = async (entry: Entry, connected: Connected): Promise<ServedCluster> => {
    await metrics.forget(entry.name); // gauges of before would stay: another World may have another cluster
    const cluster = await makeServedCluster({
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
      shared: { slots: await projects.enter(connected), turns: timetable.of(entry.name) },
      ...(reported && { reported }),
    });
    cluster.start();
    return cluster;
  };
  const clusters = new ConnectedClusters<ServedCluster>({
    registry: new Registry(source, { flags, env: proxyVariables(env) }),
    connect: (entry) =>
      connectEntry(entry, {
        ...{ log, logins, ...(leading && { leading }) },
        observeCall: (call) => {
          if (clusters.entryOf(entry.name)) metrics.of(entry.name).observeCall(call); // one may end after its cluster has
        },
      }),
    begin,
    ended: (name) => {
      logins.leave(name);
      projects.leave(name);
      return metrics.forget(name);
    },
    log,
    ...(everyMs !== undefined && { everyMs }),
  });
  return clusters;
}

function servedBy(clusters: ConnectedClusters<ServedCluster>): readonly ServedCluster[] {
  return clusters.names.map((name) => clusters.get(name)).filter((its) => its !== undefined);
}

function viewOf(clusters: ConnectedClusters<ServedCluster>, isDryRun: boolean): ClustersView {
  return {
    generatedAt: new Date().toISOString(),
    clusters: clusters.names.map((cluster) => ({
      cluster,
      isServed: clusters.get(cluster) !== undefined,
      problems: clusters.problemsOf(cluster),
      ...(clusters.get(cluster)?.summary() ?? { states: {}, awaitingApproval: 0 }),
    })),
    ...(isDryRun && { dryRun: true as const }),
    ...(clusters.trouble !== undefined && { trouble: clusters.trouble }),
  };
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
