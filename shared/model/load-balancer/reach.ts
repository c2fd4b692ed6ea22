/**
 * Who may name what of OpenStack in a Service (decisions 20, 36). A Service's editor has no rights in OpenStack: levelset
 * uses its own on their behalf.
 *
 * | reach     | what may be named                                                                       |
 * | --------- | --------------------------------------------------------------------------------------- |
 * | `own`     | what is the namespace's own                                                             |
 * | `allowed` | the same, and what the operator allows by `--allowed-references` or by a tag            |
 * | `open`    | all that the project sees, as with the Go provider; `--reach=allowed` makes it `allowed` |
 */
import { tagValue } from '../ownership.ts';
import type { WireResource } from '../resources.ts';
import { readUuid } from '../text/text.ts';
import { parseTlsReference } from '../tls/certificate-facts.ts';

export type Reach = 'own' | 'allowed' | 'open';

// prettier-ignore
export const REACH = {
  loadbalancer:      'allowed',
  floatingip:        'open',
  port:              'open',
  subnet:            'open',
  network:           'open',
  flavor:            'open',
  availability_zone: 'open',
  qos_policy:        'open',
  securitygroup:     'open',
  barbican:          'open',
  Secret:            'own',
} as const satisfies Readonly<Record<string, Reach>>;

/** What a reference names: a kind of OpenStack, `barbican` for all that Barbican keeps, or a Secret of Kubernetes. */
export type ReferenceKind = keyof typeof REACH;

/** One entry of `--allowed-references`, `NAMESPACE/KIND/ID`; `*` is any. The id is what the Service names it by. */
export interface AllowedReference {
  readonly namespace: string;
  readonly kind: ReferenceKind | '*';
  readonly id: string;
}

/** The operator's word, as the configuration has it. */
export interface ReachConfig {
  readonly reach?: 'allowed';
  readonly allowedReferences?: readonly AllowedReference[];
}

/** Whether Services of a namespace may name this. What is the namespace's own by a tag is for the caller to see. */
export function mayRefer(config: ReachConfig, namespace: string, kind: ReferenceKind, id: string): boolean {
  if (REACH[kind] === 'own') return true;
  if (REACH[kind] === 'open' && config.reach !== 'allowed') return true;
  return (config.allowedReferences ?? []).some(
    (entry) =>
      isOneOf(entry.namespace, namespace) &&
      isOneOf(entry.kind, kind) &&
      (entry.id === '*' || identity(entry.id) === identity(id)),
  );
}

/**
 * Whether a Service of a namespace may be on a load balancer that others made: who may edit that in OpenStack says so by
 * the tag `levelset-allow=<namespace>` (`*`: any), or the operator by `--allowed-references`.
 */
export function mayJoin(config: ReachConfig, namespace: string, loadBalancer: WireResource): boolean {
  const tags = Array.isArray(loadBalancer['tags']) ? loadBalancer['tags'] : [];
  const consents = tags.some((tag) => ['*', namespace].includes(tagValue([tag], 'allow') ?? ''));
  return consents || mayRefer(config, namespace, 'loadbalancer', loadBalancer.id);
}

/** For a Problem: who can let it through, and how. */
export function outOfReach(namespace: string, kind: ReferenceKind, id: string): string {
  const entry = `${namespace}/${kind}/${/[\s,*]/.test(id) ? '*' : id}`;
  return `is out of reach of the namespace ${namespace}; the operator of levelset can allow it by --allowed-references=${entry}`;
}

function isOneOf(pattern: string, value: string): boolean {
  return pattern === '*' || pattern === value;
}

/** UUIDs have several spellings, and addresses of Barbican any host. */
function identity(id: string): string {
  const uuid = parseTlsReference(id)?.id ?? readUuid(id);
  return uuid?.replaceAll('-', '') ?? id;
}
