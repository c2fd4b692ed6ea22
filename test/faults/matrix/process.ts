/** One process of levelset in virtual time, which can die between two requests. */
import type { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Config } from '../../../shared/config/config.ts';
import { observeBelongings } from '../../../shared/gc/belongings.ts';
import { planGc } from '../../../shared/gc/plan-gc.ts';
import { findAnswering, runGc } from '../../../shared/gc/run-gc.ts';
import { KubeClient } from '../../../shared/kube/kube-client.ts';
import { errorText } from '../../../shared/model/errors.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../../shared/model/request.ts';
import type { Log, World } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { cloudTransport, inProcessWorld, kubeHttp } from '../../support/in-process.ts';

/** What one run may take. */
const RUN_MS = 60_000;
/** As the queue: it waits as long as a run says, and no longer than this where a fault lasts. */
const LONGEST_WAIT_MS = 10_000;

export type Inside = SandboxInside & { readonly clock: VirtualClock };

export interface Surroundings {
  readonly inside: Inside;
  readonly config: Config;
  /** What people and programs get to read. */
  readonly told: string[];
  /** Tokens of Keystone that were given out. */
  readonly tokens: Set<string>;
  /** The cluster that is gone. */
  readonly gc: string | undefined;
  /** Looks, after each request to OpenStack. */
  watch?: () => void;
}

export type Process = ReturnType<typeof startProcess>;

export function startProcess(its: Surroundings) {
  const { inside, config } = its;
  const { clock } = inside;
  const dead = Promise.withResolvers<'dead'>();
  let dies = false;
  const tell = (what: string, value?: unknown): void => {
    its.told.push(`${what} ${JSON.stringify(value)}`);
  };
  const unlessDead = <T>(send: () => Promise<T>): Promise<T> => {
    if (!dies) return send();
    dead.resolve('dead');
    return new Promise(() => undefined);
  };
  const orDead = async <T>(work: Promise<T>): Promise<T | undefined> => {
    const done = await Promise.race([work, dead.promise]);
    return done === 'dead' || dies ? undefined : done;
  };
  const own = cloudTransport(inside);
  const send: typeof own.send = (request, limitMs) =>
    unlessDead(async () => {
      const answer = await own.send(request, limitMs).finally(() => its.watch?.());
      const token = answer.headers['x-subject-token'];
      if (typeof token === 'string') its.tokens.add(token);
      return answer;
    });
  const ask = kubeHttp(inside);
  const log: Log = { debug: tell, info: tell, warn: tell, error: tell };
  const namespace = config.stateNamespace;
  const kube = new KubeClient((request) => unlessDead(() => ask(request)), { namespace, log });
  const world: World = { ...inProcessWorld(inside, config, log, { ...own, send }), kube };
  /** Runs the key, coming back as the queue would, until it is settled or blocked, has tried so often, or is dead. */
  const run = async (request: ReconcileRequest, most: number): Promise<Report | undefined> => {
    for (let tries = 1; ; tries += 1) {
      const endMs = clock.millis() + RUN_MS;
      const budget = { remainingMs: () => Math.max(0, endMs - clock.millis()) };
      const trigger = tries === 1 ? request.trigger : 'requeue';
      const report = await orDead(reconcile({ inGroup: true, ...request, trigger }, world, budget));
      if (report === undefined) return undefined;
      const { outcome } = report;
      tell('a run', { outcome, plan: report.plan, applied: report.applied });
      if (outcome.status === 'settled' || outcome.status === 'blocked' || tries === most) return report;
      clock.advance(Math.max(300, Math.min(outcome.retryAfterMs, LONGEST_WAIT_MS)));
    }
  };
  const collect = async (id: string): Promise<void> => {
    const all = await observeBelongings(world.cloud);
    const answering = await findAnswering(all, id, world.cloud);
    const asked = { id, answering, thisOne: await kube.clusterId(), unwrittenForMs: 60_000 };
    const plan = planGc(all, { ...asked, now: clock.millis() });
    tell('gc plans', plan);
    if (plan.approval !== undefined) tell('gc', await runGc(plan, world.cloud));
  };
  return {
    ...{ world, run },
    /** From now on it sends nothing more. */
    die: (): void => {
      dies = true;
    },
    isDead: (): boolean => dies,
    /** A sweep and its runs; how many there were. Undefined if it failed, or died. */
    sweep: async (most: number): Promise<number | undefined> => {
      const found = await orDead(sweep(world));
      if (found === undefined) return undefined;
      tell('a sweep', found);
      for (const request of found.requests) await run(request, most);
      return found.failed === undefined ? found.requests.length : undefined;
    },
    /** What `levelset gc UID` does with the hash of its plan; its wait for Octavia is left out. */
    gc: (id: string): Promise<void> =>
      orDead(
        collect(id).catch((error: unknown) => {
          tell('gc fails', errorText(error));
        }),
      ),
  };
}
