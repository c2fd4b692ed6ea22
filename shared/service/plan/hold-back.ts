import type { Service } from '../../model/kubernetes.ts';
import { onceFor } from '../../model/once-for.ts';
import { LOAD_BALANCER_ID, tagValue } from '../../model/ownership.ts';
import type { Plan } from '../../model/plan.ts';
import type { Key } from '../../model/request.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import { approvalOf } from '../../plan/approval.ts';
import { overBudget } from '../../plan/deletion-budget.ts';
import type { DeletionBudget } from '../../plan/deletion-budget.ts';

interface Facts extends Omit<DeletionBudget, 'together'> {
  readonly vanished: readonly { readonly loadBalancerId: string }[];
}

/** The reason why the load balancer of a Service that has vanished is not deleted; undefined if it may be. */
export function whyHoldBack({ vanished, ...budget }: Facts): string | undefined {
  return overBudget({ ...budget, together: idsOf(vanished) }, 'load balancer');
}

const idsOf = onceFor((vanished: Facts['vanished']): readonly string[] =>
  vanished.map(({ loadBalancerId }) => loadBalancerId),
);

/**
 * The approval to delete what one Service that has vanished has on one load balancer. The tag with the UID of the Service is
 * part of it: a new Service of that name, which inherits the load balancer, is another one.
 */
export function approvalOfDeletion(key: Key, { id, tags }: WireResource): string {
  return approvalOf(['vanished', key, id, tagValue(tags, 'service') ?? null]);
}

/**
 * The approval to delete what a Service has that was let go. It names the load balancer and the time since when the Service says
 * that it was let go, so an approval from before does not hold if levelset has looked after the Service since.
 */
export function approvalOfLetGo(
  { metadata: { uid, annotations } }: Service,
  since: string | undefined,
): string {
  return approvalOf([uid, 'let go', annotations?.[LOAD_BALANCER_ID] ?? null, since ?? null]);
}

/** What a sweep says about what it holds back, with the approvals that release it. */
export interface HeldInWords {
  readonly words: readonly string[];
  readonly approvals: readonly string[];
  /** The approvals that are in the record already. */
  readonly approved: readonly string[];
}

/** The plan with a refusal in place of its steps. */
export function holdBack(
  plan: Plan,
  { address, kind }: ObservedResource,
  why: string,
  approval: string,
  where: string,
): Plan {
  const reason = `its Service is gone without having been deleted; ${why}; the approval belongs on ${where}`;
  return { ...plan, steps: [], refused: [{ address, kind, changes: [], reason, approval }] };
}
