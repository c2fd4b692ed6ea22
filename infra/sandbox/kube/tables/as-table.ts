import type { Json } from '../../json.ts';
import type { KubeObject, ResourceType } from '../kube-objects.ts';
import { columnsOf } from './columns.ts';

/** What of each object a row has, by the parameter `includeObject`. */
type Included = 'None' | 'Metadata' | 'Object';

/** Whether a client takes a table: `application/json;as=Table;v=v1;g=meta.k8s.io` before anything else. */
export function takesTable(accept: string): boolean {
  const parts = (accept.split(',')[0] ?? '').split(';').map((part) => part.trim());
  return ['as=Table', 'v=v1', 'g=meta.k8s.io'].every((part) => parts.includes(part));
}

/**
 * The table that kubectl prints, of objects of one type; `metadata` is that of their list (docs/sources/kubernetes.md,
 * "Tables and watches of kubectl").
 */
export function asTable(
  type: ResourceType,
  objects: readonly KubeObject[],
  { metadata, query, now, headed = true }: TableOptions,
): Json {
  const columns = columnsOf[type.plural] ?? [];
  const included = (query.get('includeObject') ?? 'Metadata') as Included;
  const definitions = columns.map(({ name, description, wide }) => ({
    name,
    type: 'string',
    format: name === 'Name' ? 'name' : '',
    description,
    priority: wide ? 1 : 0,
  }));
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: headed ? definitions : null,
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object, now)),
      ...(included === 'None' ? {} : { object: included === 'Object' ? object : metadataOf(object) }),
    })),
  };
}

export interface TableOptions {
  readonly metadata: Json;
  readonly query: URLSearchParams;
  /** In milliseconds since 1970. */
  readonly now: number;
  /** Without its columns, as in a watch after the first event. */
  readonly headed?: boolean;
}

const metadataOf = ({ metadata }: KubeObject): Json => ({
  ...{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' },
  metadata,
});
