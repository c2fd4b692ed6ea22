/** What differs for a deployment that serves the clusters of a registry (docs/clusters.md). */
import { OF_RECEIVING } from '../../shared/clusters/entry.ts';
import type { Resource } from './cloudformation.ts';

/** Variables that an entry of the registry takes the place of. */
const OF_ONE =
  /^LEVELSET_(?:CLOUD_CONFIG|KUBECONFIG|CA_FILE|CERT_FILE|KEY_FILE)_TEXT_(?:OPTIONAL_)?PARAMETER$/;
const TOKENS = /^(LEVELSET_\w+_TOKENS)_PARAMETER$/;

/** The variables of a function: tokens of the deployment need not be there, as each entry has its own. */
export function variablesForRegistry(
  environment: Readonly<Record<string, unknown>>,
  path: string,
): Readonly<Record<string, unknown>> {
  const kept = Object.entries(environment).filter(([name]) => !OF_ONE.test(name));
  const named = kept.map(([name, value]) => [name.replace(TOKENS, '$1_OPTIONAL_PARAMETER'), value]);
  return { ...(Object.fromEntries(named) as object), LEVELSET_CLUSTERS: `parameters:${path}` };
}

/** What a function may read of the registry, by the action of Parameter Store. One that only receives events connects with nothing. */
export function registryRights(
  environment: Readonly<Record<string, unknown>>,
): Readonly<Partial<Record<'ssm:GetParameters' | 'ssm:GetParametersByPath', readonly string[]>>> {
  const from = environment['LEVELSET_CLUSTERS'];
  if (typeof from !== 'string') return {};
  const entries = `${from.replace('parameters:', '')}/clusters/*`;
  if ('LEVELSET_STACK' in environment) return { 'ssm:GetParametersByPath': [entries] };
  return { 'ssm:GetParameters': OF_RECEIVING.map((text) => `${entries}/${text}`) };
}

/** Routes of the API, beside those of one cluster, by that which leads to the same function. */
const ROUTES = {
  'POST /resync': 'POST /resync/{cluster}',
  'GET /': 'GET /clusters/{cluster}',
} as const;

/** The routes that name a cluster, as copies of those that name none. */
export function routesForRegistry(
  resources: Readonly<Record<string, Resource>>,
): Readonly<Record<string, Resource>> {
  const routes = Object.entries(resources).flatMap(([name, route]) => {
    const key = ROUTES[route.Properties['RouteKey'] as keyof typeof ROUTES] as string | undefined;
    if (route.Type !== 'AWS::ApiGatewayV2::Route' || key === undefined) return [];
    return [[`${name}OfCluster`, { ...route, Properties: { ...route.Properties, RouteKey: key } }]];
  });
  return Object.fromEntries(routes) as Readonly<Record<string, Resource>>;
}
