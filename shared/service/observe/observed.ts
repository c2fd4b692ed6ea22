import type { JoinIntent, NotJoined, Sharing } from '../../model/load-balancer/shared-load-balancer.ts';
import type { Node } from '../../model/kubernetes.ts';
import type { NetworkFacts, NetworkQuestion, Subnet } from '../../model/network/network-facts.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import type { Unit } from '../../model/unit.ts';
import type { CloudReader } from '../../ports.ts';
import type { Project } from './project.ts';
import type { Headroom } from './quota.ts';

/** What is there now, for one unit. */
export interface Observed {
  readonly loadBalancer?: WireResource;
  /** All tagged as ours: made twice, because the answer to a POST was lost. The older one stays. */
  readonly duplicates: readonly WireResource[];
  /** Made to take the place of `loadBalancer`, and not yet in it. */
  readonly replacement?: WireResource;
  /** Ids of load balancers of other controllers that could all be this unit's: none is taken, and none is made. */
  readonly ambiguous?: readonly string[];
  /** The one that the Service asks for is not, or not to be, its load balancer. */
  readonly notJoined?: NotJoined;
  /** Of `loadBalancer`: what the Service is to it, and who else uses it. */
  readonly sharing?: Sharing;
  readonly resources: readonly ObservedResource[];
  readonly facts: NetworkFacts;
  readonly octavia: { readonly major: number; readonly minor: number };
  /** This is what our own writes since then led to; no settings were read, so no watermark may rest on it. */
  readonly expectedSinceMs?: number;
  /** Only when a load balancer may have to be created. */
  readonly headroom?: Headroom;
}

export interface Question {
  readonly unit: Unit;
  readonly nodes: readonly Node[];
  readonly cluster: ClusterIdentity;
  /** Undefined when nothing is wanted. */
  readonly network: NetworkQuestion | undefined;
  readonly securityGroup: SecurityGroupQuestion;
  /** Undefined when nothing is wanted. */
  readonly join: JoinIntent | undefined;
}

export interface SecurityGroupQuestion {
  /** False: there should be none, and hardly ever is. */
  readonly managed: boolean;
  /** At which addresses of this subnet the group is to be found on a port; none when nothing is wanted. */
  readonly addresses: (memberSubnet: Subnet | undefined) => readonly string[];
}

export interface Source extends CloudReader {
  /** Read in bulk: load balancers and floating IPs are looked up in it. */
  readonly project?: Project;
}

/** Octavia holds its lock on it: every write would be a 409. */
export function isLocked(wire: WireResource): boolean {
  return String(wire['provisioning_status']).startsWith('PENDING_');
}
