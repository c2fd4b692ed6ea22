import type { Answer, Call } from '../../exchange.ts';
import type { Json } from '../../json.ts';
import { apiGroups, groupVersion, pathOf, type ApiGroup, type Discovered } from './api-groups.ts';
import { openApiAnswer, openApiTwo } from './openapi-answer.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** What the apiserver says of itself; undefined for every other path. */
export function discoveryAnswer({ method, path, headers }: Call): Answer | undefined {
  if (method !== 'GET') return undefined;
  const asked = path.length > 1 ? path.replace(/\/$/, '') : path;
  const isAggregated = asksFor(headers.accept ?? '');
  const [core, ...named] = [apiGroups.slice(0, 1), ...apiGroups.slice(1)];
  if (asked === '/') return { status: 200, body: { paths: paths() } };
  if (asked === '/api') return isAggregated ? aggregated(core) : { status: 200, body: apiVersions };
  if (asked === '/apis')
    return isAggregated ? aggregated(named.flat()) : { status: 200, body: groupList(named.flat()) };
  if (asked.startsWith('/openapi/v3')) return openApiAnswer(asked);
  if (asked === '/openapi/v2') return openApiTwo(headers.accept ?? '');
  const group = apiGroups.find((one) => pathOf(one) === asked);
  if (group) return { status: 200, body: resourceList(group) };
  const alone = apiGroups.find(({ name }) => name !== '' && asked === `/apis/${name}`);
  return alone && { status: 200, body: { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(alone) } };
}

/** Whether the first of the discovery documents that a client takes is the aggregated one, as kubectl asks since 1.26. */
const asksFor = (accept: string): boolean =>
  accept.split(',').some((one) => {
    const parameters = one.split(';').map((part) => part.trim());
    return ['g=apidiscovery.k8s.io', 'v=v2', 'as=APIGroupDiscoveryList'].every((part) =>
      parameters.includes(part),
    );
  });

const apiVersions: Json = {
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1' }],
};

function groupOf(group: ApiGroup): Json {
  const version = { groupVersion: groupVersion(group), version: group.version };
  return { name: group.name, versions: [version], preferredVersion: version };
}

const groupList = (groups: readonly ApiGroup[]): Json => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groups.map(groupOf),
});

/** Of the core group without an apiVersion, as the real one. */
const resourceList = (group: ApiGroup): Json => ({
  kind: 'APIResourceList',
  ...(group.name === '' ? {} : { apiVersion: 'v1' }),
  groupVersion: groupVersion(group),
  resources: group.resources.flatMap(rows),
});

function rows({
  name,
  singular,
  kind,
  namespaced,
  verbs,
  shortNames,
  categories,
  subresources,
}: Discovered): Json[] {
  const names = {
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
  return [
    { name, singularName: singular, namespaced, kind, verbs, ...names },
    ...subresources.map((below) => ({
      ...{ name: `${name}/${below.name}`, singularName: '', namespaced, kind, verbs: below.verbs },
    })),
  ];
}

function aggregated(groups: readonly ApiGroup[]): Answer {
  const items = groups.map(({ name, version, resources }) => ({
    metadata: name === '' ? {} : { name },
    versions: [{ version, resources: resources.map(discovered), freshness: 'Current' }],
  }));
  const body = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
  return { status: 200, headers: { 'Content-Type': AGGREGATED, Vary: 'Accept' }, body };
}

function discovered(one: Discovered): Json {
  const responseKind = { group: '', version: '', kind: one.kind };
  const { shortNames, categories, subresources } = one;
  return {
    resource: one.name,
    responseKind,
    scope: one.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: one.singular,
    verbs: one.verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map(({ name, verbs }) => ({ subresource: name, responseKind, verbs })),
    }),
  };
}

const paths = (): string[] =>
  [
    ...['/api', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'],
    ...apiGroups.flatMap((group) =>
      group.name === '' ? [pathOf(group)] : [`/apis/${group.name}`, pathOf(group)],
    ),
  ].sort();
