/**
 * The quarantine of orphans (decision 290): what a Service that has vanished left in OpenStack stays for `--orphan-delay`
 * after the first sweep that found it. A sweep writes down when that was; runs only read it.
 */
import { DELETIONS } from '../model/deletions.ts';
import type { Deletion, RecordedDeletions } from '../model/deletions.ts';
import { ReconcileError } from '../model/errors.ts';
import type { Service } from '../model/kubernetes.ts';
import type { ObservedService } from '../model/load-balancer/observed-service.ts';
import type { Key } from '../model/request.ts';
import type { ResourceKind, WireResource } from '../model/resources.ts';
import { attempt } from '../observe/attempt.ts';
import type { World } from '../ports.ts';
import { rfc3339 } from '../report/condition.ts';
import type { Orphan } from './orphans.ts';
import { approvalOfDeletion } from './plan/hold-back.ts';
import type { HeldInWords } from './plan/hold-back.ts';
import { notVanished } from './unit.ts';

/** What a sweep does about the orphans that it found. */
export interface Quarantine {
  /** The keys whose runs may delete now. */
  readonly keys: readonly Key[];
  /** The keys whose orphans stay. */
  readonly kept: ReadonlySet<Key>;
  /** Undefined if nothing is known about it. */
  readonly held?: HeldInWords;
  readonly warnings: readonly string[];
}

interface Lists {
  /** No list failed, so that an orphan which is not found any more is gone. */
  readonly areComplete: boolean;
  /** The sweep writes nothing down. */
  readonly readOnly: boolean;
}

/**
 * Tells the orphans that may go from those that stay, and writes down which ones are new and which are none any more.
 * Without the record none may go, but for those of Services that levelset saw leaving.
 */
export async function quarantine(
  orphans: readonly Orphan[],
  services: readonly Service[],
  { areComplete, readOnly }: Lists,
  world: World,
): Promise<Quarantine> {
  const { kube, config, clock } = world;
  const keys = [...new Set(orphans.map(({ key }) => key))];
  if (config.orphanDelayMs === 0) return { keys, kept: new Set(), warnings: [] };
  const there = notVanished(services, config);
  const waiting = orphans.filter(({ key }) => !there.has(key));
  const seen = keys.filter((key) => there.has(key));
  const recorded = await attempt(kube.deletions.quarantine.load());
  if (recorded instanceof ReconcileError) {
    const warnings = [`what Services that are gone have left in OpenStack stays: ${recorded.message}`];
    return {
      keys: seen,
      kept: new Set(waiting.map(({ key }) => key)),
      warnings: waiting.length > 0 ? warnings : [],
    };
  }
  const now = clock.now();
  const of = ({ id, service }: Pick<Deletion, 'id' | 'service'>): string => `${service ?? ''} ${id}`;
  const before = new Set(recorded.deletions.map(of));
  const found = new Set(waiting.map(({ key, wire: { id } }) => of({ id, service: key })));
  const stay = recorded.deletions.filter(
    (entry) => !(entry.service && there.has(entry.service)) && (!areComplete || found.has(of(entry))),
  );
  const added = waiting
    .map(({ key, wire: { id } }) => ({ id, service: key, at: now }))
    .filter((entry) => !before.has(of(entry)));
  const isChanged = added.length > 0 || stay.length < recorded.deletions.length;
  const entries = [...stay, ...added];
  const isSaved =
    !isChanged || readOnly || (await attempt(kube.deletions.quarantine.save(entries, recorded))) === true;
  const known = { ...recorded, deletions: entries };
  const held = [...Map.groupBy(waiting, ({ key }) => key)].flatMap(([key, left]) => {
    const lead = leadOf(left).map(({ wire }) => wire);
    const why = whyInQuarantine(key, lead, known, world);
    return why === undefined ? [] : [{ key, why, left: leadOf(left) }];
  });
  const kept = new Set(held.map(({ key }) => key));
  return {
    keys: keys.filter((key) => !kept.has(key)),
    kept,
    held: { ...inWords(held), approved: known.approved },
    warnings: isSaved
      ? []
      : [`ConfigMap ${DELETIONS} was not written: the quarantine of what is new in it begins later`],
  };
}

/** What the quarantine of a key is about: its load balancers, or without any all that is left. */
function leadOf<T extends { readonly kind: ResourceKind }>(left: readonly T[]): readonly T[] {
  const loadBalancers = left.filter(({ kind }) => kind === 'loadbalancer');
  return loadBalancers.length > 0 ? loadBalancers : left;
}

/** The resources of one Service in a run that the quarantine is about. */
export function leadIn({ loadBalancer, resources }: ObservedService): readonly WireResource[] {
  if (loadBalancer) return [loadBalancer];
  const kinds: readonly ResourceKind[] = ['floatingip', 'securitygroup', 'secret'];
  return resources.filter(({ kind, owned }) => owned && kinds.includes(kind)).map(({ wire }) => wire);
}

/** Why these resources stay, for people; undefined if their time in quarantine is over, or if they are approved. */
export function whyInQuarantine(
  key: Key,
  lead: readonly WireResource[],
  { deletions, approved }: RecordedDeletions,
  { config: { orphanDelayMs }, clock }: Pick<World, 'config' | 'clock'>,
): string | undefined {
  if (orphanDelayMs === 0 || lead.some((wire) => approved.includes(approvalOfDeletion(key, wire))))
    return undefined;
  const since = deletions
    .filter(({ id, service }) => service === key && lead.some((wire) => wire.id === id))
    .map(({ at }) => at);
  if (since.length === 0) return 'no sweep has put it in quarantine yet (--orphan-delay)';
  const ends = Math.min(...since) + orphanDelayMs;
  if (ends <= clock.now()) return undefined;
  return `it is in quarantine until ${rfc3339(ends)} (--orphan-delay), and is deleted after that within the deletion budget`;
}

interface Held {
  readonly key: Key;
  readonly why: string;
  readonly left: readonly Orphan[];
}

const KIND: Readonly<Partial<Record<ResourceKind, string>>> = {
  loadbalancer: 'load balancer',
  floatingip: 'floating IP',
  securitygroup: 'security group',
  secret: 'certificate',
};

/** One sentence for each end of a quarantine. */
function inWords(held: readonly Held[]): Omit<HeldInWords, 'approved'> {
  const words = [...Map.groupBy(held, ({ why }) => why)].map(([why, ones]) => {
    const names = ones.map(({ key, left }) => {
      const ids = left.map(({ kind, wire }) => `${KIND[kind] ?? kind} ${wire.id}`).join(', ');
      return `${key.slice('service/'.length)} (${ids})`;
    });
    return `levelset keeps what these Services have left in OpenStack, since they are gone without having been deleted: ${names.join(', ')}; ${why}`;
  });
  const approvals = held.flatMap(({ key, left }) => left.map(({ wire }) => approvalOfDeletion(key, wire)));
  return { words, approvals };
}
