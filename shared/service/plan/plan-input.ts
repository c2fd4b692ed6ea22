import type { Config } from '../../config/config.ts';
import { requestedFloatingIP, type Node, type Service } from '../../model/kubernetes.ts';
import { serviceDescribed } from '../../model/load-balancer/whose.ts';
import type { ObservedService } from '../../model/load-balancer/observed-service.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import { createsReplacement, type Plan, type Problem } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import { type Depth, type ServiceObject, secondController } from '../../model/service-object.ts';
import type { RepairFacts } from './plan-repair.ts';
import { equalAttribute } from '../../model/attributes.ts';
import { portKeyOf } from '../../model/address.ts';
import { servicesIn } from '../../model/load-balancer/makers-and-sharers.ts';

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
  return (object.wanted && !observed.loadBalancer) || planned.steps.some(createsReplacement);
}

/** Whether a user attached the floating IP to the port that a Service which leaves names: it was not made for one, nor named. */
export function isOnUsersPort(
  { address, wire }: ObservedResource,
  { service, wanted }: ServiceObject,
): boolean {
  const port = service?.metadata.annotations?.['loadbalancer.openstack.org/port-id']?.trim().toLowerCase();
  if (address !== 'floatingip' || !service || wanted || wire['port_id'] !== port) return false;
  const wasMade = serviceDescribed(String(wire['description'])) !== undefined;
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

export function quotaProblems(
  desired: readonly DesiredResource[],
  headroom?: Readonly<Record<string, number>>,
): readonly Problem[] {
  return quotaShortages(desired, headroom).map((problem) => ({ ...problem, blocking: true as const }));
}

/** A Problem for each kind of which more are to be created than the quota still allows. Without a number there is no limit. */
export function quotaShortages(
  desired: readonly DesiredResource[],
  headroom: Readonly<Record<string, number>> = {},
): readonly Problem[] {
  return Object.entries(headroom).flatMap(([kind, left]) => {
    const needed = desired.filter((resource) => resource.kind === kind).length;
    if (needed <= left) return [];
    const message = `is more than the quota of the project allows (${Math.max(left, 0)} more); levelset creates nothing until there is room`;
    return [
      {
        field: `quota ${kind}`,
        value: String(needed),
        message,
        code: 'QUOTA_EXCEEDED' as const,
      },
    ];
  });
}

const REFERENCES = [
  ['default_tls_container_ref', 'reference'],
  ['sni_container_refs', 'references'],
] as const;

/**
 * To read a certificate, Octavia trades the caller's token for another, which Keystone refuses to application credentials. Octavia then answers 400,
 * and a create of a whole load balancer leaks the VIP port (decision 15). A listener that names the certificate already is changed as usual.
 */
export function delegationProblems(
  desired: readonly DesiredResource[],
  observed: readonly ObservedResource[],
  credentials: Config['openstack']['credentials']['type'],
): readonly Problem[] {
  if (credentials !== 'application-credential') return [];
  return desired
    .filter((resource): resource is DesiredResource<'listener'> => resource.kind === 'listener')
    .filter(({ address, attributes }) => {
      const wire = observed.find((resource) => resource.address === address)?.wire;
      return REFERENCES.some(
        ([name, compare]) =>
          attributes[name] !== undefined &&
          !equalAttribute({ change: 'in-place', compare }, attributes[name], wire?.[name]),
      );
    })
    .map(({ address, attributes }) => ({
      field: address,
      value: JSON.stringify(attributes.default_tls_container_ref ?? null),
      message:
        'needs a certificate from Barbican, and Octavia cannot read one for an application credential; let levelset log in as a user with a password; until then the Service is blocked',
      blocking: true,
      code: 'FORBIDDEN',
    }));
}

/** Octavia has one TCP-like listener per port: a port that another Service or a person has is left out with everything on it. */
export function withoutTakenPorts(
  desired: readonly DesiredResource[],
  observed: readonly ObservedResource[],
  cluster: ClusterIdentity,
): {
  readonly desired: readonly DesiredResource[];
  readonly problems: readonly Problem[];
  readonly taken: readonly string[];
} {
  const there = new Map(observed.map((resource) => [resource.address, resource]));
  const taken = desired.flatMap(({ kind, address }) => {
    if (kind !== 'listener') return [];
    const portKey = address.slice('listener/'.length);
    const holder = there.get(address) ?? there.get(`pool/${portKey}`);
    return holder?.whose === 'foreign' ? [{ portKey, holder }] : [];
  });
  if (taken.length === 0) return { desired, problems: [], taken: [] };
  const portKeys = new Set(taken.map(({ portKey }) => portKey));
  return {
    desired: desired.filter(({ address }) => !portKeys.has(portKeyOf(address))),
    problems: taken.map(({ portKey, holder }) => problemOf(portKey, holder, cluster)),
    taken: [...portKeys],
  };
}

function problemOf(portKey: string, { wire, id }: ObservedResource, cluster: ClusterIdentity): Problem {
  const [family = '', port = ''] = portKey.split('/');
  const [service] = servicesIn(wire['tags'], cluster);
  const name = /_([a-z0-9.-]+)_([a-z0-9.-]+)$/.exec(String(wire['name']));
  const whose = service ?? (name ? `${name[1] ?? ''}/${name[2] ?? ''}` : `another owner (${id})`);
  const message = `is taken on this load balancer by ${whose}; levelset serves the other ports; to give this Service a load balancer of its own, set spec.type to ClusterIP, remove the annotation load-balancer-id, and set spec.type to LoadBalancer again`;
  return { field: 'spec.ports[].port', value: `${family.toUpperCase()} ${port}`, message };
}

/**
 * A controller that wrote after levelset's last status would undo levelset's changes (decision 150). A controller that stopped counts until
 * levelset writes the status again. Times of managedFields have whole seconds.
 */
export function secondControllerProblems(service: Service | undefined): readonly Problem[] {
  const other = secondController(service);
  if (!other) return [];
  const message = `wrote this Service at ${other.time ?? ''}, after levelset did; two controllers of one Service undo each other's changes, so stop one of them (docs/migration.md)`;
  return [{ field: 'field manager', value: other.manager ?? '', message, momentary: true }];
}
