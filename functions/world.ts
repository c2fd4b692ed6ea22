import { errorText } from '../shared/model/errors.ts';
import { nameOfLogin } from '../shared/config/clouds/credentials.ts';
import { loadConfig } from '../shared/config/load.ts';
import type { Flags } from '../shared/config/read-flags.ts';
import { countdown } from '../shared/deadline.ts';
import type { Login } from '../shared/kube/connection/connection.ts';
import type { RefuseAddress } from '../shared/http.ts';
import { connectKube } from '../shared/kube/connection/connect-kube.ts';
import { firstConnection } from '../shared/kube/connection/find-connection.ts';
import type { KubeCall, KubeHttp } from '../shared/kube/kube-http.ts';
import { homeOf, type Home } from '../shared/kube/home.ts';
import type { Leading } from '../shared/kube/leader-lease.ts';
import { Answers } from '../shared/memory/answers.ts';
import { newMemory } from '../shared/memory/memory.ts';
import type { ClusterIdentity } from '../shared/model/ownership.ts';
import { connectCloud, type ConnectCloudOptions } from '../shared/openstack/connect-cloud.ts';
import { EndpointSemaphores, type EndpointLoad } from '../shared/openstack/endpoint-semaphore.ts';
import type { Session } from '../shared/openstack/session.ts';
import {
  overSockets,
  REAL_TIME,
  type HttpAnswer,
  type Transport,
} from '../shared/openstack/openstack-http.ts';
import type { Log, World } from '../shared/ports.ts';
import { proxyFromEnv } from '../shared/proxy.ts';
import type { Changed } from '../shared/watch/follower.ts';
import type { Watches } from '../shared/watch/watches.ts';
import type { ObservedCall } from './measured.ts';

export interface WorldOptions {
  /** The name of the cluster; absent in a deployment that serves one. */
  readonly cluster?: string;
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  /** The environment as it is now, asked after a refused login, for secrets that come in variables. */
  readonly envNow?: () => Promise<NodeJS.ProcessEnv>;
  readonly log: Log;
  /** What is to be said about the configuration, where not all of it may be repeated. Absent: what reading it says. */
  readonly warnings?: readonly string[];
  /** For a kubeconfig with `exec` or `auth-provider`. Absent: such a one is refused. */
  readonly login?: Login;
  readonly shareLogin?: ConnectCloudOptions['shareLogin'];
  /** Keeps connections of both sides from addresses. */
  readonly refuse?: RefuseAddress | undefined;
  /** Absent: the process only reads, or leads by a Lease in the cluster that it serves (`Connected.home`). */
  readonly leading?: Leading;
  readonly observeCall?: (call: ObservedCall) => void;
}

export interface Connected {
  readonly world: World;
  /** The first call asks the kube-apiserver. */
  cluster(): Promise<ClusterIdentity>;
  /** Watches of the cluster that call `changed`, not yet started. Their code is loaded when they are asked for. */
  watches(changed: Changed): Promise<Watches>;
  readonly kubeHttp: KubeHttp;
  /** Where the processes meet that serve this cluster alone. Once its Lease is there, a write begins only while this process holds it. */
  readonly home: Home;
  readonly session: Session;
  /** The sides that do not answer, in words, as of at most 5 s ago. Empty: both answer. */
  ready(): Promise<readonly string[]>;
  /** What tells apart the projects of all clouds. The first call asks Keystone. */
  project(): Promise<string>;
}

/** Makes the clients of both sides and the World; nothing else does. Sends no request. Throws CONFIG_INVALID with all that is wrong. */
export async function connect(options: WorldOptions): Promise<Connected> {
  const { cluster, flags, env, envNow = () => Promise.resolve(env), log, login } = options;
  let leading = options.leading;
  const guard = (): void => leading?.guard();
  const { config, openstack, observe } = await connectOpenStack(options, guard);
  const onCall = (call: KubeCall): void => {
    observe({ ...call, service: 'kubernetes' });
  };
  const memory = newMemory();
  const kubernetes = await connectKube({
    ...(flags.kubeconfig !== undefined && { kubeconfig: flags.kubeconfig }),
    env,
    envNow,
    ...(login && { login }),
    guard,
    refuse: options.refuse,
    namespace: config.stateNamespace,
    deployment: () => leading?.deployment,
    sweepIntervalMs: config.sweepIntervalMs,
    log,
    onCall,
  });
  const { kube } = kubernetes;
  const home = homeOf({
    ...{ env, log, onCall, connection: kubernetes.connection, namespace: config.stateNamespace },
  });
  const world: World = {
    ...(cluster !== undefined && { cluster }),
    kube,
    cloud: openstack.cloud,
    calls: openstack.calls,
    clock: CLOCK,
    log,
    config,
    memory,
  };
  const answers = new Answers(1);
  return {
    world,
    cluster: async () => ({ id: await kube.clusterId(), name: config.clusterName }),
    project: openstack.project,
    kubeHttp: kubernetes.http,
    home: {
      ...home,
      lease: async (changed) => {
        const lease = await home.lease(changed);
        leading = lease;
        return lease;
      },
    },
    session: openstack.session,
    watches: async (changed) => {
      const { Watches } = await import('../shared/watch/watches.ts');
      const { createWatch } = await import('../shared/kube/watch-http.ts');
      const { http, connection } = kubernetes;
      return new Watches({ http, watch: createWatch(connection), log, changed });
    },
    ready: () =>
      answers.read('readiness', { keepMs: READY_MS, clock: world.clock }, async () => {
        const leftMs = countdown(READY_MS);
        const asked = missing('kubernetes', () => kubernetes.ready(flags.dryRun !== true, leftMs));
        const sides = [asked, missing('openstack', () => openstack.ready(leftMs))];
        return (await Promise.all(sides)).filter((side) => side !== undefined);
      }),
  };
}

/** What `levelset gc` works with: OpenStack, and the id of the cluster, if a kube-apiserver is configured anywhere. */
export async function connectForGc(
  options: WorldOptions,
): Promise<Pick<World, 'cloud' | 'clock' | 'config'> & { readonly thisOne: string | undefined }> {
  const { flags, env, login } = options;
  const { kubeconfig } = flags;
  if (
    await firstConnection({ ...(kubeconfig !== undefined && { kubeconfig }), ...(login && { login }), env })
  ) {
    const { world } = await connect(options);
    return { ...world, thisOne: await world.kube.clusterId() };
  }
  const { config, openstack } = await connectOpenStack(options);
  return { cloud: openstack.cloud, config, clock: CLOCK, thisOne: undefined };
}

const CLOCK = { now: (): number => Date.now() };

/** All connections of a process with one account share the places of an endpoint. */
const SEMAPHORES = new EndpointSemaphores<HttpAnswer>(REAL_TIME);

export function endpointLoads(): ReadonlyMap<string, EndpointLoad> {
  return SEMAPHORES.loads();
}

async function connectOpenStack(options: WorldOptions, guard?: () => void) {
  const { cluster, flags, env, envNow = () => Promise.resolve(env), log, shareLogin } = options;
  const { config, warnings, secretFrom } = await loadConfig(flags, env);
  for (const warning of options.warnings ?? warnings) log.warn(warning);
  const observe = (call: ObservedCall): void =>
    options.observeCall?.({ ...call, status: call.status === 0 ? undefined : call.status });
  const openstack = connectCloud(config.openstack, {
    observe,
    semaphores: SEMAPHORES,
    ...(shareLogin && { shareLogin }),
    transport: guarded(overSockets(config.openstack, proxyFromEnv(env), options.refuse), guard),
    // decision 460: nothing of an entry of --clusters is repeated
    ...(cluster === undefined && {
      loginRefused: (credentials) => {
        log.warn(
          `Keystone at ${config.openstack.authUrl} refuses ${nameOfLogin(credentials)}: correct the password or secret in ${secretFrom}`,
        );
      },
    }),
    readCredentials: () =>
      envNow()
        .then((now) => loadConfig(flags, now))
        .then(
          (read) => read.config.openstack.credentials,
          () => undefined,
        ),
  });
  return { config, openstack, observe };
}

/** A login writes nothing. */
function guarded(transport: Transport, guard: () => void = () => undefined): Transport {
  return {
    ...transport,
    send: async (request, limitMs) => {
      if (request.method !== 'GET' && request.service !== 'identity') guard();
      return transport.send(request, limitMs);
    },
  };
}

/** The time for a look at both sides, and for which it counts: nobody's calls of /readyz become as many calls. */
const READY_MS = 5_000;

async function missing(side: string, ready: () => Promise<void>): Promise<string | undefined> {
  try {
    await ready();
    return undefined;
  } catch (error) {
    return `${side}: ${errorText(error)}`;
  }
}
