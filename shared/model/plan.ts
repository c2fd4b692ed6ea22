import type { ErrorCode } from './errors.ts';
import type { Address, Ref } from './address.ts';
import type { Attributes, ResourceKind } from './resources.ts';

/** One attribute that differs. Names and values are those of the API that has the resource. */
export interface Change {
  readonly attribute: string;
  readonly from: unknown;
  readonly to: unknown;
}

interface StepBase {
  /** Name of the resource within the plan, such as `listener/tcp/80`. */
  readonly address: Address;
  readonly kind: ResourceKind;
  readonly because?: string;
}

/** Creates a resource. A load balancer is created with its whole tree, in `attributes.listeners`. */
export interface CreateStep extends StepBase {
  readonly verb: 'create';
  /** Body of the request. `{"$ref": "lb.vip_port_id"}` stands for a value that an earlier step yields. */
  readonly attributes: Attributes;
  /** Attributes that replace those of the same names, to try next while OpenStack has no free IP address. */
  readonly alternatives?: readonly Attributes[];
}

export interface UpdateStep extends StepBase {
  readonly verb: 'update';
  readonly id: string;
  /** Never empty. */
  readonly changes: readonly Change[];
}

export interface DeleteStep extends StepBase {
  readonly verb: 'delete';
  /** Why the resource goes: no delete is left unexplained. */
  readonly because: string;
  /** A reference stands for what OpenStack makes by itself during the plan. */
  readonly id: string | Ref;
  /** Deletes a load balancer with everything on it. */
  readonly cascade?: true;
  /** The first half of making the resource anew: a create at the same address follows. */
  readonly anew?: true;
  /** The rule that goes shuts clients out of a port that others still reach: it waits for no other branch. */
  readonly narrows?: true;
}

/** Changes several members of one pool in one call (Octavia API, "Batch Update Members"). */
interface MembersStep extends StepBase {
  readonly verb: 'members';
  readonly kind: 'pool';
  /** True: `members` has only the new and changed ones, and none is removed. False: `members` is the whole pool. */
  readonly additive: boolean;
  readonly members: readonly Attributes[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Members to change, each with the change: `10.0.0.5:30080 monitor_port null -> 31000`. */
  readonly changed: readonly string[];
}

/** Octavia builds the load balancer's amphorae anew; VIP and ids stay (Octavia API, "Failover a load balancer"). */
export interface FailoverStep extends StepBase {
  readonly verb: 'failover';
  readonly kind: 'loadbalancer';
  readonly id: string;
}

/** One API call that changes something. Steps are executed in their order. */
export type Step = CreateStep | UpdateStep | DeleteStep | MembersStep | FailoverStep;

/** A change that the plan refuses, since it would take away what people depend on, such as the VIP. */
export interface Refusal {
  readonly address: Address;
  readonly kind: ResourceKind;
  readonly changes: readonly Change[];
  readonly reason: string;
  readonly approval?: string;
}

/** A change to a resource that another controller made. It waits for an approval on the Service (decision 6). */
export interface AwaitingApproval {
  readonly verb: 'create' | 'update' | 'delete';
  readonly address: Address;
  readonly kind: ResourceKind;
  readonly changes: readonly Change[];
  readonly reason: string;
  /** The word for the annotation `levelset.openstack.org/approve`: a hash of this change and of the Service's UID. */
  readonly approval: string;
}

/** A user's mistake, or a setting that this cloud cannot meet. */
export interface Problem {
  readonly field: string;
  readonly value: string;
  /** What is wrong with the value, and what is allowed or used in its place. */
  readonly message: string;
  /** Nothing of this object changes while the Problem lasts but the members of a Service: a change could expose or move what must not be. */
  readonly blocking?: true;
  /** The Problem may end without a change that a sweep can see, so every sweep checks this object again. */
  readonly momentary?: true;
  /** The Problem comes and goes without a change of the Service, so sweeps compare it as well. */
  readonly passing?: true;
  /** Code of the error whose disposition applies, if something else than the Service must change. */
  readonly code?: ErrorCode;
}

/** Whether a Problem stops the object. Of a Service the members still follow the Nodes (decision 420). */
export function isBlocked({ problems }: Pick<Plan, 'problems'>): boolean {
  return problems.some(({ blocking }) => blocking);
}

/** So many wrong parts of one field are a Problem each. A field may have a hundred thousand. */
const MOST_PROBLEMS = 20;

/** One Problem for each of the wrong parts of a field. The last one counts those that are too many. */
export function problemForEach(
  parts: readonly string[],
  problemOf: (part: string) => Problem,
): readonly Problem[] {
  const problems = parts.slice(0, MOST_PROBLEMS).map(problemOf);
  const more = parts.length - problems.length;
  const last = problems.at(-1);
  if (more === 0 || !last) return problems;
  return [...problems.slice(0, -1), { ...last, value: `${last.value} and ${more} more` }];
}

/** The difference between desired and observed. It is good for the run that made it; the next run plans again. */
export interface Plan {
  /** Key of the object: `service/NAMESPACE/NAME`, `node/NAME` or `routes`. */
  readonly object: string;
  /** The Services of the object, as `NAMESPACE/NAME`; empty for Nodes and routes. */
  readonly services: readonly string[];
  /** In the order of execution. */
  readonly steps: readonly Step[];
  readonly refused: readonly Refusal[];
  readonly awaitingApproval: readonly AwaitingApproval[];
  /** What is wrong with the Service, Node or routes, or with the cloud, for people. */
  readonly problems: readonly Problem[];
  /** Resources of others on a load balancer of ours, which never change. */
  readonly foreign: readonly Address[];
  readonly sharedWith?: readonly string[];
  /** Octavia refuses every change of the load balancer for now: its state, and who ends it. */
  readonly locked?: string;
  readonly keepsMembers?: true;
  /** Steps for what differs although the same was desired when the object was last settled; never empty. */
  readonly drift?: readonly Step[];
  /** levelset only reports the drift: of it, `steps` have at most members that are missing. */
  readonly driftStays?: true;
}

export const REPLACEMENT = 'lb/replacement';

export function createsReplacement({ address, verb }: Step): boolean {
  return address === REPLACEMENT && verb === 'create';
}
