import { isIP } from 'node:net';
import { isJson, scalarText } from '../../../json.ts';
import { octaviaFault } from '../../../refusal.ts';
import type { AttributeRule } from './attribute-rules.ts';

/** wsme's refusal of one attribute, with the value as Python prints it. */
export const invalidInput = (name: string, value: unknown, problem: string): Error =>
  octaviaFault(400, `Invalid input for field/attribute ${name}. Value: '${python(value)}'. ${problem}`);

/** A value in Python's notation, as it stands in Octavia's texts. */
export function python(value: unknown, inside = false): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map((item) => python(item, true)).join(', ')}]`;
  if (isJson(value)) {
    const pairs = Object.entries(value).map(([key, item]) => `'${key}': ${python(item, true)}`);
    return `{${pairs.join(', ')}}`;
  }
  return inside && typeof value === 'string' ? `'${value}'` : scalarText(value);
}

/** A value as the texts of its attribute show it. */
export const shownBy = (rule: AttributeRule, value: unknown): string =>
  rule.decimal === true && typeof value === 'number' ? value.toFixed(1) : python(value);

/** wsme takes digits for a number, and 0, 1 and some words for a flag. */
export function convert(rule: AttributeRule, value: unknown): unknown {
  if (rule.kind === 'number' && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
    return Number(value);
  if (rule.kind !== 'flag' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  if (/^(true|t|yes|y|on|1)$/.test(scalarText(value))) return true;
  return /^(false|f|no|n|off|0)$/.test(scalarText(value)) ? false : value;
}

/** What cannot be converted is refused with the whole body in the text, not with the attribute's name. */
export function unconvertible(rule: AttributeRule, value: unknown): string | undefined {
  if (rule.kind === 'flag' && typeof value !== 'boolean')
    return `Value not an unambiguous boolean: ${python(value)}`;
  return rule.kind === 'number' && typeof value !== 'number'
    ? `invalid literal for int() with base 10: ${python(value, true)}`
    : undefined;
}

/** What is wrong with a value, in wsme's words; undefined when nothing is. */
export function mismatch(rule: AttributeRule, value: unknown): string | undefined {
  switch (rule.kind) {
    case 'number':
      return typeof value === 'number' ? outOfRange(rule, value) : undefined;
    case 'text':
      return typeof value === 'string' ? badText(rule, value) : 'Value should be string';
    case 'uuid':
      return /^[0-9a-f-]{32,36}$/i.test(scalarText(value)) ? undefined : 'Value should be UUID format';
    case 'address':
      return isIP(scalarText(value)) > 0 ? undefined : 'Value should be IPv4 or IPv6 format';
    case 'flag':
      return undefined;
    case 'list':
      return Array.isArray(value) ? badItem(rule, value) : 'Value not a valid list';
    case 'objects':
      return Array.isArray(value) ? undefined : 'Value not a valid list';
    case 'map':
      return isJson(value) ? badItem(rule, Object.values(value)) : 'Value not a valid dict';
    case 'object':
      return isJson(value) ? undefined : 'Value not a valid dict';
  }
}

const oneOf = (rule: AttributeRule, value: string | number): string | undefined =>
  rule.oneOf && !rule.oneOf.includes(value)
    ? `Value should be one of: ${rule.oneOf.map((one) => shownBy(rule, one)).join(', ')}`
    : undefined;

function outOfRange(rule: AttributeRule, value: number): string | undefined {
  if (rule.min !== undefined && value < rule.min) return `Value should be greater or equal to ${rule.min}`;
  if (rule.max !== undefined && value > rule.max) return `Value should be lower or equal to ${rule.max}`;
  return oneOf(rule, value);
}

function badText(rule: AttributeRule, value: string): string | undefined {
  const { least = 0, most = Infinity } = rule;
  if (value.length < least) return `Value should have a minimum character requirement of ${least}`;
  if (value.length > most) return `Value should have a maximum character requirement of ${most}`;
  if (rule.pattern?.test(value) === false) return `Value should match the pattern ${rule.pattern.source}`;
  return rule.must && !rule.must.be(value) ? rule.must.say : oneOf(rule, value);
}

function badItem(rule: AttributeRule, items: readonly unknown[]): string | undefined {
  for (const item of items) {
    const problem = typeof item === 'string' ? badText(rule, item) : 'Value should be string';
    if (problem !== undefined) return problem;
  }
  return undefined;
}
