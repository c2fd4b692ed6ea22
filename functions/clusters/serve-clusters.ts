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
import { followTokens } from '../serve/followed-files.ts';
import { leadOrFollow, type Led, type ServeOptions, type Serving } from '../serve/while-leading.ts';
import type { ProbeOptions } from '../status.ts';
import type { Connected } from '../world.ts';
import { createClustersServer } from './clusters-server.ts';
import { connectEntry, ofCluster, CloudLogins } from './connect-entry.ts';
import { ConnectedClusters } from './connected-clusters.ts';
import { createHash } from 'node:crypto';
import type { SweepTimetable } from '../serve/sweeper.ts';
import { NodeServers } from '../../shared/memory/memory.ts';
import { MemorySlots } from '../../shared/queue/slots.ts';
import { MONOTONIC } from '../budget.ts';

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
  const [logins, projects, timetable] = [new CloudLogins(), new Projects(), new Timetable()];
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
      shared: { slots: await projects.enter(connected), timetable: timetable.of(entry.name) },
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

const SWEEPS_AT_ONCE = 8;
/** A sweep that takes longer goes on without its place. So a thousand clusters have a sweep in an interval of five minutes, whatever hangs. */
export const PLACE_MS = 2_000;
/** So much too early a timer may end, which goes by another clock: the moment that is so near was that one. */
const EARLY_MS = 1_000;

/** When the clusters of one process are swept: at moments by the hashes of their names, which no restart and no other cluster moves. */
export class Timetable {
  readonly #waiting = new Set<() => void>();
  #running = 0;

  of(name: string, now: () => number = () => Date.now()): SweepTimetable {
    const share = createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32;
    return {
      untilNextMs: (everyMs) => {
        const sinceMoment = (now() - share * everyMs) % everyMs;
        const leftMs = Math.ceil(everyMs - ((sinceMoment + everyMs) % everyMs));
        return leftMs > Math.min(EARLY_MS, everyMs / 2) ? leftMs : leftMs + everyMs;
      },
      take: async (run, stopping) => {
        let hasPlace = await this.#place(stopping);
        const leave = (): void => {
          clearTimeout(timer);
          if (hasPlace) this.#leave();
          hasPlace = false;
        };
        const timer = setTimeout(leave, PLACE_MS).unref();
        try {
          return await run();
        } finally {
          leave();
        }
      },
    };
  }

  /** Whether there is a place by now; false when it is to stop. Who came first has it first. */
  #place(stopping: AbortSignal): Promise<boolean> {
    if (stopping.aborted) return Promise.resolve(false);
    if (this.#running < SWEEPS_AT_ONCE) {
      this.#running += 1;
      return Promise.resolve(true);
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const begin = (): void => {
      resolve(true);
    };
    const leave = (): void => {
      this.#waiting.delete(begin);
      resolve(false);
    };
    this.#waiting.add(begin);
    stopping.addEventListener('abort', leave);
    return promise.finally(() => {
      stopping.removeEventListener('abort', leave);
    });
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else this.#running -= 1;
  }
}

const KEYSTONE_MS = 5_000;

/** What the clusters of one project share: the slots for load balancers in Octavia's hands, and whose Nodes its servers are. */
export class Projects {
  readonly #rooms = new Map<string, WeakRef<MemorySlots>>();
  readonly #servers = new Map<string, WeakRef<NodeServers>>();

  /** Brings a cluster into its project; the first one says how many slots there are. While Keystone does not answer it has its own project. */
  async enter({ world, project }: Pick<Connected, 'world' | 'project'>): Promise<MemorySlots> {
    const { cluster = '', config, memory } = world;
    const id = await valueWithin(KEYSTONE_MS, project()).catch(() => undefined);
    const servers = kept(this.#servers, id, () => new NodeServers());
    this.leave(cluster, servers);
    memory.projectServers = servers.of(cluster);
    return kept(this.#rooms, id, () => new MemorySlots(config.concurrentLoadBalancers, MONOTONIC));
  }

  /** Forgets a cluster, but for the project that it is in by now. */
  leave(cluster: string, now?: NodeServers): void {
    for (const known of this.#servers.values()) {
      const servers = known.deref();
      if (servers !== now) servers?.leave(cluster);
    }
  }
}

function kept<T extends object>(all: Map<string, WeakRef<T>>, id: string | undefined, make: () => T): T {
  const known = id === undefined ? undefined : all.get(id)?.deref();
  const its = known ?? make();
  if (id !== undefined && !known) all.set(id, new WeakRef(its));
  return its;
}
