/**
 * Services that are gone without having been seen to leave, as after an apiserver's restore. What they left stays for `--orphan-delay` after the first
 * sweep that found it, and then goes within `--deletion-share` (decision 151). One record has both times.
 */
import type { PlannedDeletion } from '../apply/reserve-deletion.ts';
import type { Config } from '../config/config.ts';
import { DELETIONS, recent, type Deletion, type RecordedDeletions } from '../model/records.ts';
import { isError } from '../model/errors.ts';
import type { Service } from '../model/kubernetes.ts';
import type { ObservedService } from '../model/load-balancer/observed-service.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { Plan } from '../model/plan.ts';
import type { Key } from '../model/request.ts';
import type { ObservedResource, ResourceKind, WireResource } from '../model/resources.ts';
import type { ServiceObject } from '../model/service-object.ts';
import { attempt } from '../observe/reads.ts';
import type { World } from '../ports.ts';
import { rfc3339 } from '../report/condition.ts';
import type { Comparison } from './compare-service.ts';
import { foundIn, listOurLoadBalancers, type Project } from './observe/project.ts';
import { findOrphans, type Orphan } from './orphans.ts';
import { holdBack, whyStays, type LeftBehind } from './plan/hold-back.ts';
import { isSeenLeaving, notVanished } from './service-object.ts';

/** The comparison with its deletion in the budget, or with a refusal while what is left stays. */
export async function withinDeletionBudget(comparison: Comparison, world: World): Promise<Comparison> {
  const { object, plan, cluster, observed } = comparison;
  const { kube, clock, config } = world;
  if (!hasVanished(object, config)) return comparison;
  const serves = whatServes(observed);
  const { loadBalancer: lb, resources } = observed;
  const others = resources.filter(({ kind, whose }) => whose !== 'foreign' && LEFT.includes(kind));
  const shown = serves ?? others[0];
  if (!shown) return comparison;
  const left: LeftBehind = {
    key: object.key,
    ids: lb ? [lb.id] : others.map(({ id }) => id),
    serves: serves?.id,
    loadBalancerId: lb?.id,
  };
  const seenAt = clock.now();
  const record = kube.deletions.left;
  const [all, recorded] = await Promise.all([serves ? ourLoadBalancers(cluster, world) : [], record.load()]);
  const planWith = ({ deletions }: RecordedDeletions): Plan => {
    const stays = whyStays(left, deletions, all, config, { now: clock.now(), inWords: rfc3339 });
    return stays ? holdBack(plan, shown, stays.why) : plan;
  };
  const what = `what ${object.key} has left (${shown.id})`;
  const leaving: PlannedDeletion = {
    id: shown.id,
    service: object.key,
    what,
    record,
    recorded,
    seenAt,
    planWith,
  };
  return { ...comparison, plan: planWith(recorded), leaving };
}

/** What a Service may leave beside its load balancer that a sweep finds. */
const LEFT: readonly ResourceKind[] = ['floatingip', 'securitygroup', 'secret'];

function hasVanished({ wanted, released, service }: ServiceObject, config: Config): boolean {
  return !wanted && !released && !(service && isSeenLeaving(service, config));
}

/** The load balancer. If it is not found, perhaps without tags: a floating IP or group on some port, or a certificate, whose users nobody knows. */
function whatServes({ loadBalancer, resources }: ObservedService): ObservedResource | undefined {
  if (loadBalancer) return resources.find(({ kind }) => kind === 'loadbalancer');
  const isOnPort = (group: string): boolean =>
    resources.some(({ kind, wire }) => kind === 'port' && [wire['security_groups']].flat().includes(group));
  return resources.find(({ kind, whose, id, wire }) => {
    if (whose === 'foreign') return false;
    if (kind === 'securitygroup') return isOnPort(id);
    return kind === 'secret' || (kind === 'floatingip' && wire['port_id']);
  });
}

/** The time for which one list serves the runs of all Services that have vanished together, in milliseconds. */
const KEEP_MS = 2_000;

function ourLoadBalancers(
  cluster: ClusterIdentity,
  { cloud, clock, memory }: World,
): Promise<readonly string[]> {
  return memory.answers.read('our load balancers', { keepMs: KEEP_MS, clock }, async () =>
    thereOf(await listOurLoadBalancers(cluster, cloud)),
  );
}

function thereOf(loadBalancers: readonly WireResource[]): readonly string[] {
  return loadBalancers.filter((lb) => lb['provisioning_status'] !== 'PENDING_DELETE').map(({ id }) => id);
}

interface Swept {
  readonly project: Project;
  readonly cluster: ClusterIdentity;
  readonly readOnly: boolean;
}

/** The keys of orphans whose turn it is, and words about the others. Without the record only those of Services seen leaving may go. */
export async function judgeOrphans(
  services: readonly Service[],
  { project, cluster, readOnly }: Swept,
  world: World,
): Promise<{ readonly keys: readonly Key[]; readonly warnings: readonly string[] }> {
  const { kube, config, clock } = world;
  const { orphans, warnings } = findOrphans(services, project, cluster, config);
  const seenLeaving = notVanished(services, config);
  const vanished = orphans.filter(({ key }) => !seenLeaving.has(key));
  const seen = orphans.filter(({ key }) => seenLeaving.has(key)).map(({ key }) => key);
  const recorded = await attempt(kube.deletions.left.load());
  if (isError(recorded)) {
    const stays = `what Services that are gone have left in OpenStack stays: ${recorded.message}`;
    return { keys: [...new Set(seen)], warnings: [...(vanished.length > 0 ? [stays] : []), ...warnings] };
  }
  const areComplete = !Object.values(project).some(isError);
  const entries = entriesOf(vanished, recorded, { seenLeaving, areComplete, now: clock.now() });
  const isSaved =
    entries === recorded.deletions ||
    readOnly ||
    (await attempt(kube.deletions.left.save(entries, recorded))) === true;
  const all = thereOf(foundIn(project.loadBalancers));
  const staying = [...Map.groupBy(vanished, ({ key }) => key)].flatMap(([key, ones]) => {
    const balancers = ones.filter(({ kind }) => kind === 'loadbalancer');
    const lead = balancers.length > 0 ? balancers : ones;
    const left: LeftBehind = {
      key,
      ids: lead.map(({ wire }) => wire.id),
      serves: balancers.find(({ wire }) => all.includes(wire.id))?.wire.id,
      loadBalancerId: balancers[0]?.wire.id,
    };
    const stays = whyStays(left, entries, all, config, { now: clock.now(), inWords: rfc3339 });
    return stays ? [{ key, lead, ...stays }] : [];
  });
  const quarantined = new Set(staying.filter(({ inQuarantine }) => inQuarantine).map(({ key }) => key));
  const keys = [...seen, ...vanished.map(({ key }) => key).filter((key) => !quarantined.has(key))];
  const unsaved = `ConfigMap ${DELETIONS} was not written: the quarantine of what is new in it begins later`;
  return {
    keys: [...new Set(keys)],
    warnings: [...inWords(staying), ...(isSaved ? [] : [unsaved]), ...warnings],
  };
}

/** The record with what was found now, and without what is not there any more; the same list where nothing changes. */
function entriesOf(
  vanished: readonly Orphan[],
  { deletions }: RecordedDeletions,
  { seenLeaving, areComplete, now }: { seenLeaving: ReadonlySet<Key>; areComplete: boolean; now: number },
): readonly Deletion[] {
  const of = ({ id, service }: Pick<Deletion, 'id' | 'service'>): string => `${service ?? ''} ${id}`;
  const found = new Set(vanished.map(({ key, wire: { id } }) => of({ id, service: key })));
  const isBegun = new Set(recent(deletions, now));
  const stay = deletions.filter(
    (entry) =>
      isBegun.has(entry) ||
      (!(entry.service && seenLeaving.has(entry.service)) && (!areComplete || found.has(of(entry)))),
  );
  const before = new Set(stay.map(of));
  const added = vanished
    .map(({ key, wire: { id } }) => ({ id, service: key, foundAt: now }))
    .filter((entry) => !before.has(of(entry)));
  return added.length === 0 && stay.length === deletions.length ? deletions : [...stay, ...added];
}

interface Staying {
  readonly key: Key;
  readonly why: string;
  readonly lead: readonly Orphan[];
}

const KIND = {
  loadbalancer: 'load balancer',
  floatingip: 'floating IP',
  securitygroup: 'security group',
  secret: 'certificate',
};

function inWords(staying: readonly Staying[]): readonly string[] {
  return [...Map.groupBy(staying, ({ why }) => why)].map(([why, ones]) => {
    const names = ones.map(({ key, lead }) => {
      const ids = lead.map(({ kind, wire }) => `${KIND[kind]} ${wire.id}`).join(', ');
      return `${key.slice('service/'.length)} (${ids})`;
    });
    return `levelset did not see the deletion of these Services, so it keeps what they left in OpenStack: ${names.join(', ')}; ${why}; a Service that is applied again gets it back`;
  });
}
