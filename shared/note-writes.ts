import { lockOf } from './apply/apply.ts';
import type { Applied } from './apply/apply.ts';
import type { Look } from './look.ts';
import { afterwards } from './observe/afterwards.ts';
import { forget, rememberWritten } from './observe/recollection.ts';
import type { World } from './ports.ts';

/**
 * What this process expects on the load balancer after its own writes, so that the run that comes back asks one question
 * instead of one per listener, pool and monitor. Anything doubtful is forgotten, and then read in full.
 */
export function noteWrites(
  look: Look,
  applied: Applied,
  { cloud, clock }: Pick<World, 'cloud' | 'clock'>,
): void {
  const lb = applied.known.get('lb');
  if (!lb || !applied.steps.some((step) => lockOf(step) === 'lb')) return;
  const gone = applied.steps.some((step) => step.verb === 'delete' && step.kind === 'loadbalancer');
  if (gone || applied.error || !look.unit.wanted) {
    forget(lb.id, cloud);
    return;
  }
  const { unit, cluster, observed } = look;
  const children = observed.resources.filter(({ kind }) => kind !== 'loadbalancer' && kind !== 'floatingip');
  const written = { steps: applied.steps, known: applied.known, name: unit.name, cluster };
  rememberWritten(lb.id, afterwards(children, written), cloud, clock.now());
}
