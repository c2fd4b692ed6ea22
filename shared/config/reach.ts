import { REACH } from '../model/load-balancer/reach.ts';
import type { AllowedReference, ReachConfig, ReferenceKind } from '../model/load-balancer/reach.ts';
import type { Flags } from './flags/flags.ts';

/** What nobody can be allowed: these are the namespace's own or nobody's. */
const KINDS = Object.entries(REACH).flatMap(([kind, reach]) => (reach === 'own' ? [] : [kind]));

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** `--reach` and `--allowed-references`: what Services of which namespace may name of OpenStack. */
export function reachConfig(
  { reach, allowedReferences }: Pick<Flags, 'reach' | 'allowedReferences'>,
  problems: string[],
): ReachConfig {
  if (reach !== undefined && reach !== 'open' && reach !== 'allowed')
    problems.push(`--reach is open or allowed, not ${JSON.stringify(reach)}`);
  const entries = (allowedReferences ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  const allowed = entries.flatMap((entry) => readEntry(entry, problems));
  return {
    ...(reach === 'allowed' ? { reach } : {}),
    ...(allowed.length > 0 ? { allowedReferences: allowed } : {}),
  };
}

/** The id may have slashes of its own: the address of a certificate. */
function readEntry(entry: string, problems: string[]): readonly AllowedReference[] {
  const [namespace = '', kind = '', ...rest] = entry.split('/');
  const id = rest.join('/');
  if ((namespace === '*' || NAMESPACE.test(namespace)) && isKind(kind) && isWhole(id))
    return [{ namespace, kind, id }];
  const allowed = `NAMESPACE/KIND/ID, each of them or *, the kind one of ${KINDS.join(', ')}`;
  problems.push(`--allowed-references has ${allowed}, not ${JSON.stringify(entry)}`);
  return [];
}

/** Nothing is matched by a part of it: `ab*` would look as if. */
function isWhole(id: string): boolean {
  return id === '*' || (id !== '' && !id.includes('*'));
}

function isKind(kind: string): kind is ReferenceKind | '*' {
  return kind === '*' || KINDS.includes(kind);
}
