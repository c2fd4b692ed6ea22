import type { Step } from '../model/plan.ts';
import type { Ref } from '../model/address.ts';
import type { WireResource } from '../model/resources.ts';

/** The step with every `$ref` replaced by what it names, or undefined while something it names does not exist. */
export function bindRefs(step: Step, known: ReadonlyMap<string, WireResource>): Step | undefined {
  const missing: string[] = [];
  const bind = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(bind);
    if (value === null || typeof value !== 'object') return value;
    if (!('$ref' in value)) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bind(inner)]));
    }
    const { $ref } = value as Ref;
    const at = $ref.lastIndexOf('.');
    const found = known.get($ref.slice(0, at))?.[$ref.slice(at + 1)];
    if (found === undefined || found === null) missing.push($ref);
    return found;
  };
  const bound = bind(step) as Step;
  return missing.length > 0 ? undefined : bound;
}
