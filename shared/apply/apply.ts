import { WRITE_MS } from '../deadline.ts';
import { ERRORS, ReconcileError, type ErrorCode } from '../model/errors.ts';
import type { Step } from '../model/plan.ts';
import {
  isOutsideOctavia,
  poolOfMembers,
  writesMembers,
  loadBalancerOfPort,
  VIP_PORT_OWNERS,
} from '../model/load-balancer/octavia.ts';
import type { ObservedResource, WireResource } from '../model/resources.ts';
import type { Budget, Kube, World } from '../ports.ts';
import { rulesOf } from '../model/network/openings.ts';
import { execute, halvesOf, type Writes, type NodeWrites, storeCertificate } from './execute.ts';
import { isOfNode } from '../model/node/node.ts';
import { isOfNextPool, poolAddressOf, portKeyOf, type Address, type Ref } from '../model/address.ts';

export interface Applied {
  readonly steps: readonly Step[];
  /** Some steps were left to the next run: by Octavia's lock, the end of the time, a missing reference, or a change by somebody else. */
  readonly stopped: boolean;
  readonly known: ReadonlyMap<string, WireResource>;
  /** The first error. After one about a single step the run went on with others. */
  readonly error?: ReconcileError;
}

export interface Means extends Writes {
  readonly kube: NodeWrites & Pick<Kube, 'getSecret'>;
  readonly memory: Pick<World['memory'], 'portWrites'>;
  readonly clock: World['clock'];
  readonly budget: Budget;
}

/**
 * Executes the steps in their order. A write locks its load balancer, so only steps outside Octavia or on another one
 * follow it. What may depend on a step that failed is left to the next run (decision 421). Never waits.
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
  let first: ReconcileError | undefined;
  const failed: Step[] = [];
  const applyOne = async (step: Step): Promise<ReconcileError | undefined> => {
    const lock = lockOf(step);
    const bound = bindRefs(step, known);
    const waits = locked.has(lock ?? '') || !failed.every((one) => goesOn(step, one, known));
    if (waits || !bound || means.budget.remainingMs() < WRITE_MS) {
      stopped = true;
      return undefined;
    }
    try {
      const { answer, step: made } = await attempt(bound, known, means);
      if (answer) for (const [address, wire] of shownBy(step, answer)) known.set(address, wire);
      done.push(made === bound ? step : made);
    } catch (error) {
      if (!(error instanceof ReconcileError)) throw error;
      if (!isOfOneStep(error)) return error;
      failed.push(step);
      first ??= error;
      return undefined;
    }
    if (lock !== undefined) locked.add(lock);
    return undefined;
  };
  for (const batch of inBatches(steps)) {
    const errors = await Promise.all(batch.map(applyOne));
    const error = errors.find((one) => one !== undefined);
    first ??= error;
    if (error) break;
  }
  return { steps: done, stopped, known, ...(first ? { error: first } : {}) };
}

function isOfOneStep({ code, context }: ReconcileError): boolean {
  return 'ofOneStep' in ERRORS[code] || (code === 'CLOUD_UNAVAILABLE' && context.status !== undefined);
}

/**
 * Whether a step does not depend on one that failed. Members of a pool in use depend only on each other, and ports of
 * Nodes on nothing; a pool without its members is not brought into use, and one that was begun for an earlier intent
 * makes room. Nothing is opened after what was to close the whole load balancer, no client is sent to
 * a port that may not serve, and nothing is deleted that may still be needed.
 */
function goesOn(step: Step, failed: Step, known: Known): boolean {
  if (step.verb === 'delete' && step.kind === 'pool' && isOfNextPool(step.address) && !isUsed(step.id, known))
    return true;
  const [own, other] = [step, failed].map((one) => branchOf(one, known));
  if (own === other) return false;
  if (own?.startsWith(MEMBERS) || step.kind === 'port') return true;
  if (step.verb === 'delete' && (isOutsideOctavia(step.kind) || step.kind === 'loadbalancer'))
    return step.narrows === true;
  const isOfRedirect = step.kind === 'l7policy' || step.kind === 'l7rule';
  if (isOfRedirect && step.verb !== 'delete' && portKeyOf(failed.address) !== '') return false;
  if (failed.kind === 'loadbalancer')
    return failed.verb === 'update' && failed.changes.every(({ attribute }) => attribute !== 'vip_sg_ids');
  return failed.kind !== 'floatingip';
}

type Known = ReadonlyMap<Address, WireResource>;

const MEMBERS = 'members of ';

function branchOf(step: Step, known: Known): string {
  const { kind, address } = step;
  const pool = poolOfMembers(step);
  if (writesMembers(step) && isInUse(pool, known)) return MEMBERS + pool;
  if (kind === 'securitygrouprule') return 'securitygroup';
  return isOutsideOctavia(kind) || kind === 'loadbalancer' ? address : portKeyOf(address);
}

/** By a listener, or, where somebody deleted that, by the members that it has. */
function isInUse(pool: Address, known: Known): boolean {
  const id = known.get(pool)?.id;
  if (id === undefined || isOfNextPool(pool)) return false;
  const isMember = (address: Address): boolean =>
    address.startsWith('member/') && poolAddressOf(address) === pool;
  return isUsed(id, known) || [...known.keys()].some(isMember);
}

function isUsed(pool: unknown, known: Known): boolean {
  return [...known.values()].some((wire) => wire['default_pool_id'] === pool);
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

/** By address. A new security group comes with its rules, a Node with both of its halves. */
function shownBy(step: Step, answer: WireResource): readonly (readonly [string, WireResource])[] {
  if (isOfNode(step.kind)) return halvesOf(step.address, answer);
  const rules = step.kind === 'securitygroup' ? [...rulesOf(answer)] : [];
  return [[step.address, answer], ...rules];
}

/** If a subnet has no free IP address, Octavia has made nothing, so the step's next alternative is tried at once. */
async function attempt(
  step: Step,
  known: ReadonlyMap<string, WireResource>,
  means: Means,
): Promise<{ readonly step: Step; readonly answer: WireResource | undefined }> {
  const sinceMs = means.clock.now();
  try {
    const stores = step.kind === 'secret' && step.verb === 'create';
    const answer = await (stores ? storeCertificate(step, means) : execute(step, known, means));
    return { step, answer };
  } catch (error) {
    if (!(error instanceof ReconcileError)) throw error;
    const [next, ...alternatives] = step.verb === 'create' ? (step.alternatives ?? []) : [];
    const isFull = error.code === 'ADDRESSES_EXHAUSTED' && means.budget.remainingMs() >= WRITE_MS;
    if (!isFull || !next || step.verb !== 'create')
      throw await afterFailedCreate(error, step, sinceMs, means);
    return attempt({ ...step, attributes: { ...step.attributes, ...next }, alternatives }, known, means);
  }
}

/** What Octavia locks as a whole for this step; undefined outside Octavia. */
export function lockOf(step: Step): string | undefined {
  if (isOutsideOctavia(step.kind)) return undefined;
  return step.address.startsWith('lb/') ? step.address : 'lb';
}

function bindRefs(step: Step, known: ReadonlyMap<string, WireResource>): Step | undefined {
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

/** Neutron's clock may differ by so much from Octavia's, which an answer has, and from ours. */
const [SKEW_INSIDE_MS, SKEW_MS] = [5_000, 60_000];

/** Refusals that say: not this address. The policy of Neutron lets administrators alone choose one (decision 161). */
const NOT_THIS_ADDRESS: readonly ErrorCode[] = ['FORBIDDEN', 'REJECTED', 'CONFLICT'];

/** What a failed create comes to, where OpenStack's words do not say what a person has to do. */
async function afterFailedCreate(
  error: ReconcileError,
  step: Step,
  sentMs: number,
  { cloud, clock }: Pick<World, 'cloud' | 'clock'>,
): Promise<ReconcileError> {
  if (step.verb !== 'create') return error;
  const { floating_ip_address: address } = step.attributes;
  const isRefused = NOT_THIS_ADDRESS.includes(error.code) && error.context.status !== 404;
  if (step.kind === 'floatingip' && typeof address === 'string' && isRefused) {
    if ((await cloud.list('floatingip', { floating_ip_address: address })).length > 0) return error; // of its tags
    const what = `spec.loadBalancerIP ${address} is not a floating IP of this project, and the project may not create it: name one of its floating IPs, or none, or ask an administrator to create this one`;
    return new ReconcileError('REJECTED', `${what} (${error.message})`, error.context);
  }
  if (step.kind !== 'loadbalancer' || error.context.status !== 500) return error;
  const { serverTimeMs } = error.context;
  const sinceMs =
    serverTimeMs === undefined ? sentMs - SKEW_MS : serverTimeMs - (clock.now() - sentMs) - SKEW_INSIDE_MS;
  const left = await leftVipPorts(sinceMs, cloud);
  if (left.length === 0) return error;
  const what = `${error.message}; Octavia left VIP port ${left.join(', ')} behind, and each further try would leave one more: run openstack port delete ${left.join(' ')}; when the cause is gone, change the Service or post it to /resync`;
  return new ReconcileError('REJECTED', what, error.context);
}

/** The VIP ports made since a request whose load balancer does not exist: each further POST would leave another one (decision 522). */
async function leftVipPorts(sinceMs: number, cloud: World['cloud']): Promise<readonly string[]> {
  const fields = ['id', 'name', 'device_owner', 'created_at'];
  const left: string[] = [];
  for (const port of await cloud.list('port', { device_owner: VIP_PORT_OWNERS, fields })) {
    const lb = loadBalancerOfPort(port);
    if (lb === undefined || !(Date.parse(String(port['created_at'])) >= sinceMs)) continue;
    if ((await cloud.get('loadbalancer', lb)) === undefined) left.push(port.id);
  }
  return left;
}
