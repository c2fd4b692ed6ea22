import { asList, isJson, sameJson, type Json } from '../json.ts';

/** RFC 7386, what `application/merge-patch+json` means. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJson(patch)) return patch;
  const result: Json = isJson(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, key);
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** The lists of Service and Node that merge by a key under `application/strategic-merge-patch+json`. */
const mergeKeys: Record<string, string> = {
  'status.conditions': 'type',
  'status.addresses': 'type',
  'spec.ports': 'port',
};

/**
 * The part of strategic merge that controllers use: finalizers merge as a set with `$deleteFromPrimitiveList`,
 * the lists above merge by key with `$patch: delete | replace`, everything else is a merge patch.
 */
export function strategicPatch(target: unknown, patch: unknown, path = ''): unknown {
  if (!isJson(patch)) return patch;
  if (patch['$patch'] === 'replace') return without(patch, '$patch');
  const result: Json = isJson(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    const at = path === '' ? key : `${path}.${key}`;
    const primitive = /^\$deleteFromPrimitiveList\/(.+)$/.exec(key)?.[1];
    if (primitive !== undefined) {
      const left = asList(result[primitive]).filter(
        (item) => !asList(value).some((gone) => sameJson(gone, item)),
      );
      if (left.length === 0) Reflect.deleteProperty(result, primitive);
      else result[primitive] = left;
    } else if (key.startsWith('$')) continue;
    else if (value === null) Reflect.deleteProperty(result, key);
    else if (at === 'metadata.finalizers')
      result[key] = [...new Set([...asList(result[key]), ...asList(value)])];
    else if (mergeKeys[at] !== undefined && Array.isArray(value)) {
      result[key] = mergeByKey(asList(result[key]), value, mergeKeys[at]);
    } else result[key] = strategicPatch(result[key], value, at);
  }
  return result;
}

function mergeByKey(current: readonly unknown[], patch: readonly unknown[], name: string): unknown[] {
  const items = patch.filter(isJson);
  if (items.some((item) => item['$patch'] === 'replace')) return items.filter((item) => !('$patch' in item));
  const result = current.filter(isJson);
  for (const item of items) {
    const index = result.findIndex((one) => one[name] === item[name]);
    if (item['$patch'] === 'delete') {
      if (index >= 0) result.splice(index, 1);
    } else if (index >= 0) result[index] = mergePatch(result[index], item) as Json;
    else result.push(item);
  }
  return result;
}

const without = (object: Json, name: string): Json =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
