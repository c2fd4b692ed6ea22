import type { Flags } from '../../shared/config/read-flags.ts';
import type { Report } from '../../shared/model/outcome.ts';
import {
  asNodeKey,
  asServiceKey,
  isEverything,
  isUnit,
  parseObject,
  requestOf,
  scopeOf,
  type Key,
  type ReconcileRequest,
  type SweepScope,
} from '../../shared/model/request.ts';
import { sweep, type Sweep } from '../../shared/sweep.ts';
import type { World } from '../../shared/ports.ts';
import { misused } from './command.ts';

/**
 * The keys that a person wrote, as levelset or as kubectl writes them. None: all, or with -n those of the namespace. Throws
 * CONFIG_INVALID that names the first word that is no key.
 */
export function readObjects(
  objects: readonly string[],
  { namespace }: Pick<Flags, 'namespace'>,
): readonly Key[] {
  if (objects.length === 0)
    return readObjects([namespace === undefined ? 'all' : `namespace/${namespace}`], {});
  return objects.map((text) => {
    const key = parseObject(text, namespace);
    const word = JSON.stringify(text);
    if (key === undefined)
      throw misused(
        `${word} is no object: give svc/NAME with -n NAMESPACE, service/NAMESPACE/NAME, node/NAME, routes, namespace/NAME, nodeset or all`,
      );
    const itsOwn = asServiceKey(key)?.namespace;
    if (namespace !== undefined && itsOwn !== namespace && asNodeKey(key) === undefined)
      throw misused(`-n ${namespace} is not for ${word}: give svc/NAME with -n, or leave -n`);
    return key;
  });
}

/** Whether a person named an object that does not exist, and that has left nothing. */
export function isMissing({ request, outcome, missing }: Report, named: readonly Key[]): boolean {
  return missing === true && outcome.status === 'settled' && named.includes(request.key);
}

interface FoundRequests {
  readonly requests: readonly ReconcileRequest[];
  /** A sweep could not read or compare something: there may be more. */
  readonly incomplete: boolean;
  /** Namespaces that do not exist. */
  readonly absent: readonly Key[];
}

/** The units that the keys stand for, without repetitions. For a namespace, the node set and all, a sweep finds them. */
export async function findRequests(
  keys: readonly Key[],
  world: World,
  scope: Pick<SweepScope, 'everyService'> = {},
): Promise<FoundRequests> {
  const scopes = [...new Set(keys.filter((key) => !isUnit(key)))].map(scopeOf);
  const found = new Set<Key>(keys.filter(isUnit));
  const absent: Key[] = [];
  let incomplete = false;
  for (const each of scopes.some(isEverything) ? [{}] : scopes) {
    const { namespace } = each;
    if (namespace !== undefined && !(await world.kube.hasNamespace(namespace)))
      absent.push(`namespace/${namespace}`);
    const swept = await sweepAndWarn(world, { ...each, ...scope, readOnly: true });
    for (const { key } of swept.requests) found.add(key);
    incomplete ||= swept.incomplete;
  }
  const requests = [...found].map((key) => requestOf(world, { key, trigger: 'command' }));
  return { requests, incomplete, absent };
}

/** Sweeps, and logs what could not be read. Throws if the sweep failed and found nothing. */
export async function sweepAndWarn(world: World, scope: SweepScope): Promise<Sweep> {
  const found = await sweep(world, scope);
  for (const warning of found.warnings) world.log.warn(warning);
  if (found.failed === undefined) return found;
  const message = `the sweep failed: ${found.failed}`;
  if (found.requests.length === 0) throw new Error(message);
  world.log.error(message);
  return found;
}
