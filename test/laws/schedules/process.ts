/** One process of levelset: it works while it leads (functions/serve/while-leading.ts). */
import { KubeClient } from '../../../shared/kube/kube-client.ts';
import { LeaderLease } from '../../../shared/kube/leader-lease.ts';
import { forgetAll, newMemory } from '../../../shared/memory/memory.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import type { World } from '../../../shared/ports.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import type { Life, Machine } from './machine.ts';
import { kubeHttpOf, transportOf } from './network.ts';
import { startWork, type ReadDetails } from './work.ts';

export type Process = ReturnType<typeof startProcess>;

export function startProcess(identity: string, machine: Machine) {
  const { config, tell } = machine.its;
  const life: Life = { isOver: false };
  let work: ReturnType<typeof startWork> | undefined;
  /** The changes between leading and following, one after the other. */
  let turn: Promise<void> = Promise.resolve();
  const change = (leads: boolean): Promise<void> => {
    turn = turn.then(async () => {
      if (leads) {
        tell(`${identity} leads`);
        work ??= startWork(identity, world, machine, life);
        work.look('sweep');
        return;
      }
      const before = work;
      work = undefined;
      await before?.stop();
      forgetAll(world.memory);
      tell(`${identity} follows`);
    });
    return turn;
  };
  const namespace = config.stateNamespace;
  const lease = new LeaderLease({
    ...{ identity, namespace, name: 'levelset', log: SILENT },
    http: kubeHttpOf({ identity, machine, life }),
    changed: (leads) => void change(leads),
    clock: {
      monotonic: () => machine.monotonic(),
      wall: () => machine.wall(),
      pause: (ms, signal) => machine.pause(ms, life, signal),
    },
  });
  const sender = { identity, machine, life, guard: lease.guard };
  const { cloud, calls } = connectCloud(config.openstack, { transport: transportOf(sender) });
  const kube = new KubeClient(kubeHttpOf(sender), {
    ...{ namespace, log: SILENT, sweepIntervalMs: config.sweepIntervalMs },
    deployment: () => lease.deployment,
  });
  const clock = { now: () => machine.wall() };
  const world: World = { kube, cloud, calls, clock, log: SILENT, config, memory: newMemory() };
  lease.start();
  return {
    leads: (): boolean => lease.leads && work !== undefined,
    /** Whether it works, and has nothing to do. */
    isIdle: (): boolean => lease.leads && work?.isIdle() === true,
    /** An event comes. One that follows answers 503. */
    tell: async (request: ReadDetails): Promise<void> => {
      await machine.thaws(life);
      work?.look(request);
    },
    /** Nothing of it goes on. */
    kill: (): void => {
      life.isOver = true;
    },
    /** SIGTERM. */
    end: async (): Promise<void> => {
      await change(false);
      await lease.stop();
      life.isOver = true;
    },
  };
}
