import type { ServiceIntent } from './service-intent.ts';

const FIELD = 'levelset.openstack.org/description';

/** On what kinx made the description stays: its driver reads there how the load balancer is to behave (decision 5). */
export function withoutDescription(intent: ServiceIntent): ServiceIntent {
  const { description, ...Service } = intent.annotated.Service;
  if (description === undefined) return intent;
  const message = 'is not applied: kinx made the load balancer, and its driver reads the description';
  return {
    ...intent,
    annotated: { ...intent.annotated, Service },
    problems: [...intent.problems, { field: FIELD, value: description, message }],
  };
}
