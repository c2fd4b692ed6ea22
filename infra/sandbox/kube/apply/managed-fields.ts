import { asJson, asList, asText, sameJson, type Json } from '../../json.ts';
import type { KubeObject, ResourceType } from '../kube-objects.ts';
import { apiVersionOf } from '../kube-objects.ts';
import type { Shape } from '../schema/schema.ts';
import {
  fromFieldsV1,
  keyOfPath,
  pathsOf,
  setOf,
  toFieldsV1,
  valueAtPath,
  type FieldSet,
} from './field-set.ts';

/** Who owns which fields of an object: an entry of `metadata.managedFields`. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource: string | undefined;
  readonly time: string;
  readonly owns: FieldSet;
}

export const shapeOf = (type: ResourceType): Shape => ({ is: 'struct', name: type.kind, atomic: false });

/** Fields of the metadata that the apiserver keeps itself. */
const UNOWNED = new Set(
  ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'managedFields']
    .concat(['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'])
    .map((name) => keyOfPath(['f:metadata', `f:${name}`])),
);

/** What of an object can have an owner in a write of this subresource. */
export function ownable(type: ResourceType, object: unknown, subresource: string | undefined): FieldSet {
  const isHere = (first: string | undefined): boolean =>
    subresource === 'status' ? first === 'f:status' : !(type.status && first === 'f:status');
  const paths = pathsOf(shapeOf(type), object).filter((path) => path.length > 0 && isHere(path[0]));
  return setOf(paths.filter((path) => !UNOWNED.has(keyOfPath(path.slice(0, 2)))));
}

export function managersOf({ metadata }: KubeObject): readonly Manager[] {
  return asList(metadata['managedFields']).map((one) => {
    const { manager, operation, subresource, time, fieldsV1 } = asJson(one);
    return {
      name: asText(manager),
      operation: operation === 'Apply' ? 'Apply' : 'Update',
      subresource: asText(subresource) || undefined,
      time: asText(time),
      owns: setOf(fromFieldsV1(asJson(fieldsV1))),
    };
  });
}

/** As the object has them; who owns nothing is not named. */
export const toManagedFields = (type: ResourceType, managers: readonly Manager[]): Json[] =>
  managers
    .filter(({ owns }) => owns.size > 0)
    .map(({ name, operation, subresource, time, owns }) => ({
      manager: name,
      operation,
      apiVersion: apiVersionOf(type),
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: toFieldsV1(owns),
      ...(subresource === undefined ? {} : { subresource }),
    }));

export const isSame = (one: Manager, other: Pick<Manager, 'name' | 'operation' | 'subresource'>): boolean =>
  one.name === other.name && one.operation === other.operation && one.subresource === other.subresource;

/**
 * The managers after a write that is no apply: its author owns what it changed, and nobody what it took away. Of an
 * object that nobody ever applied on the server nothing is remembered.
 */
export function afterUpdate(
  type: ResourceType,
  before: KubeObject,
  after: Json,
  by: Pick<Manager, 'name' | 'subresource' | 'time'>,
): readonly Manager[] {
  const managers = managersOf(before);
  if (managers.length === 0) return [];
  const [was, is] = [before, after].map((object) => ownable(type, object, by.subresource));
  const shape = shapeOf(type);
  const changed = [...(is ?? [])].filter(
    ([, path]) => !sameJson(valueAtPath(shape, before, path), valueAtPath(shape, after, path)),
  );
  const isOpen = new Set(changed.map(([key]) => key));
  for (const key of was?.keys() ?? []) if (!is?.has(key)) isOpen.add(key);
  if (isOpen.size === 0) return managers;
  const author = { ...by, operation: 'Update' as const };
  const own = managers.find((one) => isSame(one, author))?.owns ?? new Map();
  const others = managers.filter((one) => !isSame(one, author));
  const left = others.map((one) => ({ ...one, owns: minus(one.owns, isOpen) }));
  return [...left, { ...author, owns: new Map([...minus(own, isOpen), ...changed]) }];
}

export const minus = (set: FieldSet, keys: { has(key: string): boolean }): FieldSet =>
  new Map([...set].filter(([key]) => !keys.has(key)));
