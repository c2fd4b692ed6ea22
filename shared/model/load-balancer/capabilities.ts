import { ATTRIBUTES, attributesOf } from '../attributes.ts';
import type { CapabilityColumns } from '../attributes/attribute-row.ts';
import type { ObservedResource, ResourceKind } from '../resources.ts';

export interface OctaviaVersion {
  readonly major: number;
  readonly minor: number;
  /** Octavia does not tell it. */
  readonly isAssumed?: true;
}

export const versionInWords = ({ major, minor, isAssumed }: OctaviaVersion): string =>
  isAssumed
    ? `Octavia does not tell its versions here, which counts as ${major}.${minor}`
    : `this cloud has ${major}.${minor}`;

/** Something that not every Octavia, or not every provider, can do. */
export type Capability = CapabilityColumns & { readonly kind: ResourceKind; readonly attribute: string };

/** The names that Octavia's own provider has had. */
const AMPHORA = ['amphora', 'amphorav2', 'octavia'];

export function lackingIn(provider: string, minor: number): readonly Capability[] {
  return CAPABILITIES.filter(
    ({ since = 0, notOvn, notAmphora }) =>
      minor < since ||
      (notOvn === true && provider === 'ovn') ||
      (notAmphora === true && AMPHORA.includes(provider)),
  );
}

/**
 * What not every Octavia has (docs/sources/openstack.md, "Octavia API versions"), and what a provider never has (docs/sources/occm.md,
 * "Section LoadBalancer"). Octavia answers an attribute that it does not have with 400: then the whole load balancer is not created.
 */
export const CAPABILITIES: readonly Capability[] = Object.keys(ATTRIBUTES).flatMap((name) => {
  const kind = name as ResourceKind;
  return Object.entries(attributesOf(kind)).flatMap(([attribute, { capability = [] }]) =>
    [capability].flat().map((columns) => ({ kind, attribute, ...columns })),
  );
});

/** Where Octavia does not tell its version: the oldest that has what stands on a load balancer, so that nothing of it is taken back. */
export function atLeast(octavia: OctaviaVersion, standing: readonly ObservedResource[]): OctaviaVersion {
  if (!octavia.isAssumed) return octavia;
  const shown = standing.flatMap(({ kind, wire }) =>
    CAPABILITIES.filter(
      (one) =>
        one.kind === kind && one.attribute in wire && (one.values?.includes(wire[one.attribute]) ?? true),
    ),
  );
  return { ...octavia, minor: Math.max(octavia.minor, ...shown.map(({ since = 0 }) => since)) };
}

/** The first minor version of the Octavia API 2 that has an attribute; 0: all have it. */
export function attributeSince(kind: ResourceKind, attribute: string): number {
  const found = CAPABILITIES.filter(
    (one) => one.kind === kind && one.attribute === attribute && !one.values && !one.at,
  );
  return Math.max(0, ...found.map(({ since = 0 }) => since));
}

/** With the provider ovn nodes see the clients' IP addresses, so that rules of a managed security group enforce source ranges. */
export function rulesHoldSourceRanges(config: {
  readonly lbProvider: string;
  readonly manageSecurityGroups: boolean;
}): boolean {
  return config.lbProvider === 'ovn' && config.manageSecurityGroups;
}
