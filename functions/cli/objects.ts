import { ReconcileError } from '../../shared/model/errors.ts';
import {
  isEverything,
  isUnit,
  parseKey,
  requestOf,
  scopeOf,
  type Key,
  type ReconcileRequest,
  type SweepScope,
} from '../../shared/model/request.ts';
import { sweep, type Sweep } from '../../shared/sweep.ts';
import type { World } from '../../shared/ports.ts';

/** The keys that a person wrote. Throws CONFIG_INVALID that names the first word that is no key. */
export function readObjects(objects: readonly string[]): readonly Key[] {
  return objects.map((text) => {
    const key = parseKey(text);
    if (key !== undefined) return key;
    throw new ReconcileError(
      'CONFIG_INVALID',
      `${JSON.stringify(text)} is no object: give service/NAMESPACE/NAME, node/NAME, routes, namespace/NAME, nodeset or all`,
    );
  });
}

export interface FoundRequests {
  readonly requests: readonly ReconcileRequest[];
  /** A sweep could not read or compare something: there may be more. */
  readonly incomplete: boolean;
}

/** The units that the keys stand for, without repetitions. For a namespace, the node set and all, a sweep finds them. */
export async function findRequests(
  keys: readonly Key[],
  world: World,
  scope: Pick<SweepScope, 'everyService'> = {},
): Promise<FoundRequests> {
  const scopes = [...new Set(keys.filter((key) => !isUnit(key)))].map(scopeOf);
  const found = new Set<Key>(keys.filter(isUnit));
  let incomplete = false;
  for (const each of scopes.some(isEverything) ? [{}] : scopes) {
    const swept = await sweepAndWarn(world, { ...each, ...scope, readOnly: true });
    for (const { key } of swept.requests) found.add(key);
    incomplete ||= swept.incomplete;
  }
  return { requests: [...found].map((key) => requestOf(world, { key, trigger: 'command' })), incomplete };
}

/** Sweeps, and logs what could not be read. Throws if the sweep failed and found nothing. */
export async function sweepAndWarn(world: World, scope: SweepScope = {}): Promise<Sweep> {
  const found = await sweep(world, scope);
  for (const warning of found.warnings) world.log.warn(warning);
  if (found.failed === undefined) return found;
  const message = `the sweep failed: ${found.failed}`;
  if (found.requests.length === 0) throw new Error(message);
  world.log.error(message);
  return found;
}
