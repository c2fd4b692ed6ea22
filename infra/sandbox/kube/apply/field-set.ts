import { asJson, isJson, type Json } from '../../json.ts';
import { structOf, type Shape } from '../schema/schema.ts';

/**
 * The steps to a value, as `fieldsV1` writes them: `f:NAME` to a field, `k:{...}` to the item of a list with these keys,
 * `v:...` to the item of a set.
 */
export type Path = readonly string[];

/** Paths by their text, which is unlike for unlike paths. */
export type FieldSet = ReadonlyMap<string, Path>;

export const keyOfPath = (path: Path): string => JSON.stringify(path);

export const setOf = (paths: Iterable<Path>): FieldSet =>
  new Map([...paths].map((path) => [keyOfPath(path), path]));

/** One step into a value of a shape: what is there, and of which shape it is. */
export interface Child {
  readonly step: string;
  readonly shape: Shape;
  readonly value: unknown;
}

/** The parts of a value that have an owner each; none of a scalar, and of what is replaced as a whole. */
export function childrenOf(shape: Shape, value: unknown): readonly Child[] {
  if (shape.is === 'list') {
    if (!Array.isArray(value) || shape.merges === 'atomic') return [];
    return value.map((item: unknown) => ({ step: stepTo(shape, item), shape: shape.of, value: item }));
  }
  if (!isJson(value)) return [];
  if (shape.is === 'struct' && !shape.atomic) {
    const { fields } = structOf(shape.name);
    return Object.entries(value).flatMap(([name, item]) => {
      const field = fields.get(name);
      return field ? [{ step: `f:${name}`, shape: field.shape, value: item }] : [];
    });
  }
  if (shape.is !== 'map' || shape.atomic) return [];
  return Object.entries(value).map(([name, item]) => ({ step: `f:${name}`, shape: shape.of, value: item }));
}

/** How an item of a list is found again: a key that it lacks has its default. */
export function stepTo(list: Shape & { readonly is: 'list' }, item: unknown): string {
  if (list.merges === 'set') return `v:${JSON.stringify(item)}`;
  const fields = list.of.is === 'struct' ? structOf(list.of.name).fields : undefined;
  const keys = list.keys.map((key) => {
    const shape = fields?.get(key)?.shape;
    return [key, asJson(item)[key] ?? (shape?.is === 'scalar' ? shape.default : undefined)];
  });
  return `k:${JSON.stringify(Object.fromEntries(keys))}`;
}

/** The leaves of a value, and the items of its lists. */
export function pathsOf(shape: Shape, value: unknown, path: Path = []): Path[] {
  const children = childrenOf(shape, value);
  const isItem = path.at(-1)?.startsWith('k:') === true;
  const own = children.length === 0 || isItem ? [path] : [];
  return [...own, ...children.flatMap((child) => pathsOf(child.shape, child.value, [...path, child.step]))];
}

/** What a path leads to; undefined where nothing is. */
export function valueAtPath(shape: Shape, value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return value;
  const child = childrenOf(shape, value).find((one) => one.step === step);
  return child && valueAtPath(child.shape, child.value, rest);
}

/** The tree of `fieldsV1`; the path itself is `.` where others go on from it. */
export function toFieldsV1(set: FieldSet): Json {
  const tree: Json = {};
  for (const path of set.values()) {
    let at = tree;
    for (const step of path) at = (at[step] ??= {}) as Json;
    if (path.at(-1)?.startsWith('k:')) at['.'] = {};
  }
  return tree;
}

export function fromFieldsV1(tree: Json, path: Path = []): Path[] {
  const steps = Object.keys(tree);
  if (steps.length === 0) return [path];
  return steps.flatMap((step) => (step === '.' ? [path] : fromFieldsV1(asJson(tree[step]), [...path, step])));
}

/** As messages write it: `.spec.ports[port=80,protocol="TCP"].nodePort`. */
export const inWords = (path: Path): string =>
  path
    .map((step) => {
      const rest = step.slice(2);
      if (step.startsWith('f:')) return `.${rest}`;
      if (step.startsWith('v:')) return `[=${rest}]`;
      const keys = Object.entries(JSON.parse(rest) as Json);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
    })
    .join('');
