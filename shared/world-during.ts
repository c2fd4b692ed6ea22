import type { World } from './ports.ts';
import type { RunContext } from './run-context.ts';

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
