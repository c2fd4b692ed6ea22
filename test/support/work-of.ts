import { onTestFinished } from 'vitest';
import { Work } from '../../functions/serve/work.ts';
import type { World } from '../../shared/ports.ts';

/** The queue of a process, of whose runs nobody hears. */
export function workOf(world: World): Work {
  const cluster = async () => ({ id: await world.kube.clusterId(), name: world.config.clusterName });
  const work = new Work({ connected: { world, cluster }, reported: () => undefined, swept: () => undefined });
  onTestFinished(() => work.stop());
  return work;
}
