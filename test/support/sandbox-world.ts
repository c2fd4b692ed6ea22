import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { startSandbox, type Sandbox } from '../../infra/sandbox/sandbox.ts';
import type { SandboxInside, SandboxOptions } from '../../infra/sandbox/sandbox.ts';
import type { Config } from '../../shared/config/config.ts';
import { forgetNodes } from '../../shared/observe/reads.ts';
import type { Report } from '../../shared/model/outcome.ts';
import { asServiceKey, serviceKey, type ReconcileRequest } from '../../shared/model/request.ts';
import type { Budget, Log, World } from '../../shared/ports.ts';
import { REAL_TIME } from '../../shared/openstack/openstack-http.ts';
import { reconcile } from '../../shared/reconcile.ts';
import { sweep, type Sweep } from '../../shared/sweep.ts';
import { aConfig } from './config.ts';
import { cloudTransport, inProcessWorld } from './in-process.ts';
import { aService, type Wanted } from './service.ts';
import { readyOf } from './told.ts';

const silent = (): void => undefined;
/** A log that nobody reads. */
export const SILENT: Log = { debug: silent, info: silent, warn: silent, error: silent };

const APPROVE = 'levelset.openstack.org/approve';
/** So long anything may take to come to rest. */
const SETTLED_MS = 20_000;

interface Change extends Pick<Wanted, 'name' | 'spec'> {
  readonly finalizers?: readonly string[];
  /** Null takes an annotation away. */
  readonly annotations?: Readonly<Record<string, string | null>>;
}

export type SandboxWorld = Awaited<ReturnType<typeof startSandboxWorld>>;

/**
 * The whole pipeline against the simulators, without sockets, and with a clock that is not theirs. Other processes reach
 * them over HTTP. With `cloudOf` the cluster is one of its own and the cloud that sandbox's: two clusters in one project.
 */
export async function startSandboxWorld(
  options: SandboxOptions = {},
  config?: Partial<Config['loadBalancer']>,
  cloudOf?: Sandbox,
) {
  const sandbox = await startSandbox({ pendingMs: 2, ...options, ...(cloudOf ? { nodes: 0 } : {}) });
  if (cloudOf && options.nodes !== 0)
    for (const name of ['other-1', 'other-2']) addNodeIn(cloudOf, name, sandbox);
  const { authUrl } = cloudOf ?? sandbox;
  const directory = mkdtempSync(join(tmpdir(), 'levelset-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const cloudConfig = join(directory, 'cloud.conf');
  writeFileSync(kubeconfig, kubeconfigFor(sandbox));
  writeFileSync(cloudConfig, cloudConfFor(authUrl));
  const transport = { ...cloudTransport(cloudOf ?? sandbox), ...REAL_TIME };
  const another = (other: Partial<Config> = {}): Promise<World> =>
    Promise.resolve({
      ...inProcessWorld(sandbox, { ...aConfig(authUrl, config), ...other }, SILENT, transport),
      clock: { now: () => Date.now() },
    });
  const world = await another();
  const settle = async (name: string, request: Partial<ReconcileRequest> = {}, by: World = world) => {
    const [namespace, last] = partsOf(name);
    const end = Date.now() + SETTLED_MS;
    while (Date.now() < end) {
      const report = await run({ key: serviceKey(namespace, last), trigger: 'audit', ...request }, by);
      if (report.outcome.status !== 'progressing') return report;
      await pause(3);
    }
    throw new Error(`${name} did not settle`);
  };
  const sweepUntilSettled = async (by: World = world): Promise<number> => {
    const end = Date.now() + SETTLED_MS;
    for (let sweeps = 1; Date.now() < end; sweeps += 1) {
      const found = await sweep(by);
      if (found.failed !== undefined) throw new Error(found.failed);
      const reports = await runAll(found, by);
      if (reports.every(({ outcome }) => outcome.status === 'settled')) return sweeps;
      await pause(3);
    }
    throw new Error('the world did not settle');
  };
  const { cloud, kube, fault, requests, advanceClock } = sandbox;
  /** Puts this on a Service, beside what it has. */
  const edit = ({ name = 'web', spec, ...metadata }: Change) => {
    const own = { name, namespace: 'default', ...metadata };
    return kube.apply({ kind: 'Service', metadata: own, ...(spec && { spec }) });
  };
  /** What the condition of a Service says. */
  const told = (name = 'web'): string => {
    const { message } = readyOf(sandbox, name) ?? {};
    if (message === undefined) throw new Error(`no condition of ${name}`);
    return message;
  };
  /** The approval that it asks for. */
  const approval = (name?: string): string => {
    const [, hash] = /approve: ([0-9a-f]{12})/.exec(told(name)) ?? [];
    if (hash === undefined) throw new Error(`no approval in: ${told(name)}`);
    return hash;
  };
  return {
    ...{ cloud, kube, fault, requests, advanceClock },
    ...{ sandbox, world },
    /** Files that lead another process to the same place. */
    ...{ kubeconfig, cloudConfig },
    /** A further process: other identity, own caches, and as far as it is said another configuration. */
    another,
    /** Runs one key, coming back as the queue would, until it is settled, blocked or failed: `NAME` or `NS/NAME`. */
    settle,
    /** Applies a Service, and settles it. */
    make: (
      { name = 'web', namespace = 'default', ...wanted }: Wanted = {},
      ...how: [options?: Partial<ReconcileRequest>, by?: World]
    ) => {
      kube.apply(aService({ name, namespace, ...wanted }));
      return settle(`${namespace}/${name}`, ...how);
    },
    edit,
    /** Gives a Service the approval that its condition asks for. */
    approve: (name = 'web') => edit({ name, annotations: { [APPROVE]: approval(name) } }),
    /** One run, by default of `web` for an event. */
    once: (request?: Partial<ReconcileRequest>, by: World = world) =>
      run({ key: 'service/default/web', trigger: 'audit', ...request }, by),
    /** This world with the time so much later. */
    later: (ms: number): World => ({ ...world, clock: { now: () => Date.now() + ms } }),
    ...{ told, approval },
    /** Deletes the Service, and settles. */
    remove: (name: string) => {
      sandbox.kube.delete('Service', ...partsOf(name));
      return settle(name);
    },
    /** Sweeps and runs what it found until a sweep finds nothing to do. */
    sweepUntilSettled,
    /** Applies these Services, and sweeps until nothing is left to do. */
    create: (...names: readonly string[]) => {
      for (const name of names) kube.apply(aService({ name }));
      return sweepUntilSettled();
    },
    close: async (): Promise<void> => {
      rmSync(directory, { recursive: true });
      await sandbox.close();
    },
  };
}

/** A Node of this cluster whose server is in another sandbox's cloud. */
export function addNodeIn(
  { cloud }: Pick<SandboxInside, 'cloud'>,
  name: string,
  { kube }: Pick<SandboxInside, 'kube'>,
): void {
  const { id } = cloud.addNovaServer(name);
  const [port] = cloud.ports.filter(({ device_id: device }) => device === id);
  const addresses = [{ type: 'InternalIP', address: port?.fixed_ips[0]?.ip_address ?? '' }];
  const spec = { providerID: `openstack:///${id}` };
  kube.apply({ kind: 'Node', metadata: { name }, spec, status: { addresses } });
}

/** Of `NAME` or `NS/NAME`: namespace and name. */
function partsOf(service: string): readonly [namespace: string, name: string] {
  const [name = '', namespace = 'default'] = service.split('/').reverse();
  return [namespace, name];
}

/** One run, as the only one. For a Service what a test did to Nodes counts at once, as after the sweep that follows such a change. */
export function run(request: ReconcileRequest, world: World, budget?: Pick<Budget, 'mayCreate'>) {
  if (asServiceKey(request.key)) forgetNodes(world);
  const until = Date.now() + world.config.reconcileTimeoutMs;
  return reconcile({ inGroup: true, ...request }, world, {
    ...budget,
    remainingMs: () => until - Date.now(),
  });
}

/** Runs at once, and those of Services that share load balancers one after the other. */
export async function runAll({ requests }: Pick<Sweep, 'requests'>, world: World) {
  const reports = await Promise.all(requests.map((request) => run({ ...request, inGroup: false }, world)));
  const ended: Report[] = [];
  for (const report of reports) {
    const needsGroup = report.outcome.status === 'progressing' && report.outcome.needsGroup;
    ended.push(needsGroup ? await run({ ...report.request, inGroup: true }, world) : report);
  }
  return ended;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when `check` holds. Throws after half a minute: the machine may be busy. */
export async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`not within 30 s: ${what}`);
    await pause(20);
  }
}

/** A kubeconfig with one cluster and one user. */
export function kubeconfigOf(cluster: object, user: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'sandbox', cluster }],
    users: [{ name: 'levelset', user }],
    contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user: 'levelset' } }],
    'current-context': 'sandbox',
  });
}

export function kubeconfigFor(sandbox: Sandbox): string {
  return kubeconfigOf({ server: sandbox.kubeUrl }, { token: sandbox.kubeToken });
}

/** What aConfig says, as a file. */
export function cloudConfFor(authUrl: string): string {
  return `[Global]
auth-url = ${authUrl}
username = demo
password = demo
tenant-name = demo
domain-name = Default
[LoadBalancer]
create-monitor = true
`;
}

/** The world of the test that runs: each test of the file has its own, which is closed after it. */
export function inEachTest<T extends { close(): unknown }>(start: () => Promise<T>): T {
  const its: { world?: T } = {};
  beforeEach(async () => {
    its.world = await start();
  });
  afterEach(() => its.world?.close());
  return new Proxy({} as T, { get: (_, name) => Reflect.get(its.world ?? {}, name) as unknown });
}
