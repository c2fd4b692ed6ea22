/** Plays a scenario as an application credential with these access rules, or as a user of Kubernetes with these grants. */
import type { RecordedRequest } from '../../infra/sandbox/front.ts';
import type { Grant } from '../../infra/sandbox/kube/kube-access.ts';
import type { AccessRule } from '../../infra/sandbox/openstack/keystone/access-rules.ts';
import type { OctaviaOptions } from '../../infra/sandbox/openstack/octavia/traits.ts';
import type { SandboxInside } from '../../infra/sandbox/sandbox.ts';
import type { Config } from '../../shared/config/config.ts';
import type { Key, ReconcileRequest } from '../../shared/model/request.ts';
import { isError } from '../../shared/model/errors.ts';
import type { Outcome } from '../../shared/model/outcome.ts';
import { attempt } from '../../shared/observe/reads.ts';
import type { Log, World } from '../../shared/ports.ts';
import { reconcile } from '../../shared/reconcile.ts';
import { serviceDetails } from '../../shared/service/report/object-details.ts';
import { sweep } from '../../shared/sweep.ts';
import { aConfig } from '../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../support/in-process.ts';
import { inVirtualTime } from '../support/virtual-time.ts';

export interface Scenario {
  readonly octavia?: OctaviaOptions;
  /** How long Octavia works on a change; else it is done at the next read. */
  readonly pendingMs?: number;
  readonly config?: (inside: SandboxInside) => Partial<Config>;
  readonly loadBalancer?: Partial<Config['loadBalancer']>;
  /** What was there and settled before, one step after the other, by a user with a password. */
  readonly before?: readonly ((inside: SandboxInside) => void)[];
  /** What changes before the scenario's own login works on it. */
  readonly act: (inside: SandboxInside) => void;
  /** What is run: the Service `web` if nothing is said, and where nothing is named what a sweep finds. */
  readonly wakes?: readonly Key[];
  /** Somebody then looks at the page of `web`. */
  readonly looks?: true;
  /** Only a user with a password comes so far (decision 15). */
  readonly password?: true;
  /** What is not as it should be although all runs settled. */
  readonly missing?: (after: Lived) => string | false;
}

interface Lived {
  readonly inside: SandboxInside;
  /** What the scenario's own login asked for. */
  readonly requests: readonly RecordedRequest[];
  /** What people get to read, in the log and in the cluster. */
  readonly told: string;
}

/** So many runs of one key in a row are enough. */
const MOST_RUNS = 20;
const BETWEEN_SWEEPS_MS = 301_000;

/** `wrong` is empty where all went well. */
export async function live(
  scenario: Scenario,
  accessRules: readonly AccessRule[],
  grants?: readonly Grant[],
): Promise<Lived & { readonly wrong: readonly string[] }> {
  const { octavia, pendingMs = 0, before = [], act, wakes = ['service/default/web'], missing } = scenario;
  const inside = inVirtualTime({ nodes: 2, pendingMs, ...(octavia && { octavia }) });
  const made = work(worldOf(inside, scenario, [], 'password'), inside, []);
  for (const step of before) {
    step(inside);
    for (const outcome of await made.sweepOnce())
      if (outcome.status !== 'settled')
        throw new Error(`what was there before is ${JSON.stringify(outcome)}`);
    inside.clock.advance(BETWEEN_SWEEPS_MS);
  }
  inside.cloud.applicationCredential.accessRules = accessRules;
  const account = 'system:serviceaccount:levelset:levelset';
  const kubeToken = grants === undefined ? inside.kubeToken : inside.addUser(account, grants);
  const own = { ...inside, kubeToken };
  const all: string[] = [];
  const world = worldOf(own, scenario, all, scenario.password ? 'password' : 'application-credential');
  const from = inside.requests.length;
  act(inside);
  const { run, sweepOnce } = work(world, inside, all);
  const outcomes = wakes.length === 0 ? await sweepOnce() : await run(wakes, 'audit');
  const wrong = outcomes.flatMap((one) => (one.status === 'settled' ? [] : [JSON.stringify(one)]));
  const unseen = scenario.looks && (await attempt(serviceDetails('service/default/web', world)));
  if (isError(unseen)) for (const list of [all, wrong]) list.push(unseen.message);
  all.push(...['Service', 'Event', 'Node'].map((kind) => JSON.stringify(inside.kube.list(kind))));
  const told = all.join('\n').replaceAll('\\', '');
  const lived = { inside, told, requests: inside.requests.slice(from) };
  const lacks = missing?.(lived);
  return { ...lived, wrong: lacks ? [...wrong, lacks] : wrong };
}

function worldOf(
  inside: SandboxInside,
  { config, loadBalancer }: Scenario,
  told: string[],
  login: 'password' | 'application-credential',
): World {
  const base = aConfig(AUTH_URL, { createMonitor: false, ...loadBalancer });
  const { id, secret } = inside.cloud.applicationCredential;
  const credentials =
    login === 'password' ? base.openstack.credentials : ({ type: login, id, secret } as const);
  const say = (message: string, fields?: unknown): void => {
    told.push(`${message} ${JSON.stringify(fields)}`);
  };
  const log: Log = { debug: say, info: say, warn: say, error: say };
  const openstack = { ...base.openstack, credentials };
  return inProcessWorld(inside, { ...base, deletionPercent: 100, ...config?.(inside), openstack }, log);
}

/** What a process does, telling how each run ended. */
function work(world: World, { clock }: SandboxInside, told: string[]) {
  const run = async (keys: readonly Key[], first: ReconcileRequest['trigger']): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const key of keys)
      for (let tries = 1; ; tries += 1) {
        const endMs = clock.millis() + world.config.reconcileTimeoutMs;
        const budget = { remainingMs: () => Math.max(0, endMs - clock.millis()) };
        const request = { key, trigger: tries === 1 ? first : 'requeue' } as const;
        const { outcome } = await reconcile(request, world, budget);
        told.push(JSON.stringify(outcome));
        if (outcome.status !== 'progressing' || tries === MOST_RUNS) {
          outcomes.push(outcome);
          break;
        }
        clock.advance(Math.max(300, Math.min(outcome.retryAfterMs, 60_000)));
      }
    return outcomes;
  };
  const sweepOnce = async (): Promise<readonly Outcome[]> => {
    const { failed: message, requests } = await sweep(world);
    const keys = requests.map(({ key }) => key);
    const outcomes = await run(keys, 'sweep');
    if (message === undefined) return outcomes;
    told.push(message);
    return [...outcomes, { status: 'failed', code: 'UNAUTHORIZED', message, retryAfterMs: 0 }];
  };
  return { run, sweepOnce };
}
