import { copyOf, type Json } from '../../../json.ts';
import { octaviaFault } from '../../../refusal.ts';
import { address, choice, number, text, type AttributeRule } from './attribute-rules.ts';
import { argumentName, attributeRules, type ResourceKind } from './attributes.ts';
import { convert, invalidInput, mismatch, shownBy, unconvertible } from './values.ts';

/**
 * A create body with Octavia's defaults filled in. `parent` names attributes that the caller supplies (nested
 * creates do not carry `loadbalancer_id` or `pool_id`).
 */
export function readCreate(
  kind: ResourceKind,
  body: Json,
  parent: readonly string[] = [],
  argument = argumentName[kind],
): Json {
  const rules: Record<string, AttributeRule> = attributeRules[kind];
  const read = check(kind, body, argument, () => true, parent);
  for (const [name, rule] of Object.entries(rules)) {
    if (read[name] === null && rule.kind === 'flag') read[name] = false;
    read[name] ??= copyOf(rule.fallback);
    if (read[name] === undefined) Reflect.deleteProperty(read, name);
  }
  return read;
}

/** An update body; null sets an attribute back to its default, attributes fixed at creation are unknown here. */
export function readUpdate(kind: ResourceKind, body: Json): Json {
  const rules: Record<string, AttributeRule> = attributeRules[kind];
  const read = check(kind, body, argumentName[kind], (rule) => rule.createOnly !== true);
  return clearNulls(rules, read);
}

function clearNulls(rules: Record<string, AttributeRule>, read: Json): Json {
  for (const [name, value] of Object.entries(read)) {
    if (value !== null) continue;
    const rule = rules[name];
    if (rule?.notNull === true)
      throw octaviaFault(500, `(pymysql.err.IntegrityError) (1048, "Column '${name}' cannot be null")`);
    if (rule?.keep === true) Reflect.deleteProperty(read, name);
    else read[name] = copyOf(rule?.cleared === undefined ? (rule?.fallback ?? null) : rule.cleared);
  }
  return read;
}

/** wsme looks for unknown attributes first, then at one attribute after the other in the order of the type. */
function check(
  kind: ResourceKind,
  body: Json,
  argument: string,
  allowed: (rule: AttributeRule) => boolean,
  parent?: readonly string[],
): Json {
  const rules = Object.entries<AttributeRule>(attributeRules[kind]).filter(([, rule]) => allowed(rule));
  const names = new Set([...rules.map(([name]) => name), ...(parent === undefined ? [] : ['tenant_id'])]);
  checkKnown(Object.keys(body), names, argument);
  const read = copyOf(body);
  for (const [name, rule] of rules) {
    if (rule.required === true && parent !== undefined && !(name in body) && !parent.includes(name))
      throw invalidInput(name, null, 'Mandatory field missing.');
    if (read[name] === undefined || read[name] === null) continue;
    read[name] = convert(rule, read[name]);
    const odd = unconvertible(rule, read[name]);
    if (odd !== undefined) throw invalidInput(argument.split('.')[0] ?? '', { [kind]: body }, odd);
    const problem = mismatch(rule, read[name]);
    if (problem !== undefined) throw invalidInput(name, shownBy(rule, read[name]), problem);
  }
  return read;
}

export function checkKnown(given: readonly string[], names: ReadonlySet<string>, argument: string): void {
  const unknown = given.filter((name) => !names.has(name));
  if (unknown.length === 0) return;
  const word = unknown.length === 1 ? 'attribute' : 'attributes';
  throw octaviaFault(400, `Unknown ${word} for argument ${argument}: ${unknown.join(', ')}`);
}

const persistence: Record<string, AttributeRule> = {
  type: choice('SOURCE_IP', 'HTTP_COOKIE', 'APP_COOKIE'),
  cookie_name: { ...text(null), pattern: /^[^\s,;\\]+$/ },
  persistence_timeout: number(null),
  persistence_granularity: address,
};

/** A session persistence with all four keys, as Octavia shows it; a create must name the type. */
export function readPersistence(given: Json, argument: string, creating: boolean): Json {
  checkKnown(Object.keys(given), new Set(Object.keys(persistence)), argument);
  if (creating && given['type'] === undefined) throw invalidInput('type', null, 'Mandatory field missing.');
  for (const [name, rule] of Object.entries(persistence)) {
    const value = given[name] ?? null;
    const problem = value === null ? undefined : mismatch(rule, value);
    if (problem !== undefined) throw invalidInput(name, value, problem);
  }
  return Object.fromEntries(Object.keys(persistence).map((name) => [name, given[name] ?? null]));
}
