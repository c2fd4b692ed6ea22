import { ReconcileError } from '../model/errors.ts';
import type { Query, ReadKind } from '../ports.ts';
import type { ServiceType } from './openstack-http.ts';
import type { OpenStackConfig } from '../config/config.ts';
import { isRecord, stringAt } from '../model/json.ts';

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

export interface CatalogEndpoint {
  readonly type: string;
  readonly interface: string;
  /** The id of the region, and its name. */
  readonly regions: readonly string[];
  readonly url: string;
}

interface Scope {
  readonly catalog: readonly CatalogEndpoint[];
  readonly projectId: string;
  readonly accessRules?: readonly AccessRule[];
}

/** Service types of a service in a catalog (Service Types Authority). `networking` is an older spelling. */
const NAMES: Readonly<Record<ServiceType, readonly string[]>> = {
  identity: ['identity'],
  'load-balancer': ['load-balancer'],
  network: ['network', 'networking'],
  compute: ['compute'],
  'key-manager': ['key-manager'],
};

export function readCatalog(catalog: unknown): readonly CatalogEndpoint[] {
  const services = Array.isArray(catalog) ? catalog.filter(isRecord) : [];
  return services.flatMap((service) => {
    const endpoints = Array.isArray(service['endpoints']) ? service['endpoints'].filter(isRecord) : [];
    return endpoints.map((endpoint) => ({
      type: stringAt(service, 'type') ?? '',
      interface: stringAt(endpoint, 'interface') ?? '',
      regions: ['region_id', 'region']
        .flatMap((name) => stringAt(endpoint, name) ?? [])
        .filter((name) => name !== ''),
      url: stringAt(endpoint, 'url') ?? '',
    }));
  });
}

/**
 * The URL of a path such as `/v2.0/ports`. An endpoint with version and project, as Nova's may be, is used as it is;
 * access rules name no project.
 */
export function serviceUrl(
  { catalog, projectId, accessRules }: Scope,
  service: ServiceType,
  config: Pick<OpenStackConfig, 'region' | 'interface'>,
  path = '',
): string {
  const url = endpointOf(catalog, service, config).url.trim().replace(/\/+$/, '');
  const hasProject = url.endsWith(`/${projectId}`);
  const versioned = (hasProject ? url.slice(0, -projectId.length) : url).replace(/\/+$/, '');
  const root = versioned.replace(/\/+v\d+(\.\d+)?$/, '');
  if (root === versioned) return url + path;
  const [, rest] = /^\/v[\d.]+(\/.*)/.exec(path) ?? [];
  return hasProject && !accessRules && rest ? url + rest : root + path;
}

/** Throws CONFIG_INVALID, with what the catalog has instead, if the service is missing, or in several regions. */
export function endpointOf(
  catalog: readonly CatalogEndpoint[],
  service: ServiceType,
  config: Pick<OpenStackConfig, 'region' | 'interface'>,
): CatalogEndpoint & { readonly region: string } {
  const ofService = catalog.filter((endpoint) => NAMES[service].includes(endpoint.type));
  const ofInterface = ofService.filter((endpoint) => endpoint.interface === config.interface);
  const found = ofInterface.filter(
    ({ regions }) => config.region === undefined || regions.includes(config.region),
  );
  const [first] = found;
  if (first === undefined) {
    const wanted = config.region === undefined ? '' : ` in the region ${JSON.stringify(config.region)}`;
    throw missing(`no ${config.interface} endpoint for ${service}${wanted}`, ofService, catalog);
  }
  if (new Set(found.map(({ regions: [id] }) => id)).size > 1) {
    throw missing(`${service} in several regions and none is configured`, found, catalog);
  }
  return { ...first, region: config.region ?? first.regions[0] ?? '' };
}

function missing(
  what: string,
  near: readonly CatalogEndpoint[],
  catalog: readonly CatalogEndpoint[],
): ReconcileError {
  const places = near.map(
    (endpoint) => `${[...new Set(endpoint.regions)].join(' or ')} (${endpoint.interface})`,
  );
  const there =
    near.length > 0
      ? `it is there in ${unique(places)}`
      : `the catalog has ${unique(catalog.map(({ type }) => type)) || 'nothing'}`;
  return new ReconcileError('CONFIG_INVALID', `Keystone's catalog has ${what}; ${there}`);
}

function unique(values: readonly string[]): string {
  return [...new Set(values)].sort().join(', ');
}

/** What an application credential may call (Identity API v3, "Application Credentials", access rules). */
export interface AccessRule {
  readonly service: string;
  readonly method: string;
  readonly path: string;
}

/** The access rules of a token; undefined if it has none, and so may call everything that its roles allow. */
export function readAccessRules(token: Readonly<Record<string, unknown>>): readonly AccessRule[] | undefined {
  const credential = token['application_credential'];
  const rules = isRecord(credential) ? credential['access_rules'] : undefined;
  if (!Array.isArray(rules)) return undefined;
  return rules.map((rule: unknown) => ({
    service: stringAt(rule, 'service') ?? '',
    method: stringAt(rule, 'method') ?? '',
    path: stringAt(rule, 'path') ?? '',
  }));
}

/** The rule that a refused request lacks. A service sees the path with or without what its endpoint has before the version. */
export function missingRule(
  rules: readonly AccessRule[],
  { service, method, path }: AccessRule,
  url: string,
): string | undefined {
  const [bare = ''] = path.split('?');
  const seen = [bare, new URL(url).pathname];
  const isThere = rules.some(
    (rule) =>
      rule.service === service &&
      rule.method === method &&
      seen.some((one) => patternOf(rule.path).test(one)),
  );
  return isThere ? undefined : JSON.stringify({ service, method, path: withoutIds(bare) });
}

/** `{name}` and `*` stand for one part of a path, `**` for any number. */
function patternOf(path: string): RegExp {
  const parts = path.split(/(\{[^}]*\}|\*+)/).map((part, at) => {
    if (at % 2 === 0) return part.replaceAll(/[.+?^$()|[\]\\{}]/g, String.raw`\$&`);
    return part === '**' ? '.*' : '[^/]+';
  });
  return new RegExp(`^${parts.join('')}$`);
}

/** Some clouds put a word of their own beside the UUID. */
const withoutIds = (path: string): string =>
  path.replaceAll(/[^/]*[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}[^/]*/gi, '*');
