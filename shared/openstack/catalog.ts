import { ReconcileError } from '../model/errors.ts';
import type { ServiceType } from './openstack-http.ts';
import type { OpenStackConfig } from '../config/config.ts';
import { isRecord, stringAt } from '../model/json.ts';

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
    throw missing(`${service} in several regions, and none is configured`, found, catalog);
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
