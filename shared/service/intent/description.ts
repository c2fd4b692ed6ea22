import type { Wishes } from './wishes.ts';

const FIELD = 'levelset.openstack.org/description';

/** On what kinx made the description stays: its driver reads there how the load balancer is to behave (decision 5). */
export function withoutDescription(wishes: Wishes): Wishes {
  const { description, ...Service } = wishes.annotated.Service;
  if (description === undefined) return wishes;
  const message = 'is not applied: kinx made the load balancer, and its driver reads the description';
  return {
    ...wishes,
    annotated: { ...wishes.annotated, Service },
    problems: [...wishes.problems, { field: FIELD, value: description, message }],
  };
}
