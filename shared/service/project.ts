/** The project and region of this cluster's load balancers. Elsewhere levelset would find none, make others, and let these go (decision 154). */
import { ReconcileError } from '../model/errors.ts';
import { PLACE, type ProjectAndRegion } from '../model/records.ts';
import { onceAMinute } from '../observe/reads.ts';
import type { World } from '../ports.ts';

/** Throws CONFIG_INVALID if the credentials or the region lead to another place than the recorded one. */
export async function requireProject(world: World): Promise<void> {
  const [recorded, here] = await Promise.all([recordedProject(world), projectOf(world)]);
  if (!recorded || isSame(recorded, here)) return;
  const message = `the credentials are for ${inWords(here)}, but the load balancers of this cluster are in ${inWords(recorded)}, so levelset changes nothing of them; if new ones are to be made here, and the old ones left alone, run: kubectl --namespace ${world.config.stateNamespace} delete configmap ${PLACE}`;
  throw new ReconcileError('CONFIG_INVALID', message);
}

/** Records the place, if none is recorded, or its region, if the record names none. Whoever calls has seen a load balancer of this cluster there. */
export async function recordProject(world: World): Promise<void> {
  const [recorded, here] = await Promise.all([recordedProject(world), projectOf(world)]);
  if (recorded && (recorded.region !== undefined || here.region === undefined || !isSame(recorded, here)))
    return;
  await world.kube.place.save(here);
  world.memory.answers.forget(PLACE);
}

function recordedProject(world: World): Promise<ProjectAndRegion | undefined> {
  return onceAMinute(world, PLACE, () => world.kube.place.load());
}

async function projectOf({ cloud }: World): Promise<ProjectAndRegion> {
  const region = await cloud.region();
  return { project_id: await cloud.projectId(), ...(region === undefined ? {} : { region }) };
}

/** Two regions differ only if both are named: without a name it is the only one, or the first. */
function isSame(one: ProjectAndRegion, other: ProjectAndRegion): boolean {
  const isElsewhere = one.region !== undefined && other.region !== undefined && one.region !== other.region;
  return one.project_id === other.project_id && !isElsewhere;
}

function inWords({ project_id, region }: ProjectAndRegion): string {
  return `project ${project_id}${region === undefined ? '' : ` of region ${region}`}`;
}
