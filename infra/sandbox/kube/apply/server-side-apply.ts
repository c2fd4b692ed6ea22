import { isJson, sameJson, type Json } from '../../json.ts';
import type { Refusal } from '../../refusal.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../kube-objects.ts';
import { statusRefusal } from '../kube-refusal.ts';
import { unknownFields } from '../schema/unknown-fields.ts';
import { inWords, keyOfPath, valueAtPath, type FieldSet, type Path } from './field-set.ts';
import {
  isSame,
  managersOf,
  minus,
  ownable,
  shapeOf,
  toManagedFields,
  type Manager,
} from './managed-fields.ts';
import { mergeApplied, without } from './merge-applied.ts';

export interface Application {
  readonly type: ResourceType;
  readonly applied: Json;
  readonly by: Pick<Manager, 'name' | 'subresource' | 'time'>;
  /** Takes fields from their owners instead of refusing. */
  readonly force: boolean;
}

/**
 * What a server-side apply makes of an object: what is applied over what is there, without what the same manager applied
 * before and nobody else owns. A field that somebody else set to another value is a conflict (docs/sources/kubernetes.md,
 * "Server-side apply").
 */
export function applied(
  live: KubeObject | undefined,
  { type, applied: given, by, force }: Application,
): Json {
  checkFields(type, given);
  const shape = shapeOf(type);
  const owns = ownable(type, given, by.subresource);
  const author = { ...by, operation: 'Apply' as const, owns };
  if (!live) return withManagers(type, given, [author]);
  const managers = managersBefore(type, live, by.time);
  const own = managers.find((one) => isSame(one, author));
  const others = managers.filter((one) => one !== own);
  const merged = mergeApplied(shape, live, given);
  const contested = others.map((manager) => ({
    manager,
    paths: [...manager.owns].filter(([key, path]) => owns.has(key) && differs(path)).map(([, path]) => path),
  }));
  function differs(path: Path): boolean {
    return (
      !path.at(-1)?.startsWith('k:') &&
      !sameJson(valueAtPath(shape, live, path), valueAtPath(shape, merged, path))
    );
  }
  const conflicts = contested.filter(({ paths }) => paths.length > 0);
  if (conflicts.length > 0 && !force) throw conflictWith(type, conflicts);
  const left = contested.map(({ manager, paths }) => ({
    ...manager,
    owns: minus(manager.owns, new Set(paths.map(keyOfPath))),
  }));
  const pruned = without(
    shape,
    merged,
    nobodys(minus(own?.owns ?? new Map(), owns), [author, ...left]),
  ) as Json;
  const isSameSet = own !== undefined && sameJson([...own.owns.keys()].sort(), [...owns.keys()].sort());
  return withManagers(type, pruned, [...left, isSameSet ? own : author]);
}

/** An object that was never applied on the server belongs to one manager as a whole, as the real one does it. */
function managersBefore(type: ResourceType, live: KubeObject, time: string): readonly Manager[] {
  const managers = managersOf(live);
  if (managers.length > 0) return managers;
  const owns = ownable({ ...type, status: false }, live, undefined);
  return [{ name: 'before-first-apply', operation: 'Update', subresource: undefined, time, owns }];
}

/** Those of the fields that none of these owns, nor anything below. */
function nobodys(fields: FieldSet, managers: readonly Manager[]): FieldSet {
  const owned = managers.flatMap(({ owns }) => [...owns.values()]);
  const isBelow = (path: Path, above: Path): boolean => above.every((step, at) => path[at] === step);
  return new Map([...fields].filter(([, path]) => !owned.some((one) => isBelow(one, path))));
}

function withManagers(type: ResourceType, object: Json, managers: readonly Manager[]): Json {
  const metadata = { ...(object['metadata'] as Json), managedFields: toManagedFields(type, managers) };
  return { ...object, metadata };
}

/** The object of an apply. YAML that is no JSON is not read here. */
export function checkApply(body: unknown, manager: string): Json {
  if (manager === '') {
    const problem = 'fieldManager: Required value: is required for apply patch';
    throw statusRefusal(422, 'Invalid', `PatchOptions.meta.k8s.io "" is invalid: ${problem}`);
  }
  if (isJson(body)) return body;
  throw statusRefusal(400, 'BadRequest', 'error decoding YAML: the sandbox reads an apply as JSON');
}

function checkFields(type: ResourceType, given: Json): void {
  const [field] = unknownFields(type.kind, given);
  if (field === undefined) return;
  const { name = '', namespace = '' } = (given['metadata'] ?? {}) as Record<string, string>;
  const what = `${namespace}/${name}; ${type.group}/${type.version}, Kind=${type.kind}`;
  throw statusRefusal(
    500,
    '',
    `failed to create typed patch object (${what}): .${field}: field not declared in schema`,
  );
}

function conflictWith(
  type: ResourceType,
  conflicts: readonly { readonly manager: Manager; readonly paths: readonly Path[] }[],
): Refusal {
  const all = conflicts.flatMap(({ manager, paths }) =>
    paths.map((path) => ({ manager, field: inWords(path) })),
  );
  const by = ({ name, subresource }: Manager): string =>
    `"${name}"${subresource === undefined ? '' : ` with subresource "${subresource}"`} using ${apiVersionOf(type)}`;
  const texts = conflicts.map(({ manager, paths }) => {
    const fields = paths.map(inWords);
    if (fields.length === 1) return `conflict with ${by(manager)}: ${fields[0] ?? ''}`;
    return `conflicts with ${by(manager)}:\n${fields.map((field) => `- ${field}`).join('\n')}`;
  });
  const causes = all.map(({ manager, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${by(manager)}`,
    field,
  }));
  const count = `${all.length} conflict${all.length === 1 ? '' : 's'}`;
  return statusRefusal(409, 'Conflict', `Apply failed with ${count}: ${texts.join('\n')}`, { causes });
}
