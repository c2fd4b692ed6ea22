import type { Change } from '../../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../../model/resources.ts';
import { withOurTags } from './gate-attributes.ts';
import type { Adopted, Gated } from './gate-attributes.ts';

type Sides = Pick<Gated, 'desired' | 'observed'>;

/**
 * Keeps the published address of a Service. If a published address would change, a takeover creates, deletes or moves
 * no floating IP without approval.
 */
export function gateFloatingIP(sides: Sides, adopted: Adopted): Sides {
  const desired = sides.desired.find(({ kind }) => kind === 'floatingip');
  const observed = adopted.there.get('floatingip');
  const change = changeOf(desired, observed, adopted);
  const { gate } = adopted;
  const waiting =
    change !== undefined && !gate.allows({ kind: 'floatingip', address: 'floatingip', ...change });
  return {
    desired: sides.desired.flatMap((one) =>
      one !== desired ? [one] : waiting ? [] : [isOlder(observed) ? withOurTags(one, adopted) : one],
    ),
    observed: waiting ? sides.observed.filter((one) => one !== observed) : sides.observed,
  };
}

/** The change of the published address; undefined if nothing is published or the address stays. */
function changeOf(
  desired: DesiredResource | undefined,
  observed: ObservedResource | undefined,
  { published, there }: Adopted,
): { verb: 'create' | 'update' | 'delete'; changes: readonly Change[]; reason: string } | undefined {
  const lb = there.get('lb')?.wire;
  const vip = lb?.['vip_address'];
  const address = observed?.wire['floating_ip_address'];
  const attached = observed?.wire['port_id'] === lb?.['vip_port_id'];
  const change = (from: unknown, to: unknown): readonly Change[] => [{ attribute: 'address', from, to }];
  const reason = `the published address would change`;
  // also where a name is published, which leads to it
  if (!desired) {
    const leaves = observed?.owned === true && attached;
    return leaves ? { verb: 'delete', changes: change(address, vip), reason } : undefined;
  }
  if (published.length === 0) return undefined;
  if (observed) {
    const moves = !attached && !published.includes(String(address));
    return moves ? { verb: 'update', changes: change(published.join(', '), address), reason } : undefined;
  }
  const comes = desired.ifPresent !== true && published.includes(String(vip));
  return comes ? { verb: 'create', changes: change(vip, 'a floating IP'), reason } : undefined;
}

/** Whether another controller made the floating IP. levelset writes "(levelset HASH)" into the description of each. */
function isOlder(observed: ObservedResource | undefined): boolean {
  return observed !== undefined && !String(observed.wire['description']).includes('(levelset ');
}
