/** From the plan to its report: the Service is held, what is about to be made is recorded, and the steps are applied. */
import { apply } from '../apply/apply.ts';
import { deletes, reserveDeletion } from '../apply/reserve-deletion.ts';
import { isError, isRefusedWrite, ReconcileError } from '../model/errors.ts';
import type { Run } from '../model/outcome.ts';
import { FINALIZER } from '../model/ownership.ts';
import { attempt } from '../observe/attempt.ts';
import type { Budget, World } from '../ports.ts';
import { tellPlan } from '../report/plan-notes.ts';
import type { Evaluation } from './evaluate.ts';
import { beginWork, finish } from './finish.ts';
import { noteWrites } from './note-writes.ts';
import { noteFailover, recordRepair, takeBack } from './repair.ts';
import { hasFinalizer } from './unit.ts';

/**
 * Adds the finalizer to a Service that wants a load balancer and does not have the finalizer yet. Nothing is made without it. A load
 * balancer that is there is looked after even so, since it serves.
 */
export async function ensureFinalizer(
  evaluation: Evaluation,
  { kube }: Pick<World, 'kube'>,
): Promise<Evaluation> {
  const { unit } = evaluation;
  if (!unit.service || !unit.wanted || hasFinalizer(unit.service)) return evaluation;
  const finalizers = [...(unit.service.metadata.finalizers ?? []), FINALIZER];
  const patched = await attempt(kube.patchService(unit.service, { metadata: { finalizers } }));
  const service = isError(patched) ? unit.service : patched;
  const held = { ...evaluation, unit: { ...unit, service } };
  if (hasFinalizer(service)) return held;
  const stripped = `the finalizer ${FINALIZER} of Service ${unit.key.slice('service/'.length)} was answered with 200, and a webhook or policy has taken it away; without it levelset makes no load balancer`;
  const unheld = isError(patched) ? patched : new ReconcileError('KUBE_DENIED', stripped);
  if (!isRefusedWrite(unheld) || !evaluation.observed.loadBalancer) throw unheld;
  return { ...held, unheld };
}

/** Whether the plan takes an address away, and the Service is not any more as it was read. Costs one GET, and else none. */
export async function isOutdated(
  { unit, plan }: Evaluation,
  { kube }: Pick<World, 'kube'>,
): Promise<boolean> {
  const takes = plan.steps.some(
    ({ verb, kind }) => verb === 'delete' && (kind === 'loadbalancer' || kind === 'floatingip'),
  );
  if (!takes) return false;
  const now = await kube.getService(unit.name.namespace, unit.name.name);
  const [then, is] = [unit.service, now].map(
    (one) => one && `${one.metadata.uid}/${one.metadata.resourceVersion}`,
  );
  return then !== is;
}

/** Takes room in the deletion budget. If other processes used it up, the plan refuses the deletion. */
async function reserve(evaluation: Evaluation, world: World): Promise<Evaluation> {
  const { plan, leaving } = evaluation;
  if (!leaving || !deletes(plan)) return evaluation;
  return { ...evaluation, plan: await reserveDeletion(plan, leaving, world) };
}

export async function write(planned: Evaluation, world: World, budget: Budget): Promise<Run> {
  const evaluation = await reserve(planned, world);
  tellPlan(evaluation.plan, world);
  const repair = await recordRepair(evaluation, world);
  try {
    await beginWork(evaluation, world);
  } catch (error) {
    if (repair) await takeBack(repair, undefined, world);
    throw error;
  }
  const applied = await apply(evaluation.plan.steps, evaluation.observed.resources, { ...world, budget });
  const isMade = applied.steps.some(({ verb }) => verb === 'failover');
  if (repair && !isMade) await takeBack(repair, applied.error, world);
  if (repair && isMade) await attempt(noteFailover(repair, evaluation, world));
  noteWrites(evaluation, applied, world);
  return finish(evaluation, applied, world);
}
