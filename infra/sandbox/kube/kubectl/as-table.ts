import type { Json } from '../../json.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../kube-objects.ts';
import { columnsOf, WIDE } from './columns.ts';

/** Whether a client takes a table: `application/json;as=Table;v=v1;g=meta.k8s.io` before anything else. */
export function takesTable(accept: string): boolean {
  const parts = (accept.split(',')[0] ?? '').split(';').map((part) => part.trim());
  return ['as=Table', 'v=v1', 'g=meta.k8s.io'].every((part) => parts.includes(part));
}

export interface TableOptions {
  readonly metadata: Json;
  readonly query: URLSearchParams;
  /** In milliseconds since 1970. */
  readonly now: number;
  /** Without its columns, as in a watch after the first event. */
  readonly headed?: boolean;
}

/**
 * The table that kubectl prints, of objects of one type; `metadata` is that of their list (docs/sources/kubernetes.md,
 * "Tables and watches of kubectl").
 */
export function asTable(
  type: ResourceType,
  objects: readonly Json[],
  { metadata, query, now, headed = true }: TableOptions,
): Json {
  const columns = Object.entries(columnsOf[type.plural] ?? {});
  const isWhole = query.get('includeObject') === 'Object';
  const named = { apiVersion: apiVersionOf(type), kind: type.kind };
  const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: headed
      ? columns.map(([name]) => ({
          ...{ name, type: 'string', format: name === 'Name' ? 'name' : '', description: '' },
          priority: WIDE.includes(name) ? 1 : 0,
        }))
      : null,
    rows: objects.map((object) => ({
      cells: columns.map(([, cell]) => cell(object as KubeObject, now)),
      object: isWhole ? { ...object, ...named } : { ...partial, metadata: object['metadata'] },
    })),
  };
}
