import { LOAD_BALANCER_ID } from '../../../shared/model/ownership.ts';
import type { Plan, Step } from '../../../shared/model/plan.ts';
import type { Service } from '../../../shared/model/kubernetes.ts';
import { approveWith, renderPlan } from '../../../shared/plan/render-plan.ts';
import type { FoundPlans } from '../find-plans.ts';

/** `tags-only`: levelset writes nothing but its tags. `pending`: something changes. `problem`: somebody must look before levelset is started. */
type AdoptionState = 'problem' | 'pending' | 'tags-only';

export interface Adoption {
  /** The Services of a load balancer, or the Node, or `routes`. */
  readonly name: string;
  readonly state: AdoptionState;
  /** Why it is more than that, for people. */
  readonly because: readonly string[];
  /** The annotation that approves what waits for approval. */
  readonly approve?: string;
  /** The plan as `levelset plan` prints it; absent where none could be made. */
  readonly plan?: string;
}

const ORDER: readonly AdoptionState[] = ['problem', 'pending', 'tags-only'];

/** What becomes of everything that another controller has made, the worst first. */
export function judgePlans(
  { plans, failures }: FoundPlans,
  services: readonly Service[],
): readonly Adoption[] {
  const served = new Set(
    services
      .filter(({ status }) => (status?.loadBalancer?.ingress ?? []).length > 0)
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  );
  const failed = failures.map((failure): Adoption => {
    const at = failure.indexOf(': ');
    return { name: failure.slice(0, at), state: 'problem', because: [failure.slice(at + 2)] };
  });
  return [...failed, ...plans.map((plan) => judge(plan, served))].sort(
    (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || (a.name < b.name ? -1 : 1),
  );
}

function judge(plan: Plan, served: ReadonlySet<string>): Adoption {
  const approve = approveWith(plan);
  const [problems, pending] = [problemsOf(plan, served), pendingIn(plan)];
  const state = problems.length > 0 ? 'problem' : pending.length > 0 ? 'pending' : 'tags-only';
  return {
    name: plan.services.length > 0 ? plan.services.join(', ') : plan.unit,
    state,
    because: [...problems, ...pending],
    ...(approve !== undefined && { approve }),
    plan: renderPlan(plan),
  };
}

function problemsOf(plan: Plan, served: ReadonlySet<string>): readonly string[] {
  const isNew = plan.steps.some(({ verb, kind }) => verb === 'create' && kind === 'loadbalancer');
  const known = plan.services.filter((service) => served.has(service));
  return [
    ...(isNew && known.length > 0
      ? [
          `${known.join(', ')} has an address, and levelset would make a new load balancer: it does not recognise the one that is there; give --cluster-name the name that the other controller has, or name the load balancer with the annotation ${LOAD_BALANCER_ID}`,
        ]
      : []),
    ...plan.problems.map(({ field, value, message }) => `${field} = ${JSON.stringify(value)}: ${message}`),
    ...plan.refused.map(({ address, reason }) => `levelset keeps ${address} as it is: ${reason}`),
  ];
}

function pendingIn(plan: Plan): readonly string[] {
  const steps = plan.steps.filter((step) => !isAdoption(step));
  return [
    ...(steps.length > 0 ? [`changes at once: ${steps.map(inWords).join(', ')}`] : []),
    ...plan.awaitingApproval.map(({ address, reason }) => `${address} waits for approval: ${reason}`),
  ];
}

function inWords({ verb, address }: Step): string {
  return `${verb === 'members' ? 'change members of' : verb} ${address}`;
}

/** Adopting writes tags, nothing else. */
function isAdoption(step: Step): boolean {
  return step.verb === 'update' && step.changes.every(({ attribute }) => attribute === 'tags');
}

/** `3 get no more than tags, 1 has pending changes, 0 have problems`. */
export function summarizeAdoptions(adoptions: readonly Adoption[]): string {
  const count = (wanted: AdoptionState): number => adoptions.filter(({ state }) => state === wanted).length;
  const has = (number: number): string => `${number} ${number === 1 ? 'has' : 'have'}`;
  return `${count('tags-only')} ${count('tags-only') === 1 ? 'gets' : 'get'} no more than tags, ${has(count('pending'))} pending changes, ${has(count('problem'))} problems`;
}
