import type { ErrorCode } from './errors.ts';
import type { Address, Ref } from './address.ts';
import type { Attributes, ResourceKind } from './resources.ts';
import type { CertificateInUse } from './tls/certificate-facts.ts';
import type { ReconcileRequest, Key } from './request.ts';

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

export function isAnother({ address, verb }: Step): boolean {
  return address === REPLACEMENT && verb === 'create';
}

/** settled: all is as desired, as far as allowed. progressing: the key is requeued. blocked: the object must change first. */
export type Outcome =
  | { readonly status: 'settled' }
  | {
      readonly status: 'progressing';
      readonly reason: string;
      readonly retryAfterMs: number;
      /** Id of the load balancer that is busy. One list call polls all busy load balancers together. */
      readonly waitingFor?: string;
      /** The run is to make a load balancer, and as many as may be are in Octavia's hands. */
      readonly needsSlot?: true;
      /** The Service shares a load balancer, and its run is not the one of the group (ReconcileRequest.inGroup). */
      readonly needsGroup?: true;
    }
  | { readonly status: 'blocked'; readonly reason: string }
  | {
      readonly status: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly retryAfterMs: number;
    };

export interface Report {
  readonly request: ReconcileRequest;
  readonly outcome: Outcome;
  readonly plan?: Plan;
  readonly applied: readonly Step[];
  readonly loadBalancerId?: string;
  readonly address?: string;
  /** Names of eligible nodes without an IP address. The node set is read again until there are none. */
  readonly nodesWithoutAddress?: readonly string[];
  readonly certificates?: readonly CertificateInUse[];
  /** Hash of what was desired. Two runs in a row with different ones: somebody changed what is asked for. */
  readonly desired?: string;
  /** A Node changed or gave up its CIDRs, so a sweep checks members, and Nodes that wait for a CIDR. */
  readonly membersMoved?: true;
  /** The object is not there, and has left nothing. */
  readonly missing?: true;
  readonly durationMs: number;
  readonly calls: number;
  readonly failedRequestIds: readonly string[];
}

/** The part of a Report that a controller makes. The shared code adds the request, the duration and the calls. */
export type Run = Pick<
  Report,
  | 'outcome'
  | 'plan'
  | 'applied'
  | 'loadBalancerId'
  | 'address'
  | 'nodesWithoutAddress'
  | 'certificates'
  | 'desired'
  | 'membersMoved'
  | 'missing'
>;

/** What a sweep counts, for the status page, the metrics and the log. */
export interface SweepFigures {
  readonly services: number;
  /** Number of Services that levelset does not look after any more (decision 150). */
  readonly released: number;
  readonly settled: number;
  /** Number of Services that were compared with everything on their load balancers. */
  readonly comparedInFull: number;
  /** Number of changes to adopted load balancers that wait for approval. */
  readonly awaitingApproval: number;
  /** Absent if the load balancers could not be listed. */
  readonly loadBalancersByState?: Readonly<Record<string, number>>;
  readonly nodesWithoutAddress: readonly string[];
  /** Services that began or ceased to want a load balancer, and on which nobody has worked since. */
  readonly changed: readonly Key[];
  readonly certificates: ReadonlyMap<Key, readonly CertificateInUse[]>;
  readonly nodes: number;
  readonly nodesSettled: number;
  /** Nodes that could be compared with their servers. None of many: Nova cannot be read. */
  readonly nodesCompared: number;
}

export interface Found {
  readonly keys: readonly Key[];
  readonly warnings: readonly string[];
  readonly incomplete?: boolean;
  /** This controller's part of the figures; absent if the controller was not part of the sweep. */
  readonly figures?: Partial<SweepFigures>;
}

export const NOTHING_FOUND: Found = { keys: [], warnings: [] };

export function reasonOf(outcome: Outcome): string {
  switch (outcome.status) {
    case 'settled':
      return 'as desired';
    case 'failed':
      return outcome.message;
    case 'progressing':
    case 'blocked':
      return outcome.reason;
  }
}
