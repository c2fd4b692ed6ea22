import { withoutOurTags } from '../model/ownership.ts';
import type { Refusal, Step } from '../model/plan.ts';
import type { Address } from '../model/address.ts';
import type { Attributes, DesiredResource, ObservedResource, ResourceKind } from '../model/resources.ts';
import { isOutsideOctavia } from '../model/load-balancer/octavia.ts';
import { compare } from './compare.ts';
import { writtenBefore } from './written-before.ts';

export function remove(resource: ObservedResource): Step {
  return { verb: 'delete', kind: resource.kind, address: resource.address, id: resource.id };
}

/** One resource with its counterpart. */
export function planOne(
  desired: DesiredResource,
  there: ReadonlyMap<Address, ObservedResource>,
  steps: Step[],
  refused: Refusal[],
): void {
  const { kind, address, alternatives = [] } = desired;
  const observed = there.get(address);
  const create: Step = {
    verb: 'create',
    kind,
    address,
    attributes: createAttributes(desired),
    ...becauseOf(desired),
    ...(alternatives.length > 0 ? { alternatives } : {}),
  };
  if (!observed) {
    if (!desired.ifPresent) steps.push(create);
    return;
  }
  if (!observed.owned && kind !== 'floatingip') {
    refused.push({ address, kind, changes: [], reason: 'something that is not ours is in its place' });
    return;
  }
  const differences = compare(desired, observed, there);
  const changes = differences.get('in-place');
  const update = { verb: 'update', kind, address, id: observed.id } as const;
  const again = differences.get('recreate');
  const before = changes && writtenBefore(kind, changes, again !== undefined);
  if (before) steps.push({ ...update, changes: before.first, because: before.because });
  if (again) {
    const because = again
      .map(({ attribute, from, to }) => `${attribute} ${String(from)} -> ${String(to)}`)
      .join(', ');
    const gap = kind === 'listener' ? ': this port does not answer for about 2 s' : '';
    steps.push({ ...remove(observed), because: because + gap }, { ...create, because });
    return;
  }
  const rest = changes?.filter((change) => !before?.first.includes(change)) ?? [];
  if (rest.length > 0) steps.push({ ...update, changes: rest, ...becauseOf(desired) });
  const no = differences.get('refuse');
  if (no) refused.push({ address, kind, changes: no, reason: whyNot(kind) });
}

function becauseOf({ because }: DesiredResource): Pick<Step, 'because'> {
  return because === undefined ? {} : { because };
}

/** All our listeners and pools have the protocol of their port: another one serves a wish that we do not know. */
function whyNot(kind: ResourceKind): string {
  return kind === 'listener' || kind === 'pool'
    ? 'another controller made it for what this version does not do'
    : 'it cannot change without taking the address away';
}

/** Neutron takes no tags on the POST of what can have them; they are set in a second, repeatable step. */
function createAttributes({ kind, attributes }: DesiredResource): Attributes {
  if (!isOutsideOctavia(kind)) return attributes;
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => name !== 'tags'));
}

/** Ours is deleted; one that we only used is detached and loses our tags. */
export function giveBack(observed: ObservedResource, madeByUs: boolean): Step {
  const { kind, address, id, wire } = observed;
  if (madeByUs) return remove(observed);
  const tags = wire['tags'] as readonly string[];
  return {
    verb: 'update',
    kind,
    address,
    id,
    because: 'it was there before us',
    changes: [
      { attribute: 'port_id', from: wire['port_id'], to: null },
      { attribute: 'tags', from: tags, to: withoutOurTags(tags) },
    ],
  };
}
