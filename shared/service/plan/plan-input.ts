import type { Config } from '../../config/config.ts';
import { requestedFloatingIP, type Node } from '../../model/kubernetes.ts';
import { serviceIn } from '../../model/load-balancer/floating-ip-owner.ts';
import type { ObservedService } from '../../model/load-balancer/observed-service.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import { isAnother, type Plan, type Problem } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import type { Depth, ServiceObject } from '../../model/service-object.ts';
import { withoutTakenPorts } from './plan-problems.ts';
import type { RepairFacts } from './plan-repair.ts';

/** How many resources of each kind the quota still allows; kinds without a limit are absent. */
type Headroom = Readonly<Record<string, number>>;

export interface ServicePlanInput {
  readonly object: ServiceObject;
  readonly cluster: ClusterIdentity;
  readonly nodes: readonly Node[];
  readonly depth: Depth;
  readonly config: Pick<Config, 'openstack'>;
  readonly observed: ObservedService;
  readonly desired: Wanted;
  /** Undefined: the quota was not read, or has no limits. */
  readonly headroom?: Headroom | undefined;
  readonly repair?: RepairFacts | undefined;
}

interface Wanted {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
  readonly keepMembers: boolean;
  readonly keepSecurityGroup: boolean;
  readonly approved: readonly string[];
  readonly readOtherwise?: ReadonlySet<string> | undefined;
  readonly internalByConfig?: boolean | undefined;
  /** What would be desired of a new load balancer that takes this one's place. */
  readonly another?: {
    readonly resources: readonly DesiredResource[];
    readonly problems: readonly Problem[];
  };
}

/** Such a plan needs the quota: if that refuses a one-POST create half-way, Octavia leaks the VIP port (decision 522). */
export function createsLoadBalancer(planned: Plan, { object, observed, depth }: ServicePlanInput): boolean {
  if (depth !== 'deep') return false;
  return (object.wanted && !observed.loadBalancer) || planned.steps.some(isAnother);
}

/** Whether a user attached the floating IP to the port that a Service which leaves names: it was not made for one, nor named. */
export function isOnUsersPort(
  { address, wire }: ObservedResource,
  { service, wanted }: ServiceObject,
): boolean {
  const port = service?.metadata.annotations?.['loadbalancer.openstack.org/port-id']?.trim().toLowerCase();
  if (address !== 'floatingip' || !service || wanted || wire['port_id'] !== port) return false;
  const wasMade = serviceIn(String(wire['description'])) !== undefined;
  return !wasMade && requestedFloatingIP(service) !== wire['floating_ip_address'];
}

/** The ports that others have, such as `tcp/80`, and the addresses of the rules that are idle without them. */
export function takenByOthers({ desired, observed, cluster }: ServicePlanInput): readonly string[] {
  const free = withoutTakenPorts(desired.resources, observed.resources, cluster);
  if (free.taken.length === 0) return [];
  const left = new Set(withoutIdleRules(free.desired).map(({ address }) => address));
  const addresses = free.desired.map(({ address }) => address);
  return [...free.taken, ...addresses.filter((address) => !left.has(address))];
}

/** A port without a pool is another Service's here, or the cloud cannot serve it. A group that loses all rules may be empty (decision 420). */
export function withoutIdleRules(desired: readonly DesiredResource[]): readonly DesiredResource[] {
  const pools = new Set(desired.filter(({ kind }) => kind === 'pool').map(({ address }) => address));
  const isIdle = ({ kind, portKeys = [] }: DesiredResource): boolean =>
    kind === 'securitygrouprule' && !portKeys.some((portKey) => pools.has(`pool/${portKey}`));
  if (!desired.some(isIdle)) return desired;
  const left = desired.filter((resource) => !isIdle(resource));
  if (left.some(({ kind }) => kind === 'securitygrouprule')) return left;
  return left.map((one) => (one.kind === 'securitygroup' ? { ...one, mayBeEmpty: true as const } : one));
}
