import type { World } from './ports.ts';
import type { RunContext } from './deadline.ts';

/** The World of one run or sweep: all that it asks carries `run`. What this process knows is that of all runs. */
export function worldDuring(world: World, run: RunContext): World {
  const { cloud, kube, memory } = world;
  const answers = memory.answers.during(run);
  const nodePorts = memory.nodePorts.during(run);
  return {
    ...{ ...world, run, cloud: cloud.during(run), kube: kube.during(run) },
    memory: { ...memory, answers, nodePorts },
  };
}

const ANSWER = 'whose the cluster is';

/** Of several deployments that serve one cluster one writes to it (decision 527): throws CLUSTER_HELD in the others. Asks once between two sweeps. */
export function requireCluster({ memory, kube, clock, config }: World): Promise<void> {
  const lifetime = { keepMs: config.sweepIntervalMs, clock };
  return memory.answers.read(ANSWER, lifetime, () => kube.deployment.require());
}

/** Throws CLUSTER_HELD. A sweep of everything keeps the cluster, or claims it. */
export function keepCluster({ memory, kube }: World): Promise<void> {
  forgetCluster({ memory });
  return kube.deployment.renew();
}

/** The next run asks anew. */
export function forgetCluster({ memory }: Pick<World, 'memory'>): void {
  memory.answers.forget(ANSWER);
}
