/** Of several deployments that serve one cluster one writes to it (decision 527); the others' runs and sweeps end here. */
import type { World } from './ports.ts';

const ANSWER = 'whose the cluster is';

/** Throws CLUSTER_HELD. Asks once between two sweeps. */
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
