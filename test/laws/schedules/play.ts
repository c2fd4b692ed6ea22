/** Plays a schedule against a world of its own, and says which rules it broke. */
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL } from '../../support/in-process.ts';
import { addressOf, readyOf, serviceOf } from '../../support/told.ts';
import { inVirtualTime } from '../../support/virtual-time.ts';
import { Machine, type Surroundings } from './machine.ts';
import { namesOf, personOf } from './person.ts';
import { NAMES, type Edit, type Schedule, type ServiceName } from './schedule.ts';
import { nodePortOf, startWatch, type Watch, type Wish } from './watch.ts';
import type { ReadDetails } from './work.ts';

/** From a person's edit to the event at a process. */
const EVENT_MS = 60;
/** So long whatever began may take to come to rest. */
const REST_S = 600;

/** `story`: what happened, line by line. */
export async function play(schedule: Schedule) {
  const { octaviaMs: pendingMs, tokenMs: tokenTtlMs, manageSecurityGroups, machines: plans } = schedule;
  const inside = inVirtualTime({ nodes: 1, pendingMs, tokenTtlMs });
  const { clock } = inside;
  const startMs = clock.millis();
  const story: string[] = [];
  const tell = (line: string): void => {
    story.push(`${((clock.millis() - startMs) / 1_000).toFixed(2).padStart(7)}  ${line}`);
  };
  const watch = startWatch(inside);
  const base = aConfig(AUTH_URL, { manageSecurityGroups });
  const openstack = { ...base.openstack, requestTimeoutMs: 60_000 };
  const config = { ...base, deletionPercent: 100, openstack };
  const its: Surroundings = { inside, config, watch, tell };
  const machines = plans.map((plan, at) => new Machine(NAMES[at] ?? 'A', plan, its));
  const [first, ...others] = machines;
  const person = personOf(inside, watch, schedule);
  const edit = (one: Edit): void => {
    tell(`a person: ${JSON.stringify({ ...one, afterMs: undefined })}`);
    person(one);
  };
  first?.start();
  for (const of of namesOf(schedule)) edit({ of, do: 'apply', afterMs: 0, tells: [] });
  if (schedule.begins === 'settled') await rest(machines, its);
  for (const other of others) other.start();

  for (const machine of machines) machine.begin();
  const told = async (machine: Machine, request: ReadDetails, inMs: number): Promise<void> => {
    await clock.pause(inMs);
    void machine.process?.tell(request);
  };
  const events: Promise<void>[] = [];
  for (const [at, plan] of plans.entries())
    for (const ms of plan.sweepsAtMs) if (machines[at]) events.push(told(machines[at], 'sweep', ms));
  for (const one of schedule.edits) {
    await clock.pause(one.afterMs);
    edit(one);
    const { of = 'web', tells, lateMs = 0, againMs } = one;
    const isOfNodes = one.do === 'a Node joins' || one.do === 'a Node leaves';
    const request = isOfNodes ? 'sweep' : ({ key: `service/default/${of}`, trigger: 'audit' } as const);
    for (const machine of machines.filter(({ name }) => tells.includes(name)))
      for (const inMs of againMs === undefined ? [0] : [0, againMs])
        events.push(told(machine, request, EVENT_MS + lateMs + inMs));
  }
  const times = plans.flatMap(({ troubles }) => troubles.map(({ at }) => (typeof at === 'number' ? at : 0)));
  await Promise.all([...events, clock.pause(Math.max(0, ...times) + 1)]);
  await rest(machines, its);

  for (const machine of machines) machine.calm();
  tell('all is quiet');
  await rest(machines, its);
  await clock.pause(61_000);
  const sweeps = async (): Promise<boolean> => {
    await leaderOf(machines)?.process?.tell('sweep');
    return rest(machines, its);
  };
  const isAtRest = await sweeps();
  const wrong = left(schedule, inside, watch);
  // where the one has left that made a load balancer, another one takes it over
  if (schedule.besides === 'shared') await sweeps();
  const seen = inside.requests.length;
  await sweeps();
  const more = inside.requests
    .slice(seen)
    .filter(({ side, service, write }) => side === 'openstack' && service !== 'keystone' && write);
  for (const { process } of machines) process?.kill();
  const faults = [
    ...watch.faults,
    ...(isAtRest ? [] : ['it never comes to rest']),
    ...more.map(({ method, path }) => `the sweep after the last one writes: ${method} ${path}`),
    ...wrong,
  ];
  return { faults, story };
}

const leaderOf = (machines: readonly Machine[]): Machine | undefined =>
  machines.find(({ process }) => process?.leads());

/** Waits until no trouble goes on and whoever leads has nothing to do. Where no process is left, one starts. False: that takes too long. */
async function rest(machines: readonly Machine[], { inside: { clock } }: Surroundings): Promise<boolean> {
  for (let waitedS = 0; waitedS < REST_S; waitedS += 1) {
    await clock.pause(1_000);
    if (machines.every(({ process, isCalm }) => isCalm && !process)) machines[0]?.start();
    const isIdle = machines.some(({ process }) => process?.isIdle());
    if (isIdle && machines.every(({ isCalm }) => isCalm)) return true;
  }
  return false;
}

/** What is not as wished when all is quiet. */
function left(schedule: Schedule, inside: SandboxInside, watch: Watch): readonly string[] {
  const { cloud, kube } = inside;
  const names = namesOf(schedule);
  const wishes = names.flatMap((name) => watch.wishOf(name) ?? []);
  const ours = cloud.securityGroups.filter(({ name }) => name.startsWith('lb-sg-')).map(({ id }) => id);
  const opening = cloud.securityGroupRules.filter((rule) => rule['direction'] === 'ingress');
  const used = [
    ...cloud.ports.flatMap((port) => port.security_groups),
    ...opening.map((rule) => rule.security_group_id),
  ].filter((id) => ours.includes(id));
  const nodes = kube.list('Node').map(({ status }) => addressIn(status));
  const most = schedule.besides === 'shared' ? 1 : Infinity;
  const groups = schedule.manageSecurityGroups ? wishes.length : 0;
  const ports = wishes.flatMap((wish) => wish.ports);
  const listeners = wishes.flatMap((wish) =>
    wish.ports.map((port) => `${port} ${JSON.stringify(rangesOf(wish.ranges))}`),
  );
  const members = ports.flatMap((port) => nodes.map((address) => `${port} ${address}:${nodePortOf(port)}`));
  const open = cloud.listeners.map((one) => `${one.protocol_port} ${JSON.stringify(one['allowed_cidrs'])}`);
  const balancers = Math.min(most, wishes.length);
  const addresses = Math.min(most, wishes.filter(({ internal }) => !internal).length);
  const rows: readonly (readonly [what: string, is: unknown, isTo: unknown])[] = [
    ['load balancers', cloud.loadbalancers.length, balancers],
    ['listeners', open.sort(), listeners.sort()],
    ['pools', cloud.pools.length, ports.length],
    ['members', cloud.listeners.flatMap((listener) => membersOf(listener, inside)).sort(), members.sort()],
    ['vips', cloud.ports.filter((one) => one.device_owner === 'Octavia').length, balancers],
    ['floating IPs', cloud.floatingips.length, addresses],
    ['groups', cloud.securityGroups.filter(({ tags }) => tags.length > 0).length, groups],
    // one whose process was killed before it was tagged, for a Service that was gone then, stays empty and unused
    ['groups in use', new Set(used).size, groups],
    ...names.map((name) => [name, ...serviceOfWish(name, watch.wishOf(name), inside)] as const),
  ];
  return rows.flatMap(([what, found, wanted]) => {
    const [is, isTo] = [JSON.stringify(found), JSON.stringify(wanted)];
    return is === isTo ? [] : `in the end ${what} is ${is}, and not ${isTo}`;
  });
}

const addressIn = (status: unknown): string =>
  (status as Node['status'])?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '';

const rangesOf = (ranges: readonly string[]): readonly string[] | null =>
  ranges.length === 0 ? null : ranges.toSorted();

type Listener = SandboxInside['cloud']['listeners'][number];

const membersOf = ({ protocol_port: port, default_pool_id: pool }: Listener, { cloud }: SandboxInside) =>
  cloud.members
    .filter(({ pool_id }) => pool_id === pool)
    .map((member) => `${port} ${member.address}:${member.protocol_port}`);

/** The condition of a Service and the addresses that it names, as they are and as they are to be; of one without a wish its type. */
function serviceOfWish(name: ServiceName, wish: Wish | undefined, { cloud, kube }: SandboxInside) {
  if (!wish) return [serviceOf({ kube }, name)?.spec.type ?? 'ClusterIP', 'ClusterIP'] as const;
  const listener = cloud.listeners.find(({ protocol_port: port }) => wish.ports.includes(port));
  const lb = cloud.loadbalancers.byId(listener?.loadbalancer_id);
  const ips = cloud.floatingips.filter(({ port_id: port }) => port !== null && port === lb?.vip_port_id);
  const addresses = wish.internal ? [lb?.vip_address] : ips.map((ip) => ip.floating_ip_address);
  const is = { ready: readyOf({ kube }, name)?.status, published: [addressOf({ kube }, name)] };
  return [is, { ready: 'True', published: addresses }] as const;
}
