import { placeOf } from '../../../model/address.ts';
import { dialectOf } from '../../../model/load-balancer/other-controllers.ts';
import { isAdopted, tagValue } from '../../../model/ownership.ts';
import type { DesiredResource, ObservedResource } from '../../../model/resources.ts';
import { ApprovalGate } from '../../../plan/approval.ts';
import { gateAttributes, withOurTags } from './gate-attributes.ts';
import type { Adopted, Gated, GateInput } from './gate-attributes.ts';
import { gateFloatingIP } from './gate-floating-ip.ts';
import { gateMembers } from './gate-members.ts';
import { gateMonitor } from './gate-monitor.ts';
import { gateNew, gatePort } from './gate-port.ts';

/**
 * Changes desired and observed so that their comparison yields no change that waits for approval. A change waits if it
 * alters the behaviour of a resource that another controller made in a way in which that controller would not alter it
 * (decisions 5, 6).
 */
export function gateChanges(input: GateInput): Gated {
  const there = new Map(input.observed.map((resource) => [resource.address, resource]));
  const wanted = new Map(input.desired.map((resource) => [resource.address, resource]));
  const lb = there.get('lb');
  const pools = input.observed.filter(isAdoptedPool);
  if (!lb || !wanted.has('lb') || (pools.length === 0 && hasOurNames(lb)))
    return { ...input, awaitingApproval: [] };

  const gate = new ApprovalGate(input.uid, input.approved);
  const adopted: Adopted = { ...input, dialect: dialectOf(lb.wire), gate, there, wanted };
  const addresses = new Set(pools.map(({ address }) => address));
  const places = [...wanted.keys()]
    .filter((address) => addresses.has(address))
    .map((address) => address.slice('pool/'.length));
  let { desired, observed }: Pick<Gated, 'desired' | 'observed'> = input;
  desired = desired.map((one) => {
    if (one.kind === 'loadbalancer') return gateAttributes(one, adopted);
    return one.kind === 'securitygroup' && !input.tags ? withOurTags(one, adopted) : one;
  });
  for (const place of places) {
    desired = gatePort(place, desired, adopted);
    ({ desired, observed } = gateMembers(place, { desired, observed }, adopted));
    ({ desired, observed } = gateMonitor(place, { desired, observed }, adopted));
  }
  desired = likeSiblings(places, gateNew(places, desired, adopted), adopted);
  ({ desired, observed } = gateFloatingIP({ desired, observed }, adopted));
  return { desired, observed, awaitingApproval: gate.awaitingApproval };
}

/** While a reading waits at the ports that the Go provider made, the others have what it would have given them. */
function likeSiblings(
  places: readonly string[],
  desired: readonly DesiredResource[],
  { byGo, gate }: Adopted,
): readonly DesiredResource[] {
  const waits = gate.awaitingApproval.some(({ kind, changes }) =>
    changes.some(({ attribute }) => byGo?.targets.has(`${kind}.${attribute}`)),
  );
  if (!byGo?.desired || !waits) return desired;
  const isOther = ({ address }: DesiredResource): boolean =>
    !places.includes(placeOf(address) || (places[0] ?? ''));
  const others = new Set(desired.filter(isOther).map(({ address }) => placeOf(address)));
  const asGo = byGo.desired.filter((one) => isOther(one) && others.has(placeOf(one.address)));
  return [...desired.filter((one) => !isOther(one)), ...asGo];
}

/** Whether the load balancer's tags and name are levelset's. An adopted pool may still be on it. */
function hasOurNames({ wire }: ObservedResource): boolean {
  return tagValue(wire['tags'], 'cluster') !== undefined && String(wire['name']).startsWith('kube_service_');
}

function isAdoptedPool({ kind, owned, wire }: ObservedResource): boolean {
  return kind === 'pool' && owned && isAdopted(wire);
}
