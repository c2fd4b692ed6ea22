import { CONTROLLER } from '../../../model/load-balancer/other-controllers.ts';
import type { DesiredResource, ObservedResource } from '../../../model/resources.ts';
import { presentOf } from '../replace-pools.ts';
import { asObserved, gatedChanges, isAwaitingApproval, withOurTags } from './gate-attributes.ts';
import type { Adopted, Gated } from './gate-attributes.ts';

type Sides = Pick<Gated, 'desired' | 'observed'>;

/**
 * Keeps the health monitor of an adopted pool. Its creation and deletion need approval, and so do changes that the old
 * controller would not have made. A change of its type needs none if the Go provider made it, since that changed the
 * type itself. While the monitor waits, members keep the port at which they are checked: all would be down otherwise.
 */
export function gateMonitor(place: string, sides: Sides, adopted: Adopted): Sides {
  const address = `monitor/${place}`;
  const desired = sides.desired.find((one) => one.address === address);
  const observed = adopted.there.get(address);
  if (!desired && !observed) return sides;
  if (desired && observed) return gateChange(place, desired, observed, sides, adopted);
  const old = CONTROLLER[adopted.dialect];
  const allowed = desired
    ? adopted.gate.allows({
        verb: 'create',
        kind: 'healthmonitor',
        address,
        changes: [
          {
            attribute: 'type',
            from: null,
            to: (desired as DesiredResource<'healthmonitor'>).attributes.type,
          },
        ],
        reason: `${old} made this pool without health checks; with them, members that fail get no traffic`,
      })
    : adopted.gate.allows({
        verb: 'delete',
        kind: 'healthmonitor',
        address,
        changes: [{ attribute: 'type', from: observed?.wire['type'], to: null }],
        reason: `${old} made this pool with health checks; without them, members that fail keep getting traffic`,
      });
  if (allowed) return sides;
  return withSameCheckPort(
    place,
    {
      ...sides,
      desired: [
        ...sides.desired.filter((one) => one !== desired),
        ...(observed ? [asItIs(place, observed)] : []),
      ],
    },
    adopted,
  );
}

function gateChange(
  place: string,
  wanted: DesiredResource,
  observed: ObservedResource,
  sides: Sides,
  adopted: Adopted,
): Sides {
  const desired = withOurTags(wanted, adopted);
  const replaced = { ...sides, desired: sides.desired.map((one) => (one === wanted ? desired : one)) };
  const changes = gatedChanges(desired, observed, adopted);
  if (!isAwaitingApproval(desired, changes, adopted)) return replaced;
  const waiting = {
    ...replaced,
    desired: replaced.desired.map((one) => (one === desired ? asObserved(desired, observed, changes) : one)),
  };
  return changes.some(({ attribute }) => attribute === 'type')
    ? withSameCheckPort(place, waiting, adopted)
    : waiting;
}

/** The monitor as desired with its present values, so that a pool that replaces this one has it, too. */
function asItIs(place: string, observed: ObservedResource): DesiredResource {
  const { kind, address } = observed;
  return { kind, address, parent: `pool/${place}`, ifPresent: true, attributes: presentOf(observed) };
}

/** Gives all members, also new ones, the check port of the first present member. */
function withSameCheckPort(place: string, sides: Sides, { observed }: Adopted): Sides {
  const parent = `pool/${place}`;
  const sibling = observed.find((one) => one.kind === 'member' && one.parent === parent && one.owned);
  const monitor_port = (sibling?.wire['monitor_port'] ?? null) as number | null;
  return {
    ...sides,
    desired: sides.desired.map((one) =>
      one.kind === 'member' && one.parent === parent
        ? { ...one, attributes: { ...one.attributes, monitor_port } }
        : one,
    ),
  };
}
