import type { Problem } from '../../../model/plan.ts';

/** None is taken, and no further one is made beside them. */
export function ambiguityProblems(ids: readonly string[] = []): readonly Problem[] {
  if (ids.length === 0) return [];
  const message = `could all be this Service's, by name and address: name one in the annotation loadbalancer.openstack.org/load-balancer-id`;
  return [{ field: 'load balancer', value: ids.join(', '), message, blocking: true }];
}
