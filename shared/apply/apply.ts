import { ReconcileError } from '../model/errors.ts';
import type { Step } from '../model/plan.ts';
import { isOutsideOctavia } from '../model/load-balancer/octavia.ts';
import type { ObservedResource, WireResource } from '../model/resources.ts';
import { withPermit } from '../permit.ts';
import type { Budget, Kube, Lease, World } from '../ports.ts';
import { rulesOf } from '../model/network/openings.ts';
import { execute } from './execute.ts';
import type { Writes } from './execute.ts';
import { isOfNode } from '../model/node/node.ts';
import { halvesOf } from './node-writes.ts';
import type { NodeWrites } from './node-writes.ts';
import { storeCertificate } from './store-certificate.ts';
import type { Ref } from '../model/address.ts';

export interface Applied {
  readonly steps: readonly Step[];
  /**
   * Some steps were not tried, because of Octavia's lock, the end of the time, a reference to something that
   * does not exist yet, or a change by somebody else. The next run plans them afresh.
   */
  readonly stopped: boolean;
  /** The observed resources and the answers to writes, by address. */
  readonly known: ReadonlyMap<string, WireResource>;
  /**
   * The error that ended the run after `steps` were done. After CHANGED_MEANWHILE the run went on with other
   * steps.
   */
  readonly error?: ReconcileError;
}

export interface Means extends Writes {
  readonly kube: NodeWrites & Pick<Kube, 'getSecret'>;
  readonly memory: Pick<World['memory'], 'portWrites' | 'eventLoop'>;
  readonly lease: Pick<Lease, 'renew'>;
  readonly budget: Budget;
}

/** The lease for writes to Kubernetes: none, since the apiserver's resourceVersion keeps two writers apart. */
export const NO_LEASE: Means['lease'] = { renew: () => Promise.resolve() };

/** The longest time that a write may take. None is begun with less time left. */
const WRITE_MS = 5_000;

/**
 * Executes the steps of a plan in their order, several ports at a time. A write on a load balancer locks it,
 * so after it only steps follow that this lock does not hold up: those outside Octavia, and those of another
 * load balancer. A resource that somebody else changed meanwhile is left to the next run, and so are deletes
 * outside Octavia, which may depend on it. The remaining time is checked before each step, and the lease before each write.
 * Never waits.
 */
export async function apply(
  steps: readonly Step[],
  observed: readonly ObservedResource[],
  means: Means,
): Promise<Applied> {
  const known = new Map<string, WireResource>(observed.map(({ address, wire }) => [address, wire]));
  const locked = new Set<string>();
  const done: Step[] = [];
  let stopped = false;
  let overtaken: ReconcileError | undefined;
  const applyOne = async (step: Step): Promise<ReconcileError | undefined> => {
    const lock = lockOf(step);
    const bound = bindRefs(step, known);
    const rests = lock === undefined ? overtaken !== undefined && step.verb === 'delete' : locked.has(lock);
    if (rests || !bound || means.budget.remainingMs() < WRITE_MS) {
      stopped = true;
      return undefined;
    }
    try {
      const { answer, step: made } = await attempt(bound, known, means);
      if (answer) for (const [address, wire] of shownBy(step, answer)) known.set(address, wire);
      done.push(made === bound ? step : made);
    } catch (error) {
      if (!(error instanceof ReconcileError)) throw error;
      if (error.code !== 'CHANGED_MEANWHILE') return error;
      overtaken ??= error;
    }
    if (lock !== undefined) locked.add(lock);
    return undefined;
  };
  for (const batch of inBatches(steps)) {
    const errors = await Promise.all(batch.map(applyOne));
    const error = errors.find((one) => one !== undefined);
    if (error) return { steps: done, stopped, known, error };
  }
  return { steps: done, stopped, known, ...(overtaken ? { error: overtaken } : {}) };
}

/** How many ports of nodes are written at a time. They do not depend on each other. */
const PORTS_AT_ONCE = 8;

function inBatches(steps: readonly Step[]): readonly (readonly Step[])[] {
  const batches: Step[][] = [];
  for (const step of steps) {
    const last = batches.at(-1);
    const joins = step.kind === 'port' && last?.[0]?.kind === 'port' && last.length < PORTS_AT_ONCE;
    if (joins) last.push(step);
    else batches.push([step]);
  }
  return batches;
}

/**
 * The resources that an answer shows, by address. A new security group comes with its rules, and a Node with
 * both of its halves.
 */
function shownBy(step: Step, answer: WireResource): readonly (readonly [string, WireResource])[] {
  if (isOfNode(step.kind)) return halvesOf(step.address, answer);
  const rules = step.kind === 'securitygroup' ? [...rulesOf(answer)] : [];
  return [[step.address, answer], ...rules];
}

/**
 * Executes one step. If a subnet has no free IP address, Octavia has made nothing, so the step's next
 * alternative is tried at once. That needs enough time for another write.
 */
async function attempt(
  step: Step,
  known: ReadonlyMap<string, WireResource>,
  means: Means,
): Promise<{ readonly step: Step; readonly answer: WireResource | undefined }> {
  const renew = (): Promise<void> => means.lease.renew();
  await renew();
  try {
    const stores = step.kind === 'secret' && step.verb === 'create';
    const answer = await withPermit(renew, () =>
      stores ? storeCertificate(step, means) : execute(step, known, means),
    );
    return { step, answer };
  } catch (error) {
    const full = error instanceof ReconcileError && error.code === 'ADDRESSES_EXHAUSTED';
    const [next, ...alternatives] = step.verb === 'create' ? (step.alternatives ?? []) : [];
    if (!full || !next || step.verb !== 'create' || means.budget.remainingMs() < WRITE_MS) throw error;
    return attempt({ ...step, attributes: { ...step.attributes, ...next }, alternatives }, known, means);
  }
}

/**
 * The load balancer that Octavia locks as a whole for this step. Undefined: the step is outside Octavia and
 * locks nothing.
 */
export function lockOf(step: Step): string | undefined {
  if (isOutsideOctavia(step.kind)) return undefined;
  return step.address.startsWith('lb/') ? step.address : 'lb';
}

/** The step with the value of every `$ref` in it. Undefined while one of the values is not known. */
export function bindRefs(step: Step, known: ReadonlyMap<string, WireResource>): Step | undefined {
  const missing: string[] = [];
  const bind = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(bind);
    if (value === null || typeof value !== 'object') return value;
    if (!('$ref' in value)) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bind(inner)]));
    }
    const { $ref } = value as Ref;
    const at = $ref.lastIndexOf('.');
    const found = known.get($ref.slice(0, at))?.[$ref.slice(at + 1)];
    if (found === undefined || found === null) missing.push($ref);
    return found;
  };
  const bound = bind(step) as Step;
  return missing.length > 0 ? undefined : bound;
}
