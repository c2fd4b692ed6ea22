import { mayRefer, outOfReach } from '../../model/load-balancer/reach.ts';
import type { ReachConfig, ReferenceKind } from '../../model/load-balancer/reach.ts';
import type { Problem } from '../../model/plan.ts';

/** What a Service names in one annotation. */
export interface Reference {
  readonly namespace: string;
  readonly kind: ReferenceKind;
  readonly field: string;
  /** One id, or several. */
  readonly value: unknown;
}

/** The first of them that is out of reach. It blocks: what would be taken in its place cannot change later, or is less safe. */
export function reachProblem(
  { namespace, kind, field, value }: Reference,
  config: ReachConfig,
): Problem | undefined {
  // whether it needs consent shows when it was found (service/intent/joining.ts)
  if (kind === 'loadbalancer') return undefined;
  const ids = [value].flat().map(String);
  const id = ids.find((one) => one !== '' && !mayRefer(config, namespace, kind, one));
  if (id === undefined) return undefined;
  const message = `${outOfReach(namespace, kind, id)}; nothing is changed until then`;
  return { field, value: id, message, blocking: true };
}
