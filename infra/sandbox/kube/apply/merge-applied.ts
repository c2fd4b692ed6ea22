import { isJson, type Json } from '../../json.ts';
import type { Shape } from '../schema/schema.ts';
import { childrenOf, keyOfPath, type FieldSet, type Path } from './field-set.ts';

/** What is there, with what is applied over it: fields by name, items by their keys, all else as a whole. */
export function mergeApplied(shape: Shape, live: unknown, applied: unknown): unknown {
  const parts = childrenOf(shape, applied);
  if (shape.is === 'list' && Array.isArray(applied) && shape.merges !== 'atomic') {
    const before = childrenOf(shape, live);
    const items = parts.map(({ step, value }) =>
      mergeApplied(shape.of, before.find((one) => one.step === step)?.value, value),
    );
    const steps = new Set(parts.map(({ step }) => step));
    return [...items, ...before.filter(({ step }) => !steps.has(step)).map(({ value }) => value)];
  }
  const isWhole = shape.is === 'struct' || shape.is === 'map' ? shape.atomic : true;
  if (!isJson(applied) || isWhole) return applied;
  const result: Json = isJson(live) ? { ...live } : {};
  for (const { step, shape: inner, value } of parts) {
    const name = step.slice(2);
    result[name] = mergeApplied(inner, result[name], value);
  }
  return result;
}

/** The value without these paths; what gets empty by it goes, too. */
export function without(shape: Shape, value: unknown, gone: FieldSet, path: Path = []): unknown {
  const children = childrenOf(shape, value).map((child) => {
    const at = [...path, child.step];
    const left = gone.has(keyOfPath(at)) ? undefined : without(child.shape, child.value, gone, at);
    return { step: child.step, left: isEmpty(left) && !isEmpty(child.value) ? undefined : left };
  });
  if (children.length === 0) return value;
  if (shape.is === 'list') return children.flatMap(({ left }) => (left === undefined ? [] : [left]));
  const result = { ...(value as Json) };
  for (const { step, left } of children) {
    if (left === undefined) Reflect.deleteProperty(result, step.slice(2));
    else result[step.slice(2)] = left;
  }
  return result;
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isJson(value) && Object.keys(value).length === 0;
