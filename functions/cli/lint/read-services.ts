import { LineCounter, parseAllDocuments, type Document } from 'yaml';
import type { Service } from '../../../shared/model/kubernetes.ts';
import type { Problem } from '../../../shared/model/plan.ts';

/** A Service of type LoadBalancer of a manifest. */
export interface ReadService {
  readonly service: Service;
  /** What no apiserver takes. */
  readonly problems: readonly Problem[];
  /** The line of a field, such as `spec.ports`, or of an annotation; that of the object if it has none there. */
  readonly lineOf: (field: string) => number;
}

/** Why a document cannot be read. It repeats nothing of the text. */
export interface Unreadable {
  readonly line: number;
  readonly message: string;
}

type Path = readonly (string | number)[];

/** The Services of type LoadBalancer in the YAML or JSON documents of a text, and in their Lists. All other objects are passed over. */
export function readServices(text: string): readonly (ReadService | Unreadable)[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  return [...documents].flatMap((document): readonly (ReadService | Unreadable)[] => {
    const [error] = document.errors;
    const line = (offset: number): number => lines.linePos(offset).line;
    if (error) return [{ line: line(error.pos[0]), message: `is no YAML (${error.code})` }];
    return objectsIn(document.toJS({ maxAliasCount: 1_000 }), []).flatMap(([object, path]) =>
      isLoadBalancer(object) ? [readService(object, lineIn(document, path, line))] : [],
    );
  });
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectsIn(value: unknown, path: Path): readonly (readonly [Json, Path])[] {
  if (!isObject(value)) return [];
  const { kind, items } = value;
  if (!String(kind).endsWith('List') || !Array.isArray(items)) return [[value, path]];
  return items.flatMap((item, index) => objectsIn(item, [...path, 'items', index]));
}

function isLoadBalancer({ kind, apiVersion, spec }: Json): boolean {
  return kind === 'Service' && apiVersion === 'v1' && isObject(spec) && spec['type'] === 'LoadBalancer';
}

function lineIn(document: Document, path: Path, line: (offset: number) => number): (field: string) => number {
  const at = (names: Path): number | undefined => {
    const node: unknown = document.getIn([...path, ...names], true);
    const range = isObject(node) ? node['range'] : undefined;
    return Array.isArray(range) ? line(Number(range[0])) : undefined;
  };
  return (field) =>
    at(['metadata', 'annotations', field]) ??
    at(field.split(/[.[\]]+/).filter((name) => name !== '')) ??
    at(['metadata', 'name']) ??
    at(['kind']) ??
    1;
}

function readService(object: Json, lineOf: (field: string) => number): ReadService {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const given = isObject(metadata['annotations']) ? Object.entries(metadata['annotations']) : [];
  const spec = object['spec'] as Json;
  const ports = Array.isArray(spec['ports']) ? spec['ports'].filter(isObject) : [];
  const problems = given
    .filter(([, value]) => typeof value !== 'string')
    .map(([field, value]) => ({
      field,
      value: JSON.stringify(value),
      message: 'is no text, and Kubernetes takes no Service with it: write the value in quotes',
    }));
  const service = {
    ...{ apiVersion: 'v1', kind: 'Service' },
    metadata: {
      ...{ uid: '', resourceVersion: '' },
      name: textOr(metadata['name'] ?? metadata['generateName'], 'unnamed'),
      namespace: textOr(metadata['namespace'], 'default'),
      annotations: Object.fromEntries(
        given.map(([name, value]) => [name, textOr(value, JSON.stringify(value))]),
      ),
    },
    spec: {
      ...spec,
      ports: ports.map((port) => ({ protocol: 'TCP', ...port })),
    },
  } as unknown as Service;
  return { service, problems, lineOf };
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
