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
  readonly gc?: string;
  /** Looks, after each request to OpenStack. */
  watch?: () => void;
}

let born = 0;

export class Process {
  readonly world: World;
  readonly #its: Surroundings;
  readonly #dead = Promise.withResolvers<'dead'>();
  #dies = false;

  constructor(its: Surroundings) {
    this.#its = its;
    const { inside, config } = its;
    const own = cloudTransport(inside);
    const transport: typeof own = {
      ...own,
      send: (request, limitMs) =>
        this.#unlessDead(async () => {
          const answer = await own.send(request, limitMs).finally(() => its.watch?.());
          const token = answer.headers['x-subject-token'];
          if (typeof token === 'string') its.tokens.add(token);
          return answer;
        }),
    };
    const ask = kubeHttp(inside);
    born += 1;
    const kube = new KubeClient((request) => this.#unlessDead(() => ask(request)), {
      ...{ namespace: config.stateNamespace, log: this.#log() },
    });
    this.world = { ...inProcessWorld(inside, config, this.#log(), transport), kube };
  }

  /** From now on it sends nothing more. */
  die(): void {
    this.#dies = true;
  }

  get isDead(): boolean {
    return this.#dies;
  }

  /** Runs the key, coming back as the queue would, until it is settled or blocked, has tried so often, or is dead. */
  async run(request: ReconcileRequest, most: number): Promise<Report | undefined> {
    const { clock } = this.#its.inside;
    for (let tries = 1; ; tries += 1) {
      const endMs = clock.millis() + RUN_MS;
      const budget = { remainingMs: () => Math.max(0, endMs - clock.millis()) };
      const trigger = tries === 1 ? request.trigger : 'requeue';
      const report = await this.#orDead(
        reconcile({ inGroup: true, ...request, trigger }, this.world, budget),
      );
      if (report === undefined) return undefined;
      const { outcome } = report;
      this.#tell('a run', { outcome, plan: report.plan, applied: report.applied });
      if (outcome.status === 'settled' || outcome.status === 'blocked' || tries === most) return report;
      clock.advance(Math.max(300, Math.min(outcome.retryAfterMs, LONGEST_WAIT_MS)));
    }
  }

  /** A sweep and its runs; how many there were. Undefined if it failed, or died. */
  async sweep(most: number): Promise<number | undefined> {
    const found = await this.#orDead(sweep(this.world));
    if (found === undefined) return undefined;
    this.#tell('a sweep', found);
    for (const request of found.requests) await this.run(request, most);
    return found.failed === undefined ? found.requests.length : undefined;
  }

  /** What `levelset gc UID` does with the hash of its plan; its wait for Octavia is left out. */
  async gc(id: string): Promise<void> {
    const { cloud, kube, clock } = this.world;
    const collect = async (): Promise<void> => {
      const all = await observeBelongings(cloud);
      const answering = await findAnswering(all, id, cloud);
      const asked = { id, answering, thisOne: await kube.clusterId(), unwrittenForMs: 60_000 };
      const plan = planGc(all, { ...asked, now: clock.now() });
      this.#tell('gc plans', plan);
      if (plan.approval !== undefined) this.#tell('gc', await runGc(plan, cloud));
    };
    await this.#orDead(
      collect().catch((error: unknown) => {
        this.#tell('gc fails', errorText(error));
      }),
    );
  }

  async #orDead<T>(work: Promise<T>): Promise<T | undefined> {
    const done = await Promise.race([work, this.#dead.promise]);
    return done === 'dead' || this.#dies ? undefined : done;
  }

  #unlessDead<T>(send: () => Promise<T>): Promise<T> {
    if (!this.#dies) return send();
    this.#dead.resolve('dead');
    return new Promise(() => undefined);
  }

  #tell(what: string, value: unknown): void {
    this.#its.told.push(`${what} ${JSON.stringify(value)}`);
  }

  #log(): Log {
    const say = (message: string, fields?: unknown): void => {
      this.#tell(message, fields);
    };
    return { debug: say, info: say, warn: say, error: say };
  }
}
