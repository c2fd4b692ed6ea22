import { poolAddressOf } from '../address.ts';
import { isOfNode } from '../node/node.ts';
import type { Step } from '../plan.ts';
import type { ObservedResource, ResourceKind, WireResource } from '../resources.ts';
import { ATTRIBUTES, attributesOf } from '../attributes.ts';
import type { CapabilityColumns } from '../attributes/attribute-row.ts';

/** One entry of a load balancer's status tree (Octavia API, "Get the Load Balancer status tree"). */
interface StatusNode {
  readonly id: string;
  readonly name?: string;
  readonly provisioning_status: string;
  readonly operating_status?: string;
}

export interface StatusMember extends StatusNode {
  readonly address: string;
  readonly protocol_port: number;
}

export interface StatusPool extends StatusNode {
  readonly health_monitor?: StatusNode;
  readonly members: readonly StatusMember[];
}

interface StatusListener extends StatusNode {
  readonly pools: readonly StatusPool[];
}

export interface StatusTree extends StatusNode {
  readonly listeners: readonly StatusListener[];
}

export interface Offer {
  /** Id of a flavor. An availability zone has its name here. */
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
}

export interface OfferQuestion {
  readonly flavors: boolean;
  readonly zones: boolean;
}

/** The flavors and zones that were looked up; absent if nobody asked for them. */
export interface Offers {
  /** Whether the load balancer exists already. It keeps the flavor and zone that it has. */
  readonly isMade?: boolean;
  readonly flavors?: readonly Offer[] | undefined;
  readonly zones?: readonly Offer[] | undefined;
}

/** Whether a kind is outside Octavia: Octavia's lock does not cover such a resource, and no status tree shows it. */
export function isOutsideOctavia(kind: ResourceKind): boolean {
  const isOfNetwork = kind === 'floatingip' || kind === 'router' || isOfSecurityGroup(kind);
  return isOfNetwork || kind === 'secret' || isOfNode(kind);
}

export function makesLoadBalancer({ steps }: { readonly steps: readonly Step[] }): boolean {
  return steps.some(({ verb, kind }) => verb === 'create' && kind === 'loadbalancer');
}

export function writesMembers({ kind, verb }: Pick<Step, 'kind' | 'verb'>): boolean {
  return kind === 'member' || verb === 'members';
}

/** Whether a resource follows Nodes or Pods, or a step makes it follow them: members, the rules for them, and the groups on the Nodes' ports. */
export function followsNodes(one: { readonly kind: ResourceKind; readonly verb?: Step['verb'] }): boolean {
  return ['member', 'port', 'securitygrouprule'].includes(one.kind) || one.verb === 'members';
}

export function poolOfMembers({ kind, address }: Pick<Step, 'kind' | 'address'>): string {
  return kind === 'member' ? poolAddressOf(address) : address;
}

function isOfSecurityGroup(kind: ResourceKind): boolean {
  return kind === 'securitygroup' || kind === 'securitygrouprule' || kind === 'port';
}

/** Whether Octavia holds its lock on the load balancer. It would answer every write with 409 then. */
export function isLocked({ provisioning_status: status }: WireResource): boolean {
  return isPending(String(status));
}

export function isPending(status: string): boolean {
  return status.startsWith('PENDING_');
}

/** A listener, pool, member, monitor, policy or rule of ours that Octavia could not configure: it may serve as it did before. */
export function isChildInError({ kind, whose, wire }: ObservedResource): boolean {
  const isChild = kind !== 'loadbalancer' && !isOutsideOctavia(kind);
  return isChild && whose !== 'foreign' && wire['provisioning_status'] === 'ERROR';
}

/** The tables of Octavia's database, by kind. */
const TABLES: Partial<Record<ResourceKind, string>> = {
  loadbalancer: 'load_balancer',
  healthmonitor: 'health_monitor',
};

/** What an operator has to do about what is in PENDING since `anHourAgo` (RFC 3339): Octavia itself gives a new amphora up in half of that. */
export function howToFree(kind: ResourceKind, wire: WireResource, anHourAgo: string): string | undefined {
  const { id, provisioning_status: status, updated_at: updated, created_at: created } = wire;
  // Octavia's times are UTC and do not say so
  const since = `${String(updated ?? created)}Z`;
  if (!isLocked(wire) || !(since < anHourAgo)) return undefined;
  const table = TABLES[kind] ?? kind;
  return [
    `has been in ${String(status)} since ${since}, and Octavia refuses every change of it.`,
    `Ask whoever runs the cloud to see what the worker logs: journalctl -u octavia-worker | grep ${id}.`,
    `If no worker works on it any more, they can free it in Octavia's database: UPDATE ${table} SET provisioning_status = 'ERROR' WHERE id = '${id}' AND provisioning_status = '${String(status)}'`,
  ].join(' ');
}

/** Who has a VIP port: Octavia itself, or its provider ovn (docs/sources/openstack.md, "VIP ports of the provider ovn"). */
export const VIP_PORT_OWNERS = ['Octavia', 'ovn-lb:vip', 'ovn-lb-vip:distributed'];

/** The load balancer that a VIP port was made for, by its name; undefined for a port that Octavia did not make. */
export function loadBalancerOfPort({ name, device_owner }: WireResource): string | undefined {
  const [, id] = /^(?:octavia-lb|ovn-lb-vip)-([0-9a-f-]{36})$/.exec(String(name)) ?? [];
  return VIP_PORT_OWNERS.includes(String(device_owner)) ? id : undefined;
}

export interface OctaviaVersion {
  readonly major: number;
  readonly minor: number;
  /** Octavia does not tell it. */
  readonly isAssumed?: true;
}

export const versionInWords = ({ major, minor, isAssumed }: OctaviaVersion): string =>
  isAssumed
    ? `Octavia does not tell its versions here, so levelset assumes ${major}.${minor}`
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
