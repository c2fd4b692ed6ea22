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
  readonly missing?: (after: After) => string | false;
}

export interface After {
  readonly inside: SandboxInside;
  readonly told: string;
  /** What the scenario's own login asked for. */
  readonly requests: readonly RecordedRequest[];
}

export interface Lived {
  readonly requests: readonly RecordedRequest[];
  /** Empty: all went well. */
  readonly wrong: readonly string[];
  /** What people get to read, in the log and in the cluster. */
  readonly told: string;
}

/** So many runs of one key in a row are enough. */
const MOST_RUNS = 20;
const BETWEEN_SWEEPS_MS = 301_000;

export async function live(
  scenario: Scenario,
  accessRules: readonly AccessRule[],
  grants?: readonly Grant[],
): Promise<Lived> {
  const { octavia, pendingMs = 0, before = [], act, wakes = ['service/default/web'], missing } = scenario;
  const inside = inVirtualTime({ nodes: 2, pendingMs, ...(octavia && { octavia }) });
  const told: string[] = [];
  const maker = worldOf(inside, scenario, [], 'password');
  for (const step of before) {
    step(inside);
    for (const outcome of await sweepOnce(maker, inside, [])) expectSettled(outcome);
    inside.clock.advance(BETWEEN_SWEEPS_MS);
  }
  inside.cloud.applicationCredential.accessRules = accessRules;
  const account = 'system:serviceaccount:levelset:levelset';
  const kubeToken = grants === undefined ? inside.kubeToken : inside.addUser(account, grants);
  const own = { ...inside, kubeToken };
  const world = worldOf(own, scenario, told, scenario.password ? 'password' : 'application-credential');
  const from = inside.requests.length;
  act(inside);
  const outcomes =
    wakes.length === 0
      ? await sweepOnce(world, inside, told)
      : await runAll(wakes, world, inside, 'audit', told);
  const unseen = scenario.looks && (await attempt(serviceDetails('service/default/web', world)));
  if (isError(unseen)) told.push(unseen.message);
  told.push(...['Service', 'Event', 'Node'].map((kind) => JSON.stringify(inside.kube.list(kind))));
  const text = told.join('\n').replaceAll('\\', '');
  const requests = inside.requests.slice(from);
  const lacks = missing?.({ inside, told: text, requests });
  const wrong = outcomes.flatMap((outcome) =>
    outcome.status === 'settled' ? [] : [JSON.stringify(outcome)],
  );
  const all = isError(unseen) ? [...wrong, unseen.message] : wrong;
  return { requests, wrong: lacks ? [...all, lacks] : all, told: text };
}

function expectSettled(outcome: Outcome): void {
  if (outcome.status !== 'settled') throw new Error(`what was there before is ${JSON.stringify(outcome)}`);
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

async function sweepOnce(world: World, inside: SandboxInside, told: string[]): Promise<readonly Outcome[]> {
  const { failed, requests } = await sweep(world);
  const outcomes = await runAll(
    requests.map(({ key }) => key),
    world,
    inside,
    'sweep',
    told,
  );
  if (failed === undefined) return outcomes;
  told.push(failed);
  return [...outcomes, { status: 'failed', code: 'UNAUTHORIZED', message: failed, retryAfterMs: 0 }];
}

async function runAll(
  keys: readonly Key[],
  world: World,
  { clock }: SandboxInside,
  first: ReconcileRequest['trigger'],
  told: string[],
): Promise<readonly Outcome[]> {
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
}
