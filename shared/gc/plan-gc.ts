/**
 * What a cluster that is gone has left, and what of it goes: only what this cluster alone has, what levelset made, and what
 * nobody else is on (decision 292). Pure.
 */
import {
  isMadeByAnother,
  whoseLoadBalancer,
  isDescribedFor,
  isUntagged,
} from '../model/load-balancer/whose.ts';
import { approvalOf, tagValue, tagValues, TAG_PREFIX } from '../model/ownership.ts';
import type { Plan, Problem, Refusal, Step } from '../model/plan.ts';
import type { ResourceKind, WireResource } from '../model/resources.ts';
import { readStoredName } from '../model/tls/certificate-facts.ts';
import { clustersOf, type Belongings, findClusters, type NamedClusters } from './belongings.ts';

interface GcQuestion {
  readonly id: string;
  /** The UID of the cluster whose apiserver was asked; undefined if none is configured. */
  readonly thisOne: string | undefined;
  /** Where there is a registry: none of its clusters is touched. */
  readonly named?: NamedClusters;
  /** A member on the cluster's load balancers that answers health checks, as `ADDRESS:PORT`. */
  readonly answering: string | undefined;
  /** A cluster of which something was written within this time is not touched, in milliseconds. */
  readonly unwrittenForMs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface GcPlan extends Plan {
  /** The hash that `--approve` takes: of the cluster and of all that goes; undefined if nothing does. */
  readonly approval?: string;
}

export function planGc(all: Belongings, question: GcQuestion): GcPlan {
  const { id } = question;
  const base = { object: `cluster/${id}`, services: [], awaitingApproval: [], foreign: [] };
  const problems = whyNot(all, question);
  if (problems.length > 0) return { ...base, steps: [], refused: [], problems };
  const verdicts = judge(all, id);
  const steps = verdicts.flatMap(({ why, step }) => (why === undefined ? step() : []));
  const refused = verdicts.flatMap(({ why, kind, wire }): readonly Refusal[] =>
    why === undefined ? [] : [{ address: `${kind}/${wire.id}`, kind, changes: [], reason: why }],
  );
  const what = steps.map((step) => [step.verb, step.address]).sort();
  const approval = steps.length > 0 ? { approval: approvalOf(['gc', id, what]) } : {};
  return { ...base, steps, refused, problems, ...approval };
}

/** Why nothing of the cluster is touched. */
function whyNot(
  all: Belongings,
  { id, thisOne, named, answering, unwrittenForMs, now }: GcQuestion,
): readonly Problem[] {
  const problem = (message: string): readonly Problem[] => [
    { field: named ? 'UID' : '--cluster', value: id, message, blocking: true },
  ];
  const entry = named?.entries.get(id);
  if (entry !== undefined)
    return problem(
      `this is the cluster of the entry ${entry}: it is alive, and its own sweeps find its orphans`,
    );
  if (named && named.silent.length > 0)
    return problem(
      `it may be the cluster of ${named.silent.join(', ')}, whose kube-apiserver has not said which cluster it is: take the entries of clusters that are gone out of the registry`,
    );
  if (id === thisOne)
    return problem('this is the cluster of the kubeconfig: it is alive, and its own sweeps find its orphans');
  if (answering !== undefined)
    return problem(`the cluster is alive: its member ${answering} answers health checks`);
  const last = findClusters(all, thisOne).find((cluster) => cluster.id === id)?.writtenAt ?? 0;
  if (last === 0)
    return problem('nothing in this project has the tag of this cluster; levelset gc lists those that have');
  if (now - last >= unwrittenForMs) return [];
  const at = new Date(last).toISOString();
  return problem(
    `it was written at ${at}, and --unwritten-for is ${unwrittenForMs / 1_000} s: it may be alive`,
  );
}

interface Verdict {
  readonly kind: ResourceKind;
  readonly wire: WireResource;
  /** Why it stays; undefined if it goes. */
  readonly why: string | undefined;
  readonly step: () => readonly Step[];
}

function judge(all: Belongings, id: string): readonly Verdict[] {
  const isOf = (wire: WireResource): boolean => clustersOf(wire).includes(id);
  const loadBalancers = all.loadBalancers.filter(isOf).map((wire): Verdict => {
    const step = (): readonly Step[] => [remove('loadbalancer', wire, named(wire), true)];
    return { kind: 'loadbalancer', wire, why: whyStays(wire, all, id), step };
  });
  const going = new Set(loadBalancers.flatMap(({ why, wire }) => (why === undefined ? wire.id : [])));
  const others = all.loadBalancers.filter((lb) => !going.has(lb.id));
  const otherListeners = all.listeners.filter((wire) => !parentsOf(wire).some((lb) => going.has(lb)));
  const listeners = otherListeners.filter(isOf).map((wire): Verdict => {
    const why = `it is on load balancer ${parentsOf(wire).join(', ')}, which stays; by hand: openstack loadbalancer listener delete ${wire.id}`;
    return { kind: 'listener', wire, why, step: () => [] };
  });
  const floatingIPs = all.floatingIPs
    .filter((wire) => isOf(wire) || isUntagged(wire, { id }))
    .map((wire): Verdict => {
      const vips = all.loadBalancers.filter((lb) => going.has(lb.id)).map((lb) => lb['vip_port_id']);
      const step = (): readonly Step[] => [remove('floatingip', wire, String(wire['floating_ip_address']))];
      const why = isOf(wire) ? whyKept(wire, vips, id) : whyUntaggedStays(wire);
      return { kind: 'floatingip', wire, why, step };
    });
  const groups = all.securityGroups.filter(isOf).map((wire): Verdict => {
    const step = (): readonly Step[] => [
      ...all.ports.filter((port) => groupsOf(port).includes(wire.id)).map((port) => without(wire.id, port)),
      remove('securitygroup', wire, String(wire['name'])),
    ];
    return { kind: 'securitygroup', wire, why: whyGroupStays(wire, others, otherListeners), step };
  });
  const secrets = all.secrets.filter(isOf).map((wire): Verdict => {
    const users = otherListeners.filter((listener) => JSON.stringify(listener).includes(wire.id));
    const isStored = readStoredName(wire['name'], { id, name: '' }) !== undefined;
    const why = isStored
      ? users[0] && `listener ${users[0].id} uses it`
      : 'its name is not one that levelset gives';
    return { kind: 'secret', wire, why, step: () => [remove('secret', wire, String(wire['name']))] };
  });
  return [...loadBalancers, ...listeners, ...floatingIPs, ...groups, ...secrets];
}

/** Tags that say that others are, were or may be on a load balancer. */
const SHARING = ['shared', 'owner', 'allow', 'kept'] as const;

function whyStays(lb: WireResource, { listeners, pools }: Belongings, id: string): string | undefined {
  const byHand = `by hand: openstack loadbalancer delete --cascade ${lb.id}`;
  const { tags } = lb;
  if (clustersOf(lb).length > 1) return 'it has the tags of several clusters';
  if (whoseLoadBalancer(lb) === 'foreign')
    return 'no controller made it: a person did, and let Services use it';
  const shares = SHARING.find((name) => tagValues(tags, name).length > 0);
  if (shares !== undefined)
    return `it is shared (${TAG_PREFIX}${shares}=${tagValue(tags, shares) ?? ''}); ${byHand}`;
  const names = tagValues(tags, 'name');
  if (names.length > 1) return `it is shared by ${names.join(' and ')}; ${byHand}`;
  const status = String(lb['provisioning_status']);
  if (status === 'PENDING_DELETE') return 'it is being deleted (PENDING_DELETE)';
  if (status.startsWith('PENDING_')) return `it is in ${status}: somebody may be writing to it`;
  const on = listeners.filter((listener) => parentsOf(listener).includes(lb.id));
  const foreign = on.find((listener) => !isOnly(listener, id));
  if (foreign) return `listener ${foreign.id} on it does not have the tag of this cluster alone; ${byHand}`;
  const pool = pools.find((one) => parentsOf(one).includes(lb.id) && isMadeByAnother(one));
  if (pool) return `another controller made pool ${pool.id} on it; ${byHand}`;
  return undefined;
}

function isOnly(wire: WireResource, id: string): boolean {
  const clusters = clustersOf(wire);
  return clusters.length === 1 && clusters[0] === id;
}

function whyKept(ip: WireResource, vips: readonly unknown[], id: string): string | undefined {
  const kept = tagValue(ip['tags'], 'kept');
  if (kept !== undefined) return `it is kept for ${kept} (keep-floatingip)`;
  if (clustersOf(ip).length > 1) return 'it has the tags of several clusters';
  if (tagValues(ip['tags'], 'allow').length > 0) return 'it is for others, too (levelset-allow)';
  const port = ip['port_id'];
  if (typeof port === 'string' && !vips.includes(port)) return `it is on port ${port}, which stays`;
  return isDescribedFor(ip, { id }) ? undefined : 'levelset did not make it: its description says so';
}

function whyUntaggedStays({ id }: WireResource): string {
  return `levelset made it, but without its tags nothing says whether somebody else has had it since; by hand: openstack floating ip delete ${id}`;
}

/** A Service that joined a load balancer is in the tags of its listeners alone. */
function whyGroupStays(
  group: WireResource,
  loadBalancers: readonly WireResource[],
  listeners: readonly WireResource[],
): string | undefined {
  if (clustersOf(group).length > 1) return 'it has the tags of several clusters';
  const service = tagValue(group['tags'], 'service');
  if (service === undefined || !String(group['name']).startsWith(`lb-sg-${service}-`))
    return 'its name is not one that levelset gives';
  const isOfService = ({ tags }: WireResource): boolean => tagValues(tags, 'service').includes(service);
  const user = loadBalancers.find(isOfService);
  if (user) return `load balancer ${user.id} of its Service stays`;
  const listener = listeners.find(isOfService);
  return listener && `listener ${listener.id} of its Service stays`;
}

function remove(kind: ResourceKind, { id }: WireResource, name: string, cascade = false): Step {
  const because = `its cluster is gone; ${name}`;
  return {
    verb: 'delete',
    kind,
    address: `${kind}/${id}`,
    id,
    because,
    ...(cascade ? { cascade: true } : {}),
  };
}

function without(group: string, port: WireResource): Step {
  const from = groupsOf(port);
  const to = from.filter((one) => one !== group);
  const changes = [{ attribute: 'security_groups', from, to }];
  const because = `security group ${group} goes`;
  return { verb: 'update', kind: 'port', address: `port/${port.id}`, id: port.id, changes, because };
}

function groupsOf(port: WireResource): readonly string[] {
  return [port['security_groups'] ?? []].flat().map(String);
}

function parentsOf(wire: WireResource): readonly string[] {
  return ((wire['loadbalancers'] ?? []) as readonly { readonly id: string }[]).map(({ id }) => id);
}

function named(lb: WireResource): string {
  return `${String(lb['name'])}, ${String(lb['vip_address'])}, ${String(lb['operating_status'])}`;
}
