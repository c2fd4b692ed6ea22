import type { OpenStackConfig } from '../../config/config.ts';
import { ReconcileError } from '../../model/errors.ts';
import type { ServiceType } from '../openstack-http.ts';
import { isRecord, stringAt } from '../../model/json.ts';

export interface CatalogEndpoint {
  readonly type: string;
  readonly interface: string;
  readonly region: string;
  readonly url: string;
}

/** Service types of a service in a catalog (Service Types Authority). `networking` is an older spelling. */
const NAMES: Readonly<Record<ServiceType, readonly string[]>> = {
  identity: ['identity'],
  'load-balancer': ['load-balancer'],
  network: ['network', 'networking'],
  compute: ['compute'],
  'key-manager': ['key-manager'],
};

/** The endpoints in `token.catalog` of a Keystone v3 token. */
export function readCatalog(catalog: unknown): readonly CatalogEndpoint[] {
  const services = Array.isArray(catalog) ? catalog.filter(isRecord) : [];
  return services.flatMap((service) => {
    const endpoints = Array.isArray(service['endpoints']) ? service['endpoints'].filter(isRecord) : [];
    return endpoints.map((endpoint) => ({
      type: stringAt(service, 'type') ?? '',
      interface: stringAt(endpoint, 'interface') ?? '',
      region: stringAt(endpoint, 'region_id') ?? stringAt(endpoint, 'region') ?? '',
      url: stringAt(endpoint, 'url') ?? '',
    }));
  });
}

/** The base URL of a service without slash and version at its end, so that `/v2.0/...` can follow. */
export function serviceUrl(...which: Parameters<typeof endpointOf>): string {
  return endpointOf(...which)
    .url.replace(/\/+$/, '')
    .replace(/\/v\d+(\.\d+)?$/, '');
}

/**
 * The endpoint of a service. Throws CONFIG_INVALID, with what the catalog has instead, if the service is missing, or is in several regions and
 * none is configured.
 */
export function endpointOf(
  catalog: readonly CatalogEndpoint[],
  service: ServiceType,
  config: Pick<OpenStackConfig, 'region' | 'interface'>,
): CatalogEndpoint {
  const ofService = catalog.filter((endpoint) => NAMES[service].includes(endpoint.type));
  const ofInterface = ofService.filter((endpoint) => endpoint.interface === config.interface);
  const found = ofInterface.filter(({ region }) => config.region === undefined || region === config.region);
  const [first] = found;
  if (first === undefined) {
    const wanted = config.region === undefined ? '' : ` in the region ${JSON.stringify(config.region)}`;
    throw missing(`no ${config.interface} endpoint for ${service}${wanted}`, ofService, catalog);
  }
  if (new Set(found.map(({ region }) => region)).size > 1) {
    throw missing(`${service} in several regions and none is configured`, found, catalog);
  }
  return first;
}

function missing(
  what: string,
  near: readonly CatalogEndpoint[],
  catalog: readonly CatalogEndpoint[],
): ReconcileError {
  const places = near.map((endpoint) => `${endpoint.region} (${endpoint.interface})`);
  const there =
    near.length > 0
      ? `it is there in ${unique(places)}`
      : `the catalog has ${unique(catalog.map(({ type }) => type)) || 'nothing'}`;
  return new ReconcileError('CONFIG_INVALID', `Keystone's catalog has ${what}; ${there}`);
}

function unique(values: readonly string[]): string {
  return [...new Set(values)].sort().join(', ');
}
