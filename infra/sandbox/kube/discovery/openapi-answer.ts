import { createHash } from 'node:crypto';
import type { Answer } from '../../exchange.ts';
import type { Json } from '../../json.ts';
import { structNames, structOf, type Field, type Shape } from '../schema/schema.ts';
import { apiGroups, groupVersion, pathOf, type ApiGroup } from './api-groups.ts';
import { resourceTypes, type ResourceType } from '../kube-objects.ts';
import { statusRefusal } from '../kube-refusal.ts';

/** `/openapi/v3` names a document for each version of a group, and each describes the resources stored in it. */
export function openApiAnswer(path: string): Answer {
  const documented = apiGroups.filter(({ name }) => resourceTypes.some(({ group }) => group === name));
  if (path === '/openapi/v3') {
    const addresses = documented.map((group) => {
      const [below, document] = [pathOf(group).slice(1), documentOf(group)];
      const hash = createHash('sha256').update(JSON.stringify(document)).digest('hex').toUpperCase();
      return [below, { serverRelativeURL: `/openapi/v3/${below}?hash=${hash}` }];
    });
    return { status: 200, body: { paths: Object.fromEntries(addresses) as Json } };
  }
  const group = documented.find((one) => path === `/openapi/v3${pathOf(one)}`);
  if (!group) throw statusRefusal(404, 'NotFound', 'the server could not find the requested resource', {});
  return { status: 200, body: documentOf(group) };
}

/**
 * The older document names no types here. kubectl asks for it as protobuf when version 3 does not have a type, and then
 * says that the server does not know the kind.
 */
export function openApiTwo(accept: string): Answer {
  const type = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  if (!accept.startsWith(type))
    return {
      status: 200,
      body: { swagger: '2.0', info: { title: 'Kubernetes', version: '1.36' }, paths: {} },
    };
  const version = Buffer.from('2.0');
  return {
    status: 200,
    // the name that is asked for is no media type, and the real one answers with this
    headers: { 'Content-Type': type.replace('@', '.') },
    body: Buffer.concat([Buffer.of(0x0a, version.length), version]),
  };
}

function documentOf(group: ApiGroup): Json {
  const types = resourceTypes.filter((type) => type.group === group.name);
  const kinds = new Map(types.map((type) => [type.kind, type]));
  const names = namesFrom(types.map(({ kind }) => kind));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: '1.36' },
    paths: Object.fromEntries(types.flatMap((type) => pathsOf(group, type))),
    components: {
      schemas: Object.fromEntries(
        names.map((name) => [structOf(name).fullName, schemaOf(name, kinds.get(name))]),
      ),
    },
  };
}

/** The types that these are made of, and they themselves. */
function namesFrom(first: readonly string[]): readonly string[] {
  const found = new Set(first);
  for (const name of found)
    for (const { shape } of structOf(name).fields.values()) {
      const inner = shape.is === 'list' || shape.is === 'map' ? shape.of : shape;
      if (inner.is === 'struct') found.add(inner.name);
    }
  return structNames().filter((name) => found.has(name));
}

/** kubectl looks here which parameters a write of the type has. */
function pathsOf(group: ApiGroup, { plural, kind, namespaced, version }: ResourceType): [string, Json][] {
  const many = `${pathOf(group)}/${namespaced ? 'namespaces/{namespace}/' : ''}${plural}`;
  const schema = { $ref: `#/components/schemas/${structOf(kind).fullName}` };
  const operation = (action: string, parameters: readonly string[]): Json => ({
    tags: [groupVersion(group).replaceAll(/[./]/g, '_')],
    parameters: parameters.map((name) => ({
      ...{ name, in: 'query', schema: { type: name === 'force' ? 'boolean' : 'string', uniqueItems: true } },
    })),
    responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: group.name, version, kind },
  });
  const write = ['dryRun', 'fieldManager', 'fieldValidation'];
  return [
    [
      many,
      {
        get: operation('list', ['fieldSelector', 'labelSelector', 'limit', 'continue', 'watch']),
        post: operation('post', write),
      },
    ],
    [
      `${many}/{name}`,
      {
        get: operation('get', []),
        put: operation('put', write),
        patch: operation('patch', [...write, 'force']),
        delete: operation('delete', ['dryRun', 'gracePeriodSeconds', 'propagationPolicy']),
      },
    ],
  ];
}

/** A type; one that is a resource has also its kind. */
function schemaOf(name: string, resource: ResourceType | undefined): Json {
  const fields = [...structOf(name).fields];
  const own = Object.fromEntries(fields.map(([field, { shape }]) => [field, fieldSchema(shape)]));
  const text = { type: 'string' };
  const required = fields.filter(([, field]: [string, Field]) => field.required).map(([field]) => field);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: resource ? { apiVersion: text, kind: text, ...own } : own,
    ...(resource && {
      'x-kubernetes-group-version-kind': [
        { group: resource.group, kind: resource.kind, version: resource.version },
      ],
    }),
  };
}

const scalars: Readonly<Record<string, Json>> = {
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  bytes: { type: 'string', format: 'byte' },
  Time: { type: 'string', format: 'date-time' },
  IntOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  Quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
};

function fieldSchema(shape: Shape): Json {
  switch (shape.is) {
    case 'any':
      return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    case 'scalar':
      return {
        ...(scalars[shape.name] ?? { type: shape.name }),
        ...(shape.default && { default: shape.default }),
      };
    case 'struct':
      return { allOf: [{ $ref: `#/components/schemas/${structOf(shape.name).fullName}` }], default: {} };
    case 'map':
      return {
        ...{ type: 'object', additionalProperties: fieldSchema(shape.of) },
        ...(shape.atomic && { 'x-kubernetes-map-type': 'atomic' }),
      };
    case 'list':
      return {
        ...{ type: 'array', items: fieldSchema(shape.of), 'x-kubernetes-list-type': shape.merges },
        ...(shape.keys.length > 0 && { 'x-kubernetes-list-map-keys': shape.keys }),
        ...(shape.patchKey !== undefined && { 'x-kubernetes-patch-strategy': 'merge' }),
        ...(shape.patchKey && { 'x-kubernetes-patch-merge-key': shape.patchKey }),
      };
  }
}
