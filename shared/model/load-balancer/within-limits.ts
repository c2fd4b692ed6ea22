import type { Service } from '../kubernetes.ts';
import type { Problem } from '../plan.ts';

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
