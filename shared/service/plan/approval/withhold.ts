import { dialectOf } from '../../../model/load-balancer/name-schemes.ts';
import { isAdopted } from '../../../model/load-balancer/next-pool.ts';
import { tagValue } from '../../../model/ownership.ts';
import type { ObservedResource } from '../../../model/resources.ts';
import { Gate } from '../../../plan/approval-hash.ts';
import type { Adopted, Withheld, WithholdInput } from './adopted.ts';
import { withholdAttributes, withOurTags } from './attributes.ts';
import { withholdFloatingIP } from './floating-ip.ts';
import { withholdMembers } from './members.ts';
import { withholdMonitor } from './monitor.ts';
import { withholdNew } from './new.ts';
import { withholdPort } from './port.ts';

/**
 * Before desired and observed are compared: takes out of both what would change the behaviour of something that another
 * controller made, beyond what that one did by itself, until a person approves (decisions 5, 6).
 */
export function withhold(input: WithholdInput): Withheld {
  const there = new Map(input.observed.map((resource) => [resource.address, resource]));
  const wanted = new Map(input.desired.map((resource) => [resource.address, resource]));
  const lb = there.get('lb');
  const pools = input.observed.filter(isAdoptedPool);
  if (!lb || !wanted.has('lb') || (pools.length === 0 && hasOurNames(lb))) return { ...input, pending: [] };

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
function hasOurNames({ wire }: ObservedResource): boolean {
  return tagValue(wire['tags'], 'cluster') !== undefined && String(wire['name']).startsWith('kube_service_');
}

function isAdoptedPool({ kind, owned, wire }: ObservedResource): boolean {
  return kind === 'pool' && owned && isAdopted(wire);
}
