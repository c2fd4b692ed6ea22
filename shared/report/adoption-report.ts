import type { Service } from '../model/kubernetes.ts';
import { LOAD_BALANCER_ID } from '../model/ownership.ts';
import type { Plan, Step } from '../model/plan.ts';
import { approveWith, renderPlan } from '../plan/render-plan.ts';

/** The worst first. `problem`: somebody must look first. `tags-only`: levelset writes nothing but its tags. */
export const ADOPTION_STATES = ['problem', 'pending', 'tags-only'] as const;

export interface Adoption {
  readonly name: string;
  readonly state: (typeof ADOPTION_STATES)[number];
  /** Why it is more than that, for people. */
  readonly because: readonly string[];
  readonly approve?: string;
  /** The plan as `levelset plan` prints it; absent where none could be made. */
  readonly plan?: string;
}

export function judgeAdoptions(plans: readonly Plan[], services: readonly Service[]): readonly Adoption[] {
  const served = services.filter(({ status }) => (status?.loadBalancer?.ingress ?? []).length > 0);
  const names = new Set(served.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`));
  return plans.map((plan) => {
    const approve = approveWith(plan);
    const [problems, pending] = [problemsOf(plan, names), pendingIn(plan)];
    return {
      name: plan.services.length > 0 ? plan.services.join(', ') : plan.object,
      state: problems.length > 0 ? 'problem' : pending.length > 0 ? 'pending' : 'tags-only',
      because: [...problems, ...pending],
      ...(approve !== undefined && { approve }),
      plan: renderPlan(plan),
    };
  });
}

function problemsOf(plan: Plan, served: ReadonlySet<string>): readonly string[] {
  const isNew = plan.steps.some(({ verb, kind }) => verb === 'create' && kind === 'loadbalancer');
  const known = isNew ? plan.services.filter((service) => served.has(service)) : [];
  const unrecognised = `${known.join(', ')} has an address, and levelset would make a new load balancer: it does not recognise the one that is there; give --cluster-name the name that the other controller has, or name the load balancer with the annotation ${LOAD_BALANCER_ID}`;
  return [
    ...(known.length > 0 ? [unrecognised] : []),
    ...plan.problems.map(({ field, value, message }) => `${field} = ${JSON.stringify(value)}: ${message}`),
    ...plan.refused.map(({ address, reason }) => `levelset keeps ${address} as it is: ${reason}`),
  ];
}

function pendingIn({ steps, awaitingApproval }: Plan): readonly string[] {
  const changes = steps.filter((step) => !isAdoption(step)).map(inWords);
  return [
    ...(changes.length > 0 ? [`changes at once: ${changes.join(', ')}`] : []),
    ...awaitingApproval.map(({ address, reason }) => `${address} waits for approval: ${reason}`),
  ];
}

function inWords({ verb, address }: Step): string {
  return `${verb === 'members' ? 'change members of' : verb} ${address}`;
}

/** Adopting writes tags, nothing else. */
function isAdoption(step: Step): boolean {
  return step.verb === 'update' && step.changes.every(({ attribute }) => attribute === 'tags');
}
