/**
 * Reach: which resources of OpenStack a Service may name (decision 20). A person who may edit a Service need not
 * have any rights in OpenStack, but levelset acts with its own rights. Limits: how much one Service may ask for.
 *
 * | reach     | what may be named                                                                       |
 * | --------- | --------------------------------------------------------------------------------------- |
 * | `own`     | what belongs to the namespace                                                           |
 * | `allowed` | the same, and what the operator allows by `--allowed-references` or by a tag            |
 * | `open`    | all that the project sees, as with OCCM; `--reach=allowed` turns it to `allowed` |
 */
import type { ReferenceKind } from '../attributes/attribute-row.ts';
import { tagValues } from '../ownership.ts';
import type { WireResource } from '../resources.ts';
import { readUuid } from '../text/text.ts';
import { parseTlsReference } from '../tls/certificate-facts.ts';
import type { Service } from '../kubernetes.ts';
import type { Problem } from '../plan.ts';

type Reach = 'own' | 'allowed' | 'open';

// prettier-ignore
export const REACH = {
  loadbalancer:      'allowed',
  floatingip:        'open',
  port:              'open',
  subnet:            'open',
  network:           'open',
  flavor:            'open',
  availability_zone: 'open',
  qos_policy:        'open',
  securitygroup:     'open',
  barbican:          'open',
  Secret:            'own',
} as const satisfies Readonly<Record<ReferenceKind, Reach>>;

/** One entry of `--allowed-references`: `NAMESPACE/KIND/ID`. `*` stands for any. The id is as the Service spells it. */
export interface AllowedReference {
  readonly namespace: string;
  readonly kind: ReferenceKind | '*';
  readonly id: string;
}

export interface ReachConfig {
  readonly reach?: 'allowed';
  readonly allowedReferences?: readonly AllowedReference[];
}

/** Whether Services of a namespace may name this resource. The caller looks at tags that allow it. */
export function mayRefer(config: ReachConfig, namespace: string, kind: ReferenceKind, id: string): boolean {
  if (REACH[kind] === 'own') return true;
  if (REACH[kind] === 'open' && config.reach !== 'allowed') return true;
  return isListed(config, namespace, kind, id);
}

export function isListed(config: ReachConfig, namespace: string, kind: ReferenceKind, id: string): boolean {
  return (config.allowedReferences ?? []).some(
    (entry) =>
      isOneOf(entry.namespace, namespace) &&
      isOneOf(entry.kind, kind) &&
      (entry.id === '*' || identity(entry.id) === identity(id)),
  );
}

/** Whether Services of a namespace may join a load balancer that others made: by its tag `levelset-allow`, or by `--allowed-references`. */
export function mayJoin(config: ReachConfig, namespace: string, loadBalancer: WireResource): boolean {
  return (
    allowsNamespace(loadBalancer['tags'], namespace) ||
    mayRefer(config, namespace, 'loadbalancer', loadBalancer.id)
  );
}

/** Whether a tag `levelset-allow=<namespace>` (`*`: any namespace) is among these. */
export function allowsNamespace(tags: unknown, namespace: string): boolean {
  return tagValues(tags, 'allow').some((allowed) => isOneOf(allowed, namespace));
}

export function outOfReach(namespace: string, kind: ReferenceKind, id: string): string {
  const entry = `${namespace}/${kind}/${/[\s,*]/.test(id) ? '*' : id}`;
  return `is out of reach of the namespace ${namespace}; the operator of levelset can allow it by --allowed-references=${entry}`;
}

function isOneOf(pattern: string, value: string): boolean {
  return pattern === '*' || pattern === value;
}

/** One spelling for a UUID, or for a URL in Barbican, whose host does not count. */
function identity(id: string): string {
  const uuid = parseTlsReference(id)?.id ?? readUuid(id);
  return uuid?.replaceAll('-', '') ?? id;
}

/** What one Service may ask for, so that no tenant's lists cost all memory (decision 488). `--service-limits` multiplies each. */
export const LIMITS = {
  ports: 200,
  /** Entries of an annotation that names what is looked up: certificates, subnets, security groups. */
  names: 50,
  /** Entries of any other list, such as source ranges. */
  entries: 1_000,
  /** Of a security group: ports times source ranges. */
  openings: 20_000,
  certificates: 500,
  /** Ports times Pods. */
  members: 50_000,
} as const;

type Limit = keyof typeof LIMITS;

export interface Factor {
  readonly serviceLimits?: number;
}

export function limitOf(limit: Limit, { serviceLimits = 1 }: Factor): number {
  return LIMITS[limit] * serviceLimits;
}

/** Why nothing but the members of a Service changes any more; undefined if `count` is within the limit. */
export function tooMany(field: string, limit: Limit, count: number, config: Factor): Problem | undefined {
  const most = limitOf(limit, config);
  if (count <= most) return undefined;
  const message = `is more than ${most} ${limit}; levelset changes nothing but ${limit === 'ports' ? `the members of the first ${most}` : 'members'} until it is less, or --service-limits is raised`;
  return { field, value: String(count), message, blocking: true };
}

export function withinPorts(service: Service, config: Factor): Service {
  const { ports = [], ...others } = service.spec;
  const most = limitOf('ports', config);
  return ports.length <= most ? service : { ...service, spec: { ...others, ports: ports.slice(0, most) } };
}
