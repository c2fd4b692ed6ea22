import { CONTROLLER } from '../../../model/load-balancer/other-controllers.ts';
import type { Address } from '../../../model/address.ts';
import type { Attributes, DesiredResource, ResourceKind } from '../../../model/resources.ts';
import { isRef } from '../../../plan/compare.ts';
import type { Adopted } from './gate-input.ts';

/** What the controllers before us made too; each has its own rule. */
const KNOWN: readonly ResourceKind[] = [
  'loadbalancer',
  'listener',
  'pool',
  'member',
  'healthmonitor',
  'floatingip',
  'securitygroup',
  'securitygrouprule',
  'port',
];

/** What goes without saying. */
const SAID = ['name', 'tags', 'admin_state_up'];

/** What hangs on an adopted listener and no controller before us ever made, such as a redirect: it waits, with all below. */
export function gateNew(
  places: readonly string[],
  desired: readonly DesiredResource[],
  { dialect, gate, there }: Adopted,
): readonly DesiredResource[] {
  const adopted = new Set(places.map((place) => `listener/${place}`));
  const held = new Set<Address>();
  for (const { kind, address, parent = '', attributes } of desired) {
    const isNew = !KNOWN.includes(kind) && !there.has(address) && adopted.has(parent);
    if (!isNew) continue;
    const changes = Object.entries(attributes as Attributes)
      .filter(([attribute, to]) => !SAID.includes(attribute) && !isRef(to))
      .map(([attribute, to]) => ({ attribute, from: null, to }));
    const reason = `${CONTROLLER[dialect]} never made one`;
    if (!gate.allows({ verb: 'create', kind, address, changes, reason })) held.add(address);
  }
  return desired.filter(({ address, parent = '' }) => !held.has(address) && !held.has(parent));
}
