import type { Problem } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import type { Config } from '../../config/config.ts';
import { equalAttribute } from '../../model/equality.ts';
import { portKeyOf } from '../../model/address.ts';
import { FIELD_MANAGER, type ClusterIdentity } from '../../model/ownership.ts';
import { servicesIn } from '../../model/load-balancer/shared-load-balancer.ts';
import type { ManagedFields, Service } from '../../model/kubernetes.ts';

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
        'needs a certificate from Barbican, and Octavia cannot read one for an application credential; until it logs in as a user with a password, the Service is blocked',
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
  const message = `is taken on this load balancer by ${whose}; levelset serves the other ports; a Service that is not to share gets a load balancer of its own by spec.type ClusterIP and back, without the annotation load-balancer-id`;
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

export function otherController(service: Service | undefined): ManagedFields | undefined {
  const writes = service?.metadata.managedFields ?? [];
  const others = writes.filter((write) => write.manager !== FIELD_MANAGER && isController(write));
  return others.sort((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))[0];
}

/** The last write of another controller, if it came after levelset's last write of the status. */
export function secondController(service: Service | undefined): ManagedFields | undefined {
  const writes = service?.metadata.managedFields ?? [];
  const own = writes.filter(
    ({ manager, subresource }) => manager === FIELD_MANAGER && subresource === 'status',
  );
  const [last] = own.flatMap(({ time }) => time ?? []).sort((a, b) => b.localeCompare(a));
  if (last === undefined) return undefined;
  const other = otherController(service);
  return (other?.time ?? '') > last ? other : undefined;
}

/** Only a service controller writes the load balancer's address. A Go controller counts by its name: it may have written only annotations. */
function isController({ manager = '', fieldsV1 }: ManagedFields): boolean {
  const status = fieldsV1?.['f:status'];
  const writesAddress = typeof status === 'object' && status !== null && 'f:loadBalancer' in status;
  return writesAddress || manager.endsWith('cloud-controller-manager');
}
