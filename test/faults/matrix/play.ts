/** Plays a story with one call gone wrong, and says what is wrong in the end. */
import type { RecordedRequest } from '../../../infra/sandbox/front.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import { untouchable } from '../../support/clusters/untouchable.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, cloudTransport } from '../../support/in-process.ts';
import { callsOutside } from '../../rights/calls-outside.ts';
import { keyOfPair } from '../../support/tls-secret.ts';
import { inVirtualTime } from '../../support/virtual-time.ts';
import { PASSWORD, ruleOf, type Fault } from './faults.ts';
import { startProcess, type Inside, type Process, type Surroundings } from './process.ts';
import { STORIES, type Story, type StoryName } from './stories.ts';
import { rowsById, wholeWorld } from './whole-world.ts';

/** An outgoing call: the n-th of its sort in the story. */
export interface Target extends Pick<RecordedRequest, 'side' | 'service' | 'method'> {
  readonly path: string;
  readonly nth: number;
}

export interface Combination {
  readonly story: StoryName;
  readonly target: Target;
  readonly fault: Fault;
  readonly lasts: 'once' | 'for ever';
  readonly process: 'killed' | 'lives';
}

/** kill -9 before a write has its effect, and after it. */
export const isKill = ({ target, fault, lasts, process }: Omit<Combination, 'story'>): boolean =>
  isWrite(target) && process === 'killed' && lasts === 'once' && ['refused', 'answer lost'].includes(fault);

export const isWrite = ({ method, service }: Target): boolean => method !== 'GET' && service !== 'keystone';

export interface Ending {
  readonly calls: readonly Target[];
  readonly world: readonly string[];
  /** What was there before and is as it was. */
  readonly untouched: ReadonlyMap<string, string>;
  readonly fired: boolean;
  readonly wrong: readonly string[];
}

/** Longer than any pause that levelset makes by itself: the sweeps of `serve` are so far apart. */
const BETWEEN_SWEEPS_MS = 301_000;
const MOST_SWEEPS = 2;
/** Runs of one key in a row: enough to end, and with a fault that lasts no more than the queue's first ones. */
const ENOUGH_RUNS = 15;
const FEW_RUNS = 3;

/** The story without a fault, or with one, which then has to end as one of these without. */
export async function play(
  name: StoryName,
  combination?: Omit<Combination, 'story'>,
  wholes: readonly Ending[] = [],
): Promise<Ending> {
  const story: Story = STORIES[name];
  const its = surroundings(story);
  const { inside } = its;
  const first = await begin(story, its);
  const before = rowsById(inside);
  const from = inside.requests.length;

  story.act(inside);
  const seen = new Set<string>();
  if (combination)
    its.watch = () => {
      for (const one of story.watch?.(inside) ?? []) seen.add(one);
    };
  const live = { process: first, fired: false };
  const clear = combination && fault(inside, combination, live);
  const most = combination?.lasts === 'for ever' ? FEW_RUNS : ENOUGH_RUNS;
  // what events wake, then a sweep; whoever takes over from a process that died begins with a sweep
  for (const key of story.wakes)
    if (!live.process.isDead()) await live.process.run({ key, trigger: 'audit' }, most);
  await sweepOnce(live, its, most);
  const calls = combination ? [] : targetsIn(inside.requests.slice(from));
  clear?.();

  let sweeps = 0;
  for (let isRight = false; !isRight && sweeps < MOST_SWEEPS;) {
    sweeps += 1;
    await sweepOnce(live, its);
    const world = wholeWorld(inside);
    isRight = wholes.some((whole) => differences(world, whole.world).length === 0);
  }
  const world = wholeWorld(inside);
  const after = rowsById(inside);
  const untouched = new Map([...before].filter(([id, row]) => after.get(id) === row));
  const versions = wholes.map((whole) => [
    ...differences(world, whole.world),
    ...[...whole.untouched].flatMap(([id, row]) =>
      after.get(id) === row ? [] : [`needed no change: ${row} is ${after.get(id) ?? 'gone'}`],
    ),
  ]);
  const [nearest = []] = versions.sort((a, b) => a.length - b.length);
  let left = await sweepOnce(live, its);
  // what changed a moment ago has no settled record yet
  for (let more = sweeps; left !== 0 && more < MOST_SWEEPS; more += 1) left = await sweepOnce(live, its);
  const wrong = [
    ...[...nearest, ...leaks(its), ...seen],
    ...callsOutside(inside.requests).map((call) => `no row of infra/openstack/rights.ts has ${call}`),
    ...(left === 0 ? [] : [`in the end a sweep finds ${left ?? 'nothing out, and fails'}, and not 0 keys`]),
  ];
  return { calls, world, untouched, fired: live.fired, wrong };
}

interface Live {
  process: Process;
  fired: boolean;
}

function surroundings({ octavia, config, gc }: Story): Surroundings {
  const inside: Inside = inVirtualTime({ nodes: 2, pendingMs: 300, ...(octavia && { octavia }) });
  inside.keystone.changePassword('demo', PASSWORD);
  const base = aConfig(AUTH_URL, { manageSecurityGroups: true, maxSharedLb: 4 });
  const own = base.openstack.credentials;
  const credentials = { ...own, password: PASSWORD } as typeof own;
  const openstack = { ...base.openstack, credentials };
  return {
    inside,
    config: { ...base, deletionPercent: 100, openstack, ...config?.(inside) },
    ...{ told: [], tokens: new Set(), gc },
  };
}

/** The world before the story, settled; the process that settled it. */
async function begin({ found, before = [] }: Story, its: Surroundings): Promise<Process> {
  const { inside, config } = its;
  const { cloud } = connectCloud(config.openstack, { transport: cloudTransport(inside) });
  const process = startProcess(its);
  await untouchable({ inside, world: { ...process.world, cloud } });
  await found?.(inside, cloud);
  inside.clock.advance(1_000);
  for (const step of [...before, () => undefined]) {
    step(inside);
    if (!found) await process.sweep(ENOUGH_RUNS);
    inside.clock.advance(BETWEEN_SWEEPS_MS);
  }
  await cloud.list('loadbalancer', {});
  return process;
}

async function sweepOnce(live: Live, its: Surroundings, most = ENOUGH_RUNS): Promise<number | undefined> {
  its.inside.clock.advance(BETWEEN_SWEEPS_MS);
  if (live.process.isDead()) live.process = startProcess(its);
  const left = await live.process.sweep(most);
  if (its.gc !== undefined && !live.process.isDead()) await live.process.gc(its.gc);
  return left;
}

/** Makes the call go wrong; what is returned makes it well. */
function fault(inside: Inside, combination: Omit<Combination, 'story'>, live: Live): () => void {
  const { target, fault: kind, lasts, process } = combination;
  const { side, method, service, path, nth } = target;
  let seen = 0;
  const test = (asked: string): boolean => {
    if (shapeOf(asked) !== path) return false;
    seen += 1;
    if (seen === nth) {
      live.fired = true;
      if (process === 'killed') live.process.die();
    }
    return true;
  };
  const times = lasts === 'once' ? 1 : Infinity;
  return inside.fault({ match: { side, method, path: { test }, nth }, times, ...ruleOf(kind, service) });
}

/** A path and its query without ids and values. */
function shapeOf(target: string): string {
  const [path = '', search = ''] = target
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/[0-9a-f]{32}/g, 'ID')
    .split('?', 2);
  const names = [...new Set([...new URLSearchParams(search).keys()])].sort();
  return names.length === 0 ? path : `${path}?${names.join('&')}`;
}

/** Each write, and of reads of one sort the first three. */
function targetsIn(requests: readonly RecordedRequest[]): readonly Target[] {
  const seen = new Map<string, number>();
  return requests.flatMap(({ side, service, method, path: asked, write }) => {
    const path = shapeOf(asked);
    const nth = (seen.get(`${method} ${path}`) ?? 0) + 1;
    seen.set(`${method} ${path}`, nth);
    return write || nth <= 3 ? [{ side, service, method, path, nth }] : [];
  });
}

function differences(found: readonly string[], wanted: readonly string[]): readonly string[] {
  const [has, wants] = [found, wanted].map((lines) => Map.groupBy(lines, (line) => line));
  const more = (some: typeof has, others: typeof has): readonly string[] =>
    [...(some ?? [])].flatMap(([line, its]) => (its.length > (others?.get(line)?.length ?? 0) ? [line] : []));
  return [
    ...more(has, wants).map((line) => `too much: ${line}`),
    ...more(wants, has).map((line) => `missing: ${line}`),
  ];
}

/** Secrets in what people get to read. */
function leaks({ inside: { kube, kubeToken }, told, tokens }: Surroundings): readonly string[] {
  const key = keyOfPair('one').split('\n')[1] ?? '';
  const secrets = { 'the password': PASSWORD, 'the token of Kubernetes': kubeToken, 'the private key': key };
  const kinds = ['Event', 'Service', 'Node', 'ConfigMap', 'Lease'];
  const text = [...told, ...kinds.map((kind) => JSON.stringify(kube.list(kind)))].join('\n');
  return [
    ...Object.entries(secrets),
    ...[...tokens].map((token) => ['a token of Keystone', token] as const),
  ].flatMap(([what, secret]) => (text.includes(secret) ? [`${what} is told`] : []));
}
