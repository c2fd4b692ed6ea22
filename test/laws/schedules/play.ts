/** Plays a schedule against a world of its own, and says which rules it broke. */
import { aConfig } from '../../support/config.ts';
import { AUTH_URL } from '../../support/in-process.ts';
import { inVirtualTime } from '../../support/virtual-time.ts';
import { left } from './left.ts';
import { Machine, type Surroundings } from './machine.ts';
import { namesOf, Person } from './person.ts';
import { NAMES, type Edit, type Schedule } from './schedule.ts';
import { Watch } from './watch.ts';
import type { ReadDetails } from './work.ts';

/** From a person's edit to the event at a process. */
const EVENT_MS = 60;
/** So long whatever began may take to come to rest. */
const REST_S = 600;

export interface Played {
  readonly faults: readonly string[];
  /** What happened, line by line. */
  readonly story: readonly string[];
}

export async function play(schedule: Schedule): Promise<Played> {
  const { octaviaMs: pendingMs, tokenMs: tokenTtlMs, manageSecurityGroups, machines: plans } = schedule;
  const inside = inVirtualTime({ nodes: 1, pendingMs, tokenTtlMs });
  const { clock } = inside;
  const startMs = clock.millis();
  const story: string[] = [];
  const tell = (line: string): void => {
    story.push(`${((clock.millis() - startMs) / 1_000).toFixed(2).padStart(7)}  ${line}`);
  };
  const watch = new Watch(inside);
  const base = aConfig(AUTH_URL, { manageSecurityGroups });
  const config = {
    ...base,
    deletionPercent: 100,
    openstack: { ...base.openstack, requestTimeoutMs: 60_000 },
  };
  const its: Surroundings = { inside, config, watch, tell };
  const machines = plans.map((plan, at) => new Machine(NAMES[at] ?? 'A', plan, its));
  const [first, ...others] = machines;
  const person = new Person(inside, watch, schedule);
  const edit = (one: Edit): void => {
    tell(`a person: ${JSON.stringify({ ...one, afterMs: undefined })}`);
    person.edit(one);
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
  const lastMs = Math.max(
    0,
    ...plans.flatMap(({ troubles }) => troubles.map(({ at }) => (typeof at === 'number' ? at : 0))),
  );
  await Promise.all([...events, clock.pause(lastMs + 1)]);
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
  machines.find(({ process }) => process?.leads);

/** Waits until no trouble goes on and whoever leads has nothing to do. Where no process is left, one starts. False: that takes too long. */
async function rest(machines: readonly Machine[], { inside: { clock } }: Surroundings): Promise<boolean> {
  for (let waitedS = 0; waitedS < REST_S; waitedS += 1) {
    await clock.pause(1_000);
    if (machines.every(({ process, isCalm }) => isCalm && !process)) machines[0]?.start();
    const isIdle = machines.some(({ process }) => process?.isIdle);
    if (isIdle && machines.every(({ isCalm }) => isCalm)) return true;
  }
  return false;
}
