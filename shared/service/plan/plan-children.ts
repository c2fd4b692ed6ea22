import type { DeleteStep, Refusal, Step, Change, Problem } from '../../model/plan.ts';
import type { Address } from '../../model/address.ts';
import type { DesiredResource, ObservedResource, ResourceKind, Attributes } from '../../model/resources.ts';
import { compare, planOne, remove } from '../../plan/compare-and-plan.ts';
import { mergeTags } from '../../model/ownership.ts';
import { isMemberOf } from '../../model/load-balancer/makers-and-sharers.ts';
import { isChildInError, isOutsideOctavia, howToFree } from '../../model/load-balancer/octavia.ts';

export interface ChildrenInput extends Asked {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly keepMembers: boolean;
  readonly there: ReadonlyMap<Address, ObservedResource>;
  readonly writtenInError: WrittenInError;
}

/** Kinds that are planned one by one. The members of a pool are planned together. */
const PLANNED_ALONE: readonly ResourceKind[] = ['listener', 'pool', 'healthmonitor', 'l7policy', 'l7rule'];
/** Kinds that Octavia deletes together with their parent. */
const GOES_ALONG: readonly ResourceKind[] = ['healthmonitor', 'l7policy', 'l7rule'];

/** Plans the steps for everything on a load balancer, except what is on a pool that is not levelset's. */
export function planChildren(input: ChildrenInput, steps: Step[], refused: Refusal[]): void {
  const { there, wanted } = input;
  for (const resource of input.desired) {
    if (PLANNED_ALONE.includes(resource.kind) && !isForeign(resource.parent, there)) {
      const before = steps.length;
      planOne(resource, there, steps, refused);
      const observed = there.get(resource.address);
      const changes =
        observed && steps.length === before ? mendingChanges(observed, input.writtenInError) : [];
      if (!observed || changes.length === 0) continue;
      const { kind, address, id } = observed;
      const because = 'it is in ERROR: Octavia configures it anew';
      steps.push({ verb: 'update', kind, address, id, because, changes });
    }
  }
  for (const resource of input.observed) {
    const follows = GOES_ALONG.includes(resource.kind) && !wanted.has(resource.parent ?? '');
    if (
      PLANNED_ALONE.includes(resource.kind) &&
      resource.whose !== 'foreign' &&
      !wanted.has(resource.address) &&
      !follows
    )
      steps.push(remove(resource, whyChildGoes(resource, input)));
  }
  for (const pool of wanted.values()) {
    if (pool.kind === 'pool' && !isForeign(pool.address, there)) steps.push(...planPoolMembers(pool, input));
  }
}

/** Whether a pool is somebody else's. Nothing on it is read or planned. */
function isForeign(address: Address | undefined, there: ReadonlyMap<Address, ObservedResource>): boolean {
  const parent = there.get(address ?? '');
  return parent?.kind === 'pool' && parent.whose === 'foreign';
}

function planPoolMembers(
  { address: pool, mayBeEmpty }: DesiredResource,
  input: ChildrenInput,
): readonly Step[] {
  const { there, wanted } = input;
  const all = input.desired.filter(({ kind, parent }) => kind === 'member' && parent === pool);
  const present = input.observed.filter(({ kind, parent }) => kind === 'member' && parent === pool);
  const byAddress = new Map(present.toReversed().map((member) => [member.address, member]));
  const compared = all.map((desired) => {
    const observed = byAddress.get(desired.address);
    const differing = observed && observed.whose !== 'foreign' ? memberChanges(desired, observed, there) : [];
    const mends = observed && differing.length === 0;
    const changes = mends ? mendingChanges(observed, input.writtenInError) : differing;
    return {
      desired: observed ? asListed(desired, observed, changes) : desired,
      id: observed?.id ?? '',
      changes,
    };
  });
  return planMembers(pool, {
    all: compared.map(({ desired }) => desired),
    changed: compared.filter(({ changes }) => changes.length > 0),
    missing: all.filter(({ address, ifPresent }) => !ifPresent && !byAddress.has(address)),
    surplus:
      input.keepMembers && mayBeEmpty !== true
        ? []
        : present
            .filter(({ whose, address }) => whose !== 'foreign' && !wanted.has(address))
            .map((member) => remove(member, whyMemberGoes(member, all, mayBeEmpty === true))),
    alone: present.every(({ whose }) => whose !== 'foreign') && all.every(({ ifPresent }) => !ifPresent),
  });
}

interface MemberDifference {
  readonly missing: readonly DesiredResource[];
  readonly surplus: readonly DeleteStep[];
  readonly changed: readonly {
    readonly desired: DesiredResource;
    readonly id: string;
    readonly changes: readonly Change[];
  }[];
  /** Whether one call may replace all members: not if one is foreign, or waits for approval. */
  readonly alone: boolean;
  readonly all: readonly DesiredResource[];
}

/**
 * The members of one pool, in as few calls as possible, since each call locks the load balancer once:
 *
 * | differences                            | call                                        |
 * | one                                    | POST, PUT or DELETE of that member          |
 * | several, no member leaves              | PUT members?additive_only with only these   |
 * | several, some members leave            | PUT members with the whole pool             |
 * | the same, but that call may not be     | a call as if none left, then DELETEs        |
 */
function planMembers(pool: Address, difference: MemberDifference): readonly Step[] {
  const { missing, surplus, changed } = difference;
  const count = missing.length + surplus.length + changed.length;
  if (count === 0) return [];
  if (count === 1) return [...missing.map(createMember), ...changed.map(updateMember), ...surplus];
  if (surplus.length > 0 && !difference.alone) {
    return [...planMembers(pool, { ...difference, surplus: [] }), ...surplus];
  }
  const additive = surplus.length === 0;
  const listed = additive ? [...missing, ...changed.map(({ desired }) => desired)] : difference.all;
  return [
    {
      verb: 'members',
      kind: 'pool',
      address: pool,
      additive,
      members: listed.map(({ attributes }) => attributes as Attributes),
      added: missing.map(title),
      removed: surplus.map(title),
      changed: changed.map(({ desired, changes }) => [title(desired), ...changes.map(inShort)].join(' ')),
      ...(additive ? {} : { because: whyRemoved(surplus) }),
    },
  ];
}

/** Why members go: each reason once, and how many it is about if there are several. */
function whyRemoved(surplus: readonly DeleteStep[]): string {
  const reasons = [...Map.groupBy(surplus, ({ because }) => because)];
  const counted = reasons.map(([because, { length }]) =>
    reasons.length > 1 ? `${length} as ${because}` : because,
  );
  return `removed: ${counted.join(', ')}`;
}

function createMember(desired: DesiredResource): Step {
  return {
    verb: 'create',
    kind: 'member',
    address: desired.address,
    attributes: desired.attributes,
  };
}

function updateMember(changed: MemberDifference['changed'][number]): Step {
  const { desired, id, changes } = changed;
  return { verb: 'update', kind: 'member', address: desired.address, id, changes };
}

function title(resource: { readonly address: Address }): string {
  return resource.address.split('/').at(-1) ?? resource.address;
}

function inShort({ attribute, from, to }: Change): string {
  return `${attribute} ${JSON.stringify(from ?? null)} -> ${JSON.stringify(to ?? null)}`;
}

const USUAL_WEIGHT = 1;

/** A member with another machine's name had the address before: what somebody set for that machine, such as weight 0, went with it. */
export function memberChanges(
  desired: DesiredResource,
  observed: ObservedResource,
  there: ReadonlyMap<Address, ObservedResource>,
): readonly Change[] {
  const changes = compare(desired, observed, there).get('in-place') ?? [];
  const { name, weight = USUAL_WEIGHT } = desired.attributes as Attributes;
  const { name: named, weight: from } = observed.wire;
  if (typeof name !== 'string' || !named || isMemberOf(observed.wire, name)) return changes;
  const ofMachine = changes.filter(({ attribute }) => attribute !== 'weight');
  const another = from === undefined || from === weight ? [] : [{ attribute: 'weight', from, to: weight }];
  return [...ofMachine, { attribute: 'name', from: named, to: name }, ...another];
}

/** Octavia reads a listed member as a create: it resets what the list leaves out, and overwrites even the subnet (test/conformance, "members"). */
export function asListed(
  desired: DesiredResource,
  { wire }: ObservedResource,
  changes: readonly Change[],
): DesiredResource {
  const { weight, monitor_address, subnet_id, tags = [] } = wire as Readonly<Record<string, unknown>>;
  const { tags: ours = [], ...others } = desired.attributes as { readonly tags?: readonly string[] };
  const attributes = Object.entries(others).filter(([name]) => name !== 'subnet_id');
  const all = mergeTags(tags as readonly string[], ours);
  return {
    ...desired,
    attributes: {
      ...(weight === undefined || weight === USUAL_WEIGHT ? {} : { weight }),
      ...(typeof monitor_address === 'string' ? { monitor_address } : {}),
      ...Object.fromEntries(attributes),
      ...(typeof subnet_id === 'string' ? { subnet_id } : {}),
      ...(all.length > 0 ? { tags: all } : {}),
      ...Object.fromEntries(changes.map(({ attribute, to }) => [attribute, to])),
    },
  };
}

/** Children in ERROR that were written a moment ago, by their ids. */
type WrittenInError = ReadonlySet<string>;

/** A write of what it has makes Octavia configure a child in ERROR anew. None for a child that works or rests. */
function mendingChanges(child: ObservedResource, writtenInError: WrittenInError): readonly Change[] {
  if (!isChildInError(child) || writtenInError.has(child.id)) return [];
  const value = child.wire['admin_state_up'] ?? true;
  return [{ attribute: 'admin_state_up', from: value, to: value }];
}

/** The children of ours that Octavia left in PENDING although their load balancer is free, as the provider ovn may. */
export function stuckProblems(observed: readonly ObservedResource[], anHourAgo: string): readonly Problem[] {
  return observed.flatMap(({ kind, address, id, whose, wire }) => {
    const isChild = whose !== 'foreign' && kind !== 'loadbalancer' && !isOutsideOctavia(kind);
    const message = isChild ? howToFree(kind, wire, anHourAgo) : undefined;
    return message === undefined
      ? []
      : { field: address, value: id, message, code: 'LOAD_BALANCER_STUCK' as const };
  });
}

export function errorProblems(
  observed: readonly ObservedResource[],
  desired: readonly DesiredResource[],
  writtenInError: WrittenInError,
): readonly Problem[] {
  const wanted = new Set<Address>(desired.map(({ address }) => address));
  const failed = observed.filter((child) => isChildInError(child) && writtenInError.has(child.id));
  return failed
    .filter(({ address }) => wanted.has(address))
    .map(({ address, id }) => ({
      field: address,
      value: id,
      message: 'is in ERROR: Octavia could not configure it; levelset writes it again, at most once a minute',
      code: 'LOAD_BALANCER_ERROR' as const,
    }));
}

interface Asked {
  readonly wanted: ReadonlyMap<Address, DesiredResource>;
  readonly ports: readonly string[];
}

function whyChildGoes({ kind, address }: ObservedResource, { wanted, ports }: Asked): string {
  switch (kind) {
    case 'healthmonitor':
      return 'this port is to have no health monitor';
    case 'l7policy':
      return 'this port is to have no redirect';
    case 'l7rule':
      return 'this redirect is to have no such condition';
    default: {
      const [, family = '', port = ''] = address.split('/');
      const portKey = `${family}/${port}`;
      if (kind === 'pool' && wanted.has(`listener/${portKey}`)) return 'its listener is to use another pool';
      return ports.includes(portKey)
        ? 'levelset leaves this port of the Service out'
        : 'no port of the Service asks for it';
    }
  }
}

/** Why a member goes from a pool that stays; `all` are the desired members of the pool. */
function whyMemberGoes(
  { wire }: ObservedResource,
  all: readonly DesiredResource[],
  isOfPods: boolean,
): string {
  const isElsewhere = all.some(
    ({ attributes }) => (attributes as { readonly address?: string }).address === wire['address'],
  );
  if (isElsewhere) return 'another port of the same address takes its place';
  return isOfPods
    ? 'no Pod that can be a member has this address'
    : 'no eligible Node takes traffic at this address';
}
