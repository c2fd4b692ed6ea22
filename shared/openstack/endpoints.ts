import { ReconcileError } from '../model/errors.ts';
import type { Query, ReadKind } from '../ports.ts';
import type { ServiceType } from './openstack-http.ts';

interface Endpoint {
  readonly service: ServiceType;
  readonly collection: string;
  readonly singular: string;
  /** Envelope of a list, with `<plural>_links` beside it. */
  readonly plural: string;
  readonly parent?: 'pool' | 'l7policy';
  /** Tags are set by a PUT of their own below the object (Networking API, "Standard attributes tag extension"). */
  readonly tagsApart?: true;
  /** Attribute with the object's URL, which ends in its id. Barbican has neither envelopes nor ids. */
  readonly reference?: 'secret_ref' | 'container_ref';
  readonly microversion?: string;
  /** Objects have no id; their name serves as one. */
  readonly named?: true;
  /** Lists are read at `/detail`, as they have only names and ids otherwise. */
  readonly detail?: true;
  /** What every such object that is read has besides an id. One without it would be taken for another one, and put right. */
  readonly has?: readonly string[];
  readonly title: string;
}

// prettier-ignore
export const ENDPOINTS: Readonly<Record<ReadKind, Endpoint>> = {
  loadbalancer:  { service: 'load-balancer', collection: '/v2.0/lbaas/loadbalancers',  singular: 'loadbalancer',  plural: 'loadbalancers',  title: 'load balancer', has: ['provisioning_status'] },
  listener:      { service: 'load-balancer', collection: '/v2.0/lbaas/listeners',      singular: 'listener',      plural: 'listeners',      title: 'listener', has: ['protocol', 'protocol_port'] },
  pool:          { service: 'load-balancer', collection: '/v2.0/lbaas/pools',          singular: 'pool',          plural: 'pools',          title: 'pool', has: ['protocol'] },
  member:        { service: 'load-balancer', collection: '/members',                   singular: 'member',        plural: 'members',        title: 'member', parent: 'pool', has: ['address', 'protocol_port'] },
  healthmonitor: { service: 'load-balancer', collection: '/v2.0/lbaas/healthmonitors', singular: 'healthmonitor', plural: 'healthmonitors', title: 'health monitor', has: ['type'] },
  l7policy:      { service: 'load-balancer', collection: '/v2.0/lbaas/l7policies',     singular: 'l7policy',      plural: 'l7policies',     title: 'L7 policy' },
  l7rule:        { service: 'load-balancer', collection: '/rules',                     singular: 'rule',          plural: 'rules',          title: 'L7 rule', parent: 'l7policy' },
  flavor:        { service: 'load-balancer', collection: '/v2.0/lbaas/flavors',        singular: 'flavor',        plural: 'flavors',        title: 'flavor' },
  availabilityzone: { service: 'load-balancer', collection: '/v2.0/lbaas/availabilityzones', singular: 'availability_zone', plural: 'availability_zones', title: 'availability zone', named: true },
  floatingip:    { service: 'network',       collection: '/v2.0/floatingips',          singular: 'floatingip',    plural: 'floatingips',    title: 'floating IP', tagsApart: true, has: ['floating_ip_address'] },
  securitygroup:     { service: 'network',   collection: '/v2.0/security-groups',      singular: 'security_group',      plural: 'security_groups',      title: 'security group', tagsApart: true },
  securitygrouprule: { service: 'network',   collection: '/v2.0/security-group-rules', singular: 'security_group_rule', plural: 'security_group_rules', title: 'security group rule' },
  network:       { service: 'network',       collection: '/v2.0/networks',             singular: 'network',       plural: 'networks',       title: 'network' },
  subnet:        { service: 'network',       collection: '/v2.0/subnets',              singular: 'subnet',        plural: 'subnets',        title: 'subnet' },
  qos_policy:    { service: 'network',       collection: '/v2.0/qos/policies',         singular: 'policy',        plural: 'policies',       title: 'QoS policy' },
  router:        { service: 'network',       collection: '/v2.0/routers',              singular: 'router',        plural: 'routers',        title: 'router' },
  port:          { service: 'network',       collection: '/v2.0/ports',                singular: 'port',          plural: 'ports',          title: 'port' },
  server:        { service: 'compute',       collection: '/v2.1/servers',               singular: 'server',        plural: 'servers',        title: 'server', detail: true, microversion: 'compute 2.47' },
  compute_flavor: { service: 'compute',      collection: '/v2.1/flavors',               singular: 'flavor',        plural: 'flavors',        title: 'flavor' },
  secret:        { service: 'key-manager',   collection: '/v1/secrets',                singular: '',              plural: 'secrets',        title: 'secret', reference: 'secret_ref' },
  container:     { service: 'key-manager',   collection: '/v1/containers',             singular: '',              plural: 'containers',     title: 'container', reference: 'container_ref' },
};

export function collectionPath(kind: ReadKind, parent?: string): string {
  const { collection, parent: parentKind } = ENDPOINTS[kind];
  if (parentKind === undefined) return collection;
  if (parent === undefined) throw new TypeError(`${kind}: the id of its ${parentKind} is needed`);
  return objectPath(parentKind, parent) + collection;
}

export function listPath(kind: ReadKind, parent?: string): string {
  return collectionPath(kind, parent) + (ENDPOINTS[kind].detail ? '/detail' : '');
}

export function objectPath(kind: ReadKind, id: string, parent?: string): string {
  return `${collectionPath(kind, parent)}/${escapedId(kind, id)}`;
}

export function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    [value].flat().map((item): [string, string] => [key, String(item)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** The id, for a URL. Who made the object has chosen it, and flavors have any text. Throws NOT_FOUND for what would name another path. */
function escapedId(kind: ReadKind, id: string): string {
  if (!['', '.', '..'].includes(id)) return encodeURIComponent(id);
  throw new ReconcileError('NOT_FOUND', `${JSON.stringify(id)} is not the id of a ${ENDPOINTS[kind].title}`);
}
