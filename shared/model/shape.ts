/** What JSON of other programs must be, as checks that a table is made of. ajv's code for it would be 18 kB of each function (decision 534). */
import { isRecord } from './json.ts';

/** A value that is not what it must be, and where it is, such as `.spec.type`. */
interface Stray {
  readonly field: string;
  readonly value: unknown;
  readonly wanted: string;
}

/** Undefined: the value is what it must be. */
type Check = (value: unknown) => Stray | undefined;

export function typed(wanted: string, is: (value: unknown) => boolean): Check {
  return (value) => (is(value) ? undefined : { field: '', value, wanted });
}

export const string = typed('a string', (value) => typeof value === 'string');
export const number = typed('a number', (value) => typeof value === 'number');
const anyMap = typed('a map', isRecord);
const anyList = typed('a list', Array.isArray);

/** What is null is not there. */
export function maybe(check: Check): Check {
  return (value) => (value === undefined || value === null ? undefined : check(value));
}

export function fields(checks: Readonly<Record<string, Check>>): Check {
  const all = Object.entries(checks);
  return (value) => {
    if (!isRecord(value)) return anyMap(value);
    for (const [field, check] of all) {
      const stray = check(value[field]);
      if (stray) return { ...stray, field: `.${field}${stray.field}` };
    }
    return undefined;
  };
}

export function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return anyList(value);
    for (const [at, item] of value.entries()) {
      const stray = check(item);
      if (stray) return { ...stray, field: `[${at}]${stray.field}` };
    }
    return undefined;
  };
}

/** A map of texts. */
export const texts: Check = (value) => {
  if (!isRecord(value)) return anyMap(value);
  for (const key in value) if (typeof value[key] !== 'string') return fields({ [key]: string })(value);
  return undefined;
};
