import { ReconcileError } from '../model/errors.ts';
import type { Step } from '../model/plan.ts';
import { isOutsideOctavia } from '../model/load-balancer/octavia.ts';
import type { ObservedResource, WireResource } from '../model/resources.ts';
import type { Budget, Kube, Lease } from '../ports.ts';
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
  /** Octavia's lock, or the end of the time, stopped it: the rest is planned afresh by the next run. */
  readonly stopped: boolean;
  /** What was observed and what the answers to creates showed, by address. */
  readonly known: ReadonlyMap<string, WireResource>;
  /** What went wrong, after `steps` were done. */
  readonly error?: ReconcileError;
}

export interface Means extends Writes {
  readonly kube: NodeWrites & Pick<Kube, 'getSecret'>;
  readonly lease: Pick<Lease, 'renew'>;
  readonly budget: Budget;
}

/** For writes to Kubernetes alone: the apiserver's resourceVersion keeps two writers apart. */
export const NO_LEASE: Means['lease'] = { renew: () => Promise.resolve() };

/** A write may take this long; it is not begun with less time left. */
const WRITE_MS = 5_000;

/**
 * Executes the steps of a plan in their order, several ports at once. One write on a load balancer locks it, so after it
 * only Neutron's steps go on. What somebody else changed meanwhile is left to the next run, and so is what may stand in the
 * way of a delete. Never waits. Every write is preceded by a look at the lease and at the clock.
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

/** There is a port for each node, and none waits for another. */
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

/** A security group comes with rules that nobody asked for; a Node is answered whole. */
function shownBy(step: Step, answer: WireResource): readonly (readonly [string, WireResource])[] {
  if (isOfNode(step.kind)) return halvesOf(step.address, answer);
  const rules = step.kind === 'securitygroup' ? [...rulesOf(answer)] : [];
  return [[step.address, answer], ...rules];
}

/** Where a subnet has no free address nothing was made, so that the next one of the plan may be tried at once. */
async function attempt(
  step: Step,
  known: ReadonlyMap<string, WireResource>,
  means: Means,
): Promise<{ readonly step: Step; readonly answer: WireResource | undefined }> {
  await means.lease.renew();
  try {
    const stores = step.kind === 'secret' && step.verb === 'create';
    const answer = stores ? await storeCertificate(step, means) : await execute(step, known, means);
    return { step, answer };
  } catch (error) {
    const full = error instanceof ReconcileError && error.code === 'ADDRESSES_EXHAUSTED';
    const [next, ...alternatives] = step.verb === 'create' ? (step.alternatives ?? []) : [];
    if (!full || !next || step.verb !== 'create' || means.budget.remainingMs() < WRITE_MS) throw error;
    return attempt({ ...step, attributes: { ...step.attributes, ...next }, alternatives }, known, means);
  }
}

/** What Octavia locks by this step: one load balancer as a whole. Neutron locks nothing. */
export function lockOf(step: Step): string | undefined {
  if (isOutsideOctavia(step.kind)) return undefined;
  return step.address.startsWith('lb/') ? step.address : 'lb';
}

/** The step with every `$ref` replaced by what it names, or undefined while something it names does not exist. */
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
