import { goTags } from '../../../model/load-balancer/other-controllers.ts';
import { poolAddressOf, transportOf } from '../../../model/address.ts';
import type { CreateStep, MembersStep, Step } from '../../../model/plan.ts';
import type { ClusterIdentity } from '../../../model/ownership.ts';
import type { ServiceKey } from '../../../model/request.ts';
import { isOutsideOctavia } from '../../../model/load-balancer/octavia.ts';
import type { Address } from '../../../model/address.ts';
import type { Attributes, ObservedResource, ResourceKind, WireResource } from '../../../model/resources.ts';
import { memberOf, monitorOf, observeListeners, observePools } from '../children.ts';
import { securityGroupRules } from '../network/security-group.ts';

export interface Written {
  readonly steps: readonly Step[];
  /** Answers to creates, by address. */
  readonly known: ReadonlyMap<string, WireResource>;
  readonly name: ServiceKey;
  readonly cluster: ClusterIdentity;
}

/** Octavia's times of a member that we wrote are unknown until it is read. */
const NOT_YET_KNOWN = { created_at: null, updated_at: null };

/**
 * The resources that exist when Octavia has finished the writes of this run. An id that Octavia has not told yet is ''.
 */
export function predictState(
  observed: readonly ObservedResource[],
  written: Written,
): readonly ObservedResource[] {
  const there = new Map(observed.map((resource) => [resource.address, resource]));
  for (const step of written.steps) {
    const answer = written.known.get(step.address);
    if (step.verb === 'create' && answer) {
      const made = madeAlong(step, answer, written);
      for (const resource of [resourceOf(step, answer), ...made]) there.set(resource.address, resource);
    } else if (step.verb === 'update') {
      const child = there.get(step.address);
      const changes = Object.fromEntries(step.changes.map(({ attribute, to }) => [attribute, to]));
      const shown =
        step.kind === 'port' ? answer : { ...changes, ...(step.kind === 'member' ? NOT_YET_KNOWN : {}) };
      if (child) there.set(step.address, { ...child, wire: { ...child.wire, ...shown } });
    } else if (step.verb === 'delete') {
      there.delete(step.address);
      for (const child of [...there.values()]) if (child.parent === step.address) there.delete(child.address);
    } else if (step.verb === 'members') {
      setMembers(step, there);
    }
  }
  return [...there.values()];
}

function resourceOf({ kind, address }: CreateStep, wire: WireResource): ObservedResource {
  const outsideOctavia = isOutsideOctavia(kind) && kind !== 'securitygrouprule';
  return {
    kind,
    address,
    id: wire.id,
    ...(kind === 'loadbalancer' || outsideOctavia ? {} : { parent: parentOf(kind, address) }),
    owned: true,
    wire,
  };
}

function parentOf(kind: ResourceKind, address: Address): Address {
  if (kind === 'securitygrouprule') return 'securitygroup';
  return kind === 'member' || kind === 'healthmonitor' ? poolAddressOf(address) : 'lb';
}

/** The resources that OpenStack makes together with the one that was created. */
function madeAlong(step: CreateStep, answer: WireResource, written: Written): readonly ObservedResource[] {
  if (step.kind === 'securitygroup') return securityGroupRules(answer);
  return step.kind === 'loadbalancer' ? created(step, answer, written) : [];
}

/**
 * The resources on a load balancer that was just created. The answer to its POST has listeners, pools and members.
 * Monitors are taken as they were sent.
 */
function created(step: CreateStep, answer: WireResource, written: Written): readonly ObservedResource[] {
  const { cluster, name: key } = written;
  const owners = { cluster, key, shared: false, tags: goTags(cluster.name, key), names: [] };
  const listeners = observeListeners(answer['listeners'] as readonly WireResource[], owners);
  const pools = observePools(answer['pools'] as readonly WireResource[], listeners, owners);
  const sent = step.attributes['listeners'] as readonly Attributes[];
  return [
    ...listeners,
    ...pools,
    ...pools.flatMap((pool) =>
      (pool.wire['members'] as readonly WireResource[]).map((wire) => memberOf(pool.address, wire)),
    ),
    ...sent.flatMap((listener) => {
      const { healthmonitor } = (listener['default_pool'] ?? {}) as { healthmonitor?: Attributes };
      const place = `${transportOf(listener['protocol'])}/${String(listener['protocol_port'])}`;
      return healthmonitor ? [monitorOf(`pool/${place}`, { ...healthmonitor, id: '' })] : [];
    }),
  ];
}

function setMembers(step: MembersStep, there: Map<Address, ObservedResource>): void {
  const listed = step.members.map((attributes) =>
    memberOf(step.address, { ...attributes, ...NOT_YET_KNOWN, id: '' }),
  );
  if (!step.additive) {
    for (const child of [...there.values()]) {
      if (child.kind === 'member' && child.parent === step.address) there.delete(child.address);
    }
  }
  for (const member of listed) {
    const old = there.get(member.address);
    there.set(member.address, old ? { ...old, wire: { ...old.wire, ...member.wire, id: old.id } } : member);
  }
}
