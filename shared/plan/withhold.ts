import { dialectOf } from '../model/name-schemes.ts';
import type { Dialect } from '../model/name-schemes.ts';
import { tagValue } from '../model/ownership.ts';
import type { Pending } from '../model/plan.ts';
import type { Address, DesiredResource, ObservedResource } from '../model/resources.ts';
import { Gate } from './pending.ts';
import { withholdAttributes, withOurTags } from './withhold-attributes.ts';
import { withholdFloatingIP } from './withhold-floating-ip.ts';
import { withholdMembers } from './withhold-members.ts';
import { withholdMonitor } from './withhold-monitor.ts';
import { withholdNew } from './withhold-new.ts';
import { withholdPort } from './withhold-port.ts';

export interface WithholdInput {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  /** UID of the Service. */
  readonly uid: string;
  readonly approved: readonly string[];
  /** The addresses in the Service's status. */
  readonly published: readonly string[];
  /** All addresses of every node that can be a member, by name. */
  readonly nodes: ReadonlyMap<string, readonly string[]>;
  /** No node can be used just now: the pools keep what they have. */
  readonly keepMembers: boolean;
  /** False: not even our tags are written to what others made. */
  readonly tags: boolean;
}

export interface Withheld {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly pending: readonly Pending[];
}

/** What the parts below know of a load balancer that another controller made. */
export interface Adopted extends WithholdInput {
  readonly dialect: Dialect;
  readonly gate: Gate;
  readonly there: ReadonlyMap<Address, ObservedResource>;
  readonly wanted: ReadonlyMap<Address, DesiredResource>;
}

/**
 * Before desired and observed are compared: takes out of both what would change the behaviour of something that another
 * controller made, beyond what that one did by itself, until a person approves (decisions 5, 6).
 */
export function withhold(input: WithholdInput): Withheld {
  const there = new Map(input.observed.map((resource) => [resource.address, resource]));
  const wanted = new Map(input.desired.map((resource) => [resource.address, resource]));
  const lb = there.get('lb');
  const pools = input.observed.filter(isAdoptedPool);
  if (!lb || !wanted.has('lb') || (pools.length === 0 && isMadeByUs(lb))) return { ...input, pending: [] };

  const gate = new Gate(input.uid, input.approved);
  const adopted: Adopted = { ...input, dialect: dialectOf(lb.wire), gate, there, wanted };
  const addresses = new Set(pools.map(({ address }) => address));
  const places = [...wanted.keys()]
    .filter((address) => addresses.has(address))
    .map((address) => address.slice('pool/'.length));
  let { desired, observed }: Pick<Withheld, 'desired' | 'observed'> = input;
  desired = desired.map((one) => {
    if (one.kind === 'loadbalancer') return withholdAttributes(one, adopted);
    return one.kind === 'securitygroup' && !input.tags ? withOurTags(one, adopted) : one;
  });
  for (const place of places) {
    desired = withholdPort(place, desired, adopted);
    ({ desired, observed } = withholdMembers(place, { desired, observed }, adopted));
    ({ desired, observed } = withholdMonitor(place, { desired, observed }, adopted));
  }
  desired = withholdNew(places, desired, adopted);
  ({ desired, observed } = withholdFloatingIP({ desired, observed }, adopted));
  return { desired, observed, pending: gate.pending };
}

/** For all that can be told without its pools: ours have our tags and the Go provider's name. */
function isMadeByUs({ wire }: ObservedResource): boolean {
  return tagValue(wire['tags'], 'cluster') !== undefined && String(wire['name']).startsWith('kube_service_');
}

/** Ours say for which port they were made, from the beginning. */
function isAdoptedPool({ kind, owned, wire }: ObservedResource): boolean {
  return kind === 'pool' && owned && tagValue(wire['tags'], 'port') === undefined;
}
