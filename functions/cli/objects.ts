import type { Flags } from '../../shared/config/read-flags.ts';
import { ReconcileError } from '../../shared/model/errors.ts';
import type { Report } from '../../shared/model/outcome.ts';
import {
  asNodeKey,
  asServiceKey,
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

/** What kubectl lets a person write for a kind. */
// prettier-ignore
const KINDS: Readonly<Record<string, string>> = {
  svc: 'service', services: 'service', no: 'node', nodes: 'node', ns: 'namespace', namespaces: 'namespace',
};

/**
 * The keys that a person wrote, as levelset or as kubectl writes them. None: all, or with -n those of the namespace. Throws
 * CONFIG_INVALID that names the first word that is no key.
 */
export function readObjects(
  objects: readonly string[],
  { namespace }: Pick<Flags, 'namespace'>,
): readonly Key[] {
  if (objects.length === 0) return [readObject(namespace === undefined ? 'all' : `namespace/${namespace}`)];
  return objects.map((text) => {
    const [kind = '', ...names] = text.split('/');
    const words = [KINDS[kind] ?? kind, ...names];
    const isNamed = words[0] === 'service' && names.length === 1;
    if (isNamed) words.splice(1, 0, namespace ?? 'default');
    else if (
      namespace !== undefined &&
      (words[0] !== 'service' || names[0] !== namespace) &&
      words[0] !== 'node'
    )
      throw new ReconcileError(
        'CONFIG_INVALID',
        `-n ${namespace} is not for ${JSON.stringify(text)}: give svc/NAME with -n, or leave -n`,
      );
    return readObject(words.join('/'), text);
  });
}

function readObject(words: string, text = words): Key {
  const key = parseKey(words);
  if (key !== undefined) return key;
  throw new ReconcileError(
    'CONFIG_INVALID',
    `${JSON.stringify(text)} is no object: give svc/NAME with -n NAMESPACE, service/NAMESPACE/NAME, node/NAME, routes, namespace/NAME, nodeset or all`,
  );
}

/** Whether a person named an object that does not exist, and that has left nothing. A run that found something says so itself. */
export async function isMissing(
  { request, outcome, plan, applied, loadBalancerId }: Report,
  named: readonly Key[],
  { kube }: World,
): Promise<boolean> {
  const { key } = request;
  if (!named.includes(key) || outcome.status !== 'settled' || loadBalancerId !== undefined) return false;
  const { steps = [], refused = [], awaitingApproval = [], problems = [] } = plan ?? {};
  if ([...applied, ...steps, ...refused, ...awaitingApproval, ...problems].length > 0) return false;
  const service = asServiceKey(key);
  const node = asNodeKey(key);
  if (service) return (await kube.getService(service.namespace, service.name)) === undefined;
  return node !== undefined && (await kube.getNode(node)) === undefined;
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
