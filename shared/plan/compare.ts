import { attributeRule, equalAttribute } from '../model/attributes.ts';
import type { ChangeRule } from '../model/attributes.ts';
import { mergeTags } from '../model/ownership.ts';
import type { Change } from '../model/plan.ts';
import type { DesiredResource, ObservedResource, Ref } from '../model/resources.ts';

/** A difference, and how the attribute may change. */
export interface Difference {
  readonly change: ChangeRule;
  readonly changes: readonly Change[];
}

/** What differs between one resource as it should be and as it is, by change rule. Starting values do not count. */
export function compare(
  desired: DesiredResource,
  observed: ObservedResource,
  ids: ReadonlyMap<string, ObservedResource>,
): ReadonlyMap<ChangeRule, readonly Change[]> {
  const differences = new Map<ChangeRule, Change[]>();
  for (const [attribute, wish] of Object.entries(desired.attributes)) {
    const rule = attributeRule(desired.kind, attribute);
    if (rule.change === 'at-create') continue;
    const from = observed.wire[attribute];
    const wanted = bind(wish, ids);
    if (equalAttribute(rule, wanted, from)) continue;
    const to =
      rule.compare === 'tags' ? mergeTags(from as readonly string[], wanted as readonly string[]) : wanted;
    differences.set(rule.change, [...(differences.get(rule.change) ?? []), { attribute, from, to }]);
  }
  return differences;
}

export function isRef(value: unknown): value is Ref {
  return typeof value === 'object' && value !== null && '$ref' in value;
}

/** The address and the attribute a reference names: `pool/tcp/80.id` is `pool/tcp/80` and `id`. */
export function splitRef(ref: Ref): readonly [address: string, attribute: string] {
  const at = ref.$ref.lastIndexOf('.');
  return [ref.$ref.slice(0, at), ref.$ref.slice(at + 1)];
}

/** The value behind a reference when what it names exists; the reference itself when it does not. */
function bind(value: unknown, ids: ReadonlyMap<string, ObservedResource>): unknown {
  if (!isRef(value)) return value;
  const [address, attribute] = splitRef(value);
  return ids.get(address)?.wire[attribute] ?? value;
}
