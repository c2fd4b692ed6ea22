/** Plays a schedule against a world of its own, and says which rules it broke. */
import { countedLots } from '../../../infra/sandbox/lots.ts';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { createSandbox } from '../../../infra/sandbox/sandbox.ts';
import type { Service } from '../../../shared/model/kubernetes.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL } from '../../support/in-process.ts';
import { aService } from '../../support/service.ts';
import { Process, type Span, type Surroundings } from './process.ts';
import { NAMES, type Edit, type Schedule } from './schedule.ts';
import { nodePortOf, Watch, type Wish } from './watch.ts';

const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';
const LIMIT = 'loadbalancer.openstack.org/connection-limit';
const KEY = 'service/default/web';
/** From a person's edit to the event at a process. */
const EVENT_MS = 60;

export interface Played {
  readonly faults: readonly string[];
  /** What happened, line by line. */
  readonly story: readonly string[];
  /** Two processes were between the first look at the load balancer and the last write at once. */
  readonly overlaps: boolean;
  /** How often a lease expired under a process, and another one took it. */
  readonly expired: number;
}

export async function play(schedule: Schedule, leases: Surroundings['leases'] = 'leases'): Promise<Played> {
  const { octaviaMs: pendingMs, tokenMs: tokenTtlMs, manageSecurityGroups, processes: plans } = schedule;
  const clock = new VirtualClock();
  const options = { nodes: 1, pendingMs, tokenTtlMs };
  const inside = { ...createSandbox(options, clock, countedLots()), clock };
  const startMs = clock.millis();
  const story: string[] = [];
  const tell = (line: string): void => {
    story.push(`${((clock.millis() - startMs) / 1_000).toFixed(2).padStart(7)}  ${line}`);
  };
  const watch = new Watch(inside.cloud);
  const base = aConfig(AUTH_URL, { manageSecurityGroups });
  const config = { ...base, openstack: { ...base.openstack, requestTimeoutMs: 60_000 } };
  const its: Surroundings = { inside, config, watch, leases, tell };
  const processes = plans.map((plan, at) => new Process(NAMES[at] ?? 'A', plan, its));
  const person = new Person(its);
  person.edit({ do: 'apply', afterMs: 0, tells: [] });
  if (schedule.begins === 'settled') await rest(processes, its);

  for (const [at, plan] of plans.entries())
    for (const ms of plan.sweepsAtMs) processes[at]?.look('sweep', ms);
  let atMs = 0;
  for (const { afterMs, tells, lateMs = 0, againMs, ...what } of schedule.edits) {
    atMs += afterMs;
    const isOfNodes = what.do === 'a Node joins' || what.do === 'a Node leaves';
    for (const one of processes.filter(({ name }) => tells.includes(name)))
      for (const inMs of againMs === undefined ? [0] : [0, againMs])
        one.look(isOfNodes ? 'sweep' : { key: KEY, trigger: 'audit' }, atMs + EVENT_MS + lateMs + inMs);
  }
  for (const one of processes) one.setPace(true);
  const edits = async (): Promise<void> => {
    for (const edit of schedule.edits) {
      await clock.pause(edit.afterMs);
      person.edit(edit);
    }
  };
  await Promise.all([edits(), ...processes.map((one) => one.live())]);

  for (const one of processes) one.setPace(false);
  tell('all is quiet');
  await rest(processes, its);
  const spans = processes.flatMap((one) => one.spans);
  const faults = [...watch.faults, ...left(schedule, its)];
  return { faults, story, overlaps: overlap(spans), expired: watch.expired };
}

/** Long after everything has happened one process sweeps once, and is through with what it found. */
async function rest([first]: readonly Process[], { inside }: Surroundings): Promise<void> {
  inside.clock.advance(61_000);
  first?.look('sweep', 0);
  await first?.live();
}

function overlap(spans: readonly Span[]): boolean {
  return spans.some((one) =>
    spans.some(
      (other) => one.process < other.process && one.fromMs <= other.toMs && other.fromMs <= one.toMs,
    ),
  );
}

/** What is not as wished in the end. */
function left(schedule: Schedule, { inside, watch }: Surroundings): readonly string[] {
  const { cloud, kube } = inside;
  const ours = cloud.securityGroups.filter(({ name }) => name.startsWith('lb-sg-')).map(({ id }) => id);
  const used = [
    ...cloud.ports.flatMap((port) => port.security_groups),
    ...cloud.securityGroupRules
      .filter((rule) => rule['direction'] === 'ingress')
      .map((rule) => rule.security_group_id),
  ].filter((id) => ours.includes(id));
  const { wish } = watch;
  const service = kube.get('Service', 'default', 'web') as Service | undefined;
  const nodes = kube.list('Node').length;
  const ports = wish?.ports ?? [];
  const ranges = wish?.ranges.length === 0 ? null : wish?.ranges.toSorted();
  const wanted = {
    loadbalancers: wish ? 1 : 0,
    listeners: ports.map((port) => ({ port, ranges })),
    pools: ports.length,
    members: ports.flatMap((port) => Array.from({ length: nodes }, () => nodePortOf(port))).sort(),
    vips: wish ? 1 : 0,
    floatingips: wish && !wish.internal ? 1 : 0,
    groups: wish && schedule.manageSecurityGroups ? 1 : 0,
    usedGroups: wish && schedule.manageSecurityGroups ? 1 : 0,
    ready: wish ? 'True' : undefined,
    isPublished: wish !== undefined,
    isThere: service !== undefined && (wish !== undefined || service.spec.type === 'ClusterIP'),
  };
  const vip = cloud.loadbalancers[0];
  const addresses =
    wish?.internal === true
      ? [vip?.vip_address]
      : cloud.floatingips.map((ip) => ip.port_id === vip?.vip_port_id && ip.floating_ip_address);
  const found = {
    loadbalancers: cloud.loadbalancers.length,
    listeners: cloud.listeners
      .map((one) => ({ port: one.protocol_port, ranges: one['allowed_cidrs'] }))
      .sort((a, b) => a.port - b.port),
    pools: cloud.pools.length,
    members: cloud.members.map((member) => member.protocol_port).sort(),
    vips: cloud.ports.filter(({ device_owner: owner }) => owner === 'Octavia').length,
    floatingips: cloud.floatingips.length,
    groups: cloud.securityGroups.filter(({ tags }) => tags.length > 0).length,
    // one that was made and not tagged in the time of a lease, for a Service that was gone then, stays empty and unused
    usedGroups: new Set(used).size,
    ready: wish && service?.status?.conditions?.find(({ type }) => type.endsWith('/Ready'))?.status,
    isPublished: addresses.length === 1 && service?.status?.loadBalancer?.ingress?.[0]?.ip === addresses[0],
    isThere: service !== undefined,
  };
  const keys = Object.keys(wanted) as (keyof typeof wanted)[];
  return keys
    .filter((key) => JSON.stringify(wanted[key]) !== JSON.stringify(found[key]))
    .map(
      (key) => `in the end ${key} is ${JSON.stringify(found[key])}, and not ${JSON.stringify(wanted[key])}`,
    );
}

class Person {
  readonly #its: Surroundings;
  #wish: Omit<Wish, 'uid'> = { ports: [80], ranges: [], internal: false };
  #limit = -1;

  constructor(its: Surroundings) {
    this.#its = its;
  }

  edit(edit: Edit): void {
    const { inside, watch, tell } = this.#its;
    tell(`a person: ${JSON.stringify({ ...edit, afterMs: undefined })}`);
    switch (edit.do) {
      case 'ranges':
        this.#wish = { ...this.#wish, ranges: edit.ranges };
        this.#change();
        break;
      case 'ports':
        this.#wish = { ...this.#wish, ports: edit.ports };
        this.#change();
        break;
      case 'internal':
        this.#wish = { ...this.#wish, internal: edit.internal };
        this.#change();
        break;
      case 'limit':
        this.#limit = edit.limit;
        this.#change();
        break;
      case 'apply':
        this.#apply();
        break;
      case 'delete':
        inside.kube.delete('Service', 'default', 'web');
        break;
      case 'force-delete':
        this.#forceDelete();
        break;
      case 'force-delete and apply':
        this.#forceDelete();
        watch.wished(undefined);
        this.#apply();
        break;
      case 'make it a ClusterIP':
        if (this.#service()) inside.kube.apply(aService({ spec: { type: 'ClusterIP' } }));
        break;
      case 'a Node joins':
        if (!inside.kube.get('Node', undefined, 'node-2')) inside.kube.addNode('node-2');
        break;
      case 'a Node leaves':
        if (inside.kube.get('Node', undefined, 'node-2')) inside.kube.removeNode('node-2');
        break;
    }
    const service = this.#service();
    const isWanted = service?.spec.type === 'LoadBalancer';
    watch.wished(isWanted ? { ...this.#wish, uid: service.metadata.uid } : undefined);
  }

  /** The Service, unless it is on its way out: that one nobody edits. */
  #service(): Service | undefined {
    const service = this.#its.inside.kube.get('Service', 'default', 'web') as Service | undefined;
    return service?.metadata.deletionTimestamp === undefined ? service : undefined;
  }

  #forceDelete(): void {
    const { kube } = this.#its.inside;
    if (!kube.get('Service', 'default', 'web')) return;
    kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default', finalizers: [] } });
    kube.delete('Service', 'default', 'web');
  }

  #change(): void {
    if (this.#service()?.spec.type === 'LoadBalancer') this.#apply();
  }

  #apply(): void {
    const { kube } = this.#its.inside;
    const isLeaving = kube.get('Service', 'default', 'web') !== undefined && this.#service() === undefined;
    if (isLeaving) return;
    const { ports, ranges, internal } = this.#wish;
    kube.apply(
      aService({
        annotations: { [INTERNAL]: String(internal), [LIMIT]: String(this.#limit) },
        spec: {
          ports: ports.map((port) => ({
            ...{ name: `port-${port}`, port, targetPort: 8080, nodePort: nodePortOf(port) },
          })),
          loadBalancerSourceRanges: [...ranges],
        },
      }),
    );
  }
}
