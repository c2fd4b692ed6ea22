import { ReconcileError } from '../../shared/model/errors.ts';
import { isUnit, parseKey, type Key, type ReconcileRequest } from '../../shared/model/request.ts';
import { sweep, type Sweep } from '../../shared/sweep.ts';
import type { World } from '../../shared/ports.ts';

/** Keys as a person wrote them. Throws CONFIG_INVALID that names the first that is none. */
export function readObjects(objects: readonly string[]): readonly Key[] {
  return objects.map((text) => {
    const key = parseKey(text);
    if (key !== undefined) return key;
    throw new ReconcileError(
      'CONFIG_INVALID',
      `${JSON.stringify(text)} is no object: write service/NAMESPACE/NAME, node/NAME, routes, namespace/NAME, nodeset or all`,
    );
  });
}

/** The units that these keys stand for, each once: a namespace or all by what a sweep finds there. */
export async function findRequests(keys: readonly Key[], world: World): Promise<readonly ReconcileRequest[]> {
  const named = keys.filter(isUnit);
  const scopes = keys.filter((key) => !isUnit(key)).map(namespaceOf);
  const wanted = scopes.includes(undefined) ? [undefined] : [...new Set(scopes)];
  const found = new Set<Key>(named);
  for (const namespace of wanted) {
    const { requests } = await mustSweep(world, namespace);
    for (const { key } of requests) found.add(key);
  }
  return [...found].map((key) => ({ key, trigger: 'command' }));
}

/** Throws when the sweep could not find out what there is. Its warnings go to the log. */
export async function mustSweep(world: World, namespace?: string): Promise<Sweep> {
  const found = await sweep(world, namespace === undefined ? {} : { namespace });
  for (const warning of found.warnings) world.log.warn(warning);
  if (found.failed !== undefined) throw new Error(`the sweep failed: ${found.failed}`);
  return found;
}

function namespaceOf(key: Key): string | undefined {
  return /^namespace\/(.+)$/.exec(key)?.[1];
}
