import type { Answer, Call } from '../../exchange.ts';
import type { Json } from '../../json.ts';
import { apiVersionOf, resourceTypes, type ResourceType } from '../kube-objects.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Resources by the path of their group's version: `/api/v1`, `/apis/coordination.k8s.io/v1`. */
const served = Map.groupBy(
  resourceTypes,
  (type) => `/${type.group === '' ? 'api' : 'apis'}/${apiVersionOf(type)}`,
);

/** Whether a path is below one where resources are. */
export const isServed = (path: string): boolean =>
  [...served.keys()].some((below) => `${path}/`.startsWith(`${below}/`));

/**
 * What the apiserver says of itself, in the form that every client of Kubernetes knows; undefined for every other path.
 * A client that would take a newer form, all groups in one answer, goes on with this one.
 */
export function discoveryAnswer({ method, path }: Call): Answer | undefined {
  const body = documents[path];
  if (method === 'GET' && path === '/openapi/v2') return noTypes;
  return method === 'GET' && body ? { status: 200, body } : undefined;
}

/** kubectl asks in the older document, as protobuf, for a kind that the newer one does not have. This has its version alone. */
const noTypes: Answer = {
  status: 200,
  headers: { 'Content-Type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
  body: Buffer.from('\n\u00032.0'),
};

const groups = [...served.values()].flatMap(([type]) => (type?.group ? [groupOf(type)] : []));

const documents: Readonly<Record<string, Json>> = {
  '/api': { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups },
  '/openapi/v3': {
    paths: Object.fromEntries(
      [...served.keys()].map((path) => [path.slice(1), { serverRelativeURL: `/openapi/v3${path}` }]),
    ),
  },
  ...Object.fromEntries([...served].map(([path, types]) => [path, resourceList(types)])),
  ...Object.fromEntries([...served].map(([path, types]) => [`/openapi/v3${path}`, openApi(path, types)])),
};

function groupOf(type: ResourceType): Json {
  const version = { groupVersion: apiVersionOf(type), version: type.version };
  return { name: type.group, versions: [version], preferredVersion: version };
}

function resourceList(types: readonly ResourceType[]): Json {
  const resources = types.flatMap(({ plural: name, kind, namespaced, shortNames, status }) => {
    const singularName = kind.toLowerCase();
    const categories = ['pods', 'services'].includes(name) ? ['all'] : [];
    const below = {
      name: `${name}/status`,
      singularName: '',
      namespaced,
      kind,
      verbs: ['get', 'patch', 'update'],
    };
    const own = { name, singularName, namespaced, kind, verbs: VERBS, shortNames, categories };
    return status ? [own, below] : [own];
  });
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: types.map(apiVersionOf)[0], resources };
}

/** No types, but what kubectl looks for before it applies: that the server validates fields and runs dry. */
function openApi(below: string, types: readonly ResourceType[]): Json {
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
    ...{ name, in: 'query', schema: { type: 'string' } },
  }));
  const paths = types.map(({ plural, kind, group, version, namespaced }) => {
    const patch = { parameters, 'x-kubernetes-group-version-kind': { group, version, kind } };
    return [`${below}/${namespaced ? 'namespaces/{namespace}/' : ''}${plural}/{name}`, { patch }];
  });
  const info = { title: 'Kubernetes', version: '1.36' };
  return { openapi: '3.0.0', info, paths: Object.fromEntries(paths) as Json, components: { schemas: {} } };
}
