import { asJson, asList, asText, copyOf, isJson, sameJson } from '../../json.ts';
import { statusRefusal } from '../kube-refusal.ts';

/** RFC 6902, what `application/json-patch+json` means: each operation in its order, or a refusal with 422. */
export function jsonPatch(target: unknown, patch: unknown): unknown {
  return asList(patch).reduce<unknown>((document, one) => {
    const { op, path, from, value } = asJson(one);
    const [to, source] = [asText(path), asText(from)].map(stepsOf) as [string[], string[]];
    switch (op) {
      case 'add':
        return put(document, to, value, true);
      case 'replace':
        read(document, to);
        return put(document, to, value, false);
      case 'remove':
        return remove(document, to);
      case 'move':
        return put(remove(document, source), to, read(document, source), true);
      case 'copy':
        return put(document, to, read(document, source), true);
      case 'test':
        if (sameJson(read(document, to), value)) return document;
        throw refusal(`testing value ${asText(path)} failed: test failed`);
      default:
        throw refusal(`Unexpected kind: ${asText(op)}`);
    }
  }, copyOf(target));
}

const stepsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

function read(document: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((at, step) => {
    const next = Array.isArray(at) ? (at[Number(step)] as unknown) : asJson(at)[step];
    if (next === undefined) throw refusal(`doc is missing path: "/${steps.join('/')}": missing value`);
    return next;
  }, document);
}

/** Sets a value below one that is there; `adds` into a list before the item of this place. */
function put(document: unknown, steps: readonly string[], value: unknown, adds: boolean): unknown {
  const last = steps.at(-1);
  if (last === undefined) return value;
  const parent = read(document, steps.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(last === '-' ? parent.length : Number(last), adds ? 0 : 1, value);
  else if (isJson(parent)) parent[last] = value;
  return document;
}

function remove(document: unknown, steps: readonly string[]): unknown {
  read(document, steps);
  const parent = read(document, steps.slice(0, -1));
  const last = steps.at(-1) ?? '';
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (isJson(parent)) Reflect.deleteProperty(parent, last);
  return document;
}

const refusal = (why: string): Error =>
  statusRefusal(422, 'Invalid', `the server rejected our request due to an error in our request: ${why}`);
