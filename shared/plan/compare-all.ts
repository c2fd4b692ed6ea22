import { attributeRule } from '../model/attributes.ts';
import { printable } from '../model/text/text.ts';
import type { Attributes, DesiredResource, ObservedResource } from '../model/resources.ts';
import { isRef } from '../model/address.ts';
import { bind, compare } from './compare.ts';

export interface ComparedAttribute {
  readonly attribute: string;
  readonly desired: string;
  readonly live?: string;
  readonly differs: boolean;
}

export interface ComparedResource {
  readonly address: string;
  readonly id?: string;
  readonly state: 'same' | 'differs' | 'missing' | 'live only';
  readonly attributes: readonly ComparedAttribute[];
}

/** Everything that is desired beside what is there, as people read it: a plan shows only what differs. */
export function compareAll(
  desired: readonly DesiredResource[],
  observed: readonly ObservedResource[],
): readonly ComparedResource[] {
  const there = new Map<string, ObservedResource>(observed.map((one) => [one.address, one]));
  const wanted = new Set<string>(desired.map(({ address }) => address));
  return [
    ...desired
      .filter(({ address, ifPresent }) => ifPresent === undefined || there.has(address))
      .map((one) => compared(one, there)),
    ...observed
      .filter(({ address, whose }) => whose !== 'foreign' && !wanted.has(address))
      .map(({ address, id }) => ({ address, id, state: 'live only' as const, attributes: [] })),
  ];
}

function compared(desired: DesiredResource, there: ReadonlyMap<string, ObservedResource>): ComparedResource {
  const { address, kind } = desired;
  const live = there.get(address);
  const changes = live ? [...compare(desired, live, there).values()].flat() : [];
  const differing = new Set(changes.map(({ attribute }) => attribute));
  const attributes = Object.entries(desired.attributes as Attributes).flatMap(([attribute, value]) => {
    const isSetOnce = live !== undefined && attributeRule(kind, attribute).change === 'at-create';
    if (isSetOnce && isRef(value)) return []; // its parent, which the wire names in another way
    return {
      attribute: isSetOnce ? `${attribute} (set once)` : attribute,
      desired: textOf(bind(value, there)),
      ...(live && { live: textOf(live.wire[attribute]) }),
      differs: differing.has(attribute),
    };
  });
  const givenBack = changes
    .filter(({ attribute }) => !(attribute in desired.attributes))
    .map(({ attribute, from, to }) => ({
      ...{ attribute, desired: textOf(to), live: textOf(from), differs: true },
    }));
  if (!live) return { address, state: 'missing', attributes };
  const state = changes.length > 0 ? 'differs' : 'same';
  return { address, id: live.id, state, attributes: [...attributes, ...givenBack] };
}

function textOf(value: unknown): string {
  return isRef(value) ? value.$ref : printable(JSON.stringify(value ?? null));
}
