/** Text of an annotation to a typed value, or what would have been allowed. Never throws. */
import { isIP } from 'node:net';
import { readUuid } from '../../model/text/text.ts';

export type Parsed<T> = { readonly value: T } | { readonly allowed: string };
export type Parser<T> = (text: string) => Parsed<T>;

export const bool: Parser<boolean> = (text) => {
  const word = text.trim().toLowerCase();
  if (word === 'true') return { value: true };
  if (word === 'false') return { value: false };
  return { allowed: 'true or false' };
};

export function integer(min: number, max: number): Parser<number> {
  return (text) => {
    const value = /^-?\d{1,10}$/.test(text.trim()) ? Number(text) : NaN;
    if (value >= min && value <= max) return { value };
    return { allowed: `a whole number from ${min} to ${max}` };
  };
}

export function oneOf<const T extends string>(...words: readonly T[]): Parser<T> {
  return (text) => {
    const found = words.find((word) => word.toLowerCase() === text.trim().toLowerCase());
    return found === undefined ? { allowed: words.join(', ') } : { value: found };
  };
}

/** Every id from an annotation is checked before it may enter a URL (decision 30). */
export const uuid: Parser<string> = (text) => {
  const value = readUuid(text);
  return value === undefined ? { allowed: 'the UUID of a resource' } : { value };
};

const HOSTNAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;

export const hostname: Parser<string> = (text) => {
  const name = text.trim().toLowerCase();
  return HOSTNAME.test(name) && isIP(name) === 0
    ? { value: name }
    : { allowed: 'a DNS name such as app.example.org, not an IP address' };
};

/** Split on commas and white space, as the Go provider does; each item is checked where the ranges are used. */
export const words: Parser<readonly string[]> = (text) => {
  const value = text.split(/[\s,]+/).filter((word) => word !== '');
  return value.length > 0 ? { value } : { allowed: 'a comma separated list' };
};

/** Several values, split as `words`; each must be one that `parse` takes. */
export function list<T>(parse: Parser<T>): Parser<readonly T[]> {
  return (text) => {
    const parsed = text
      .split(/[\s,]+/)
      .filter((word) => word !== '')
      .map(parse);
    const wrong = parsed.find((one) => 'allowed' in one);
    if (wrong) return { allowed: `a comma separated list of: ${wrong.allowed}` };
    const values = parsed.flatMap((one) => ('value' in one ? [one.value] : []));
    return values.length > 0 ? { value: values } : { allowed: 'a comma separated list, not empty' };
  };
}

const WORD = /^[A-Za-z0-9][-A-Za-z0-9_.:]{0,254}$/;

/** A name that an operator gave: no white space, nothing that means something elsewhere. */
export const word: Parser<string> = (text) =>
  WORD.test(text.trim())
    ? { value: text.trim() }
    : { allowed: 'a name of letters, digits and - _ . : that begins with a letter or digit' };
