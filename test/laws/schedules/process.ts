/** One process of levelset: it works while it leads (functions/serve/while-leading.ts). */
import { KubeClient } from '../../../shared/kube/kube-client.ts';
import { LeaderLease } from '../../../shared/kube/leader-lease.ts';
import { forgetAll, newMemory } from '../../../shared/memory/memory.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import type { World } from '../../../shared/ports.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import type { Life, Machine } from './machine.ts';
import { kubeHttpOf, transportOf } from './network.ts';
import { Work, type ReadDetails } from './work.ts';

export class Process {
  readonly identity: string;
  readonly #machine: Machine;
  readonly #life: Life = { isOver: false };
  readonly #lease: LeaderLease;
  readonly #world: World;
  #work: Work | undefined;
  /** The changes between leading and following, one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(identity: string, machine: Machine) {
    this.identity = identity;
    this.#machine = machine;
    const { config } = machine.its;
    const life = this.#life;
    const namespace = config.stateNamespace;
    const lease = new LeaderLease({
      ...{ identity, namespace, name: 'levelset', log: SILENT },
      http: kubeHttpOf({ identity, machine, life }),
      changed: (leads) => void this.#change(leads),
      clock: {
        monotonic: () => machine.monotonic(),
        wall: () => machine.wall(),
        pause: (ms, signal) => machine.pause(ms, life, signal),
      },
    });
    this.#lease = lease;
    const sender = { identity, machine, life, guard: lease.guard };
    const { cloud, calls } = connectCloud(config.openstack, { transport: transportOf(sender) });
    const kube = new KubeClient(kubeHttpOf(sender), {
      ...{ namespace, log: SILENT, sweepIntervalMs: config.sweepIntervalMs },
      deployment: () => lease.deployment,
    });
    const clock = { now: () => machine.wall() };
    this.#world = { kube, cloud, calls, clock, log: SILENT, config, memory: newMemory() };
    lease.start();
  }

  /** Whether it works, and has nothing to do. */
  get isIdle(): boolean {
    return this.#lease.leads && this.#work?.idle === true;
  }

  get leads(): boolean {
    return this.#lease.leads && this.#work !== undefined;
  }

  /** An event comes. One that follows answers 503. */
  async tell(request: ReadDetails): Promise<void> {
    await this.#machine.thaws(this.#life);
    this.#work?.look(request);
  }

  /** Nothing of it goes on. */
  kill(): void {
    this.#life.isOver = true;
  }

  /** SIGTERM. */
  async end(): Promise<void> {
    await this.#change(false);
    await this.#lease.stop();
    this.#life.isOver = true;
  }

  #change(leads: boolean): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      if (leads) {
        this.#machine.its.tell(`${this.identity} leads`);
        this.#work ??= new Work(this.identity, this.#world, this.#machine, this.#life);
        this.#work.look('sweep');
        return;
      }
      const work = this.#work;
      this.#work = undefined;
      await work?.stop();
      forgetAll(this.#world.memory);
      this.#machine.its.tell(`${this.identity} follows`);
    });
    return this.#turn;
  }
}
