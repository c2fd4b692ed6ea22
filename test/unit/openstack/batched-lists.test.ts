import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countdown } from '../../../shared/deadline.ts';
import type { WireResource } from '../../../shared/model/resources.ts';
import { batchLists } from '../../../shared/openstack/batched-lists.ts';
import type { Cloud, Query } from '../../../shared/ports.ts';
import { NO_RUN, type RunContext } from '../../../shared/run-context.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Cloudy {
  readonly list: Cloud['list'];
  /** The same in the time of a run. */
  readonly during: (run: RunContext) => Cloud['list'];
  readonly asked: Query[];
  readonly there: WireResource[];
  /** What happens to a list on its way. */
  answer: (query: Query) => Promise<void>;
}

/** Floating IPs as Neutron lists them: by one value or several of a filter. */
function aCloud(pause: (ms: number) => Promise<void> = sleep): Cloudy {
  const it: { -readonly [K in keyof Cloudy]: Cloudy[K] } = {
    list: () => Promise.resolve([]),
    during: () => it.list,
    asked: [],
    there: [],
    answer: () => sleep(5),
  };
  const time = { pause, now: () => performance.now() };
  const list: Cloud['list'] = async (_kind, query = {}) => {
    it.asked.push(query);
    const found = it.there.filter((wire) =>
      Object.entries(query).every(([name, value]) => {
        if (name !== 'tags' && name !== 'tags-any') return [value].flat().includes(wire[name] as string);
        const wanted = String(value).split(',');
        return (wire['tags'] as string[]).some((tag) => wanted.includes(tag));
      }),
    );
    await it.answer(query);
    return found;
  };
  const batch = batchLists(time);
  it.during = (run) => batch(list, run);
  it.list = it.during(NO_RUN);
  return it;
}

const ip = (id: string): WireResource => ({
  id,
  port_id: `port of ${id}`,
  tags: [`a tag of ${id}`, 'shared'],
});
const byPort = (id: string): Query => ({ port_id: `port of ${id}` });
const idsOf = (found: readonly WireResource[]): string[] => found.map(({ id }) => id);

test('who asks while a list is on its way goes together with the others in the next one; who is alone waits for nothing', async () => {
  const { list, asked, there } = aCloud();
  there.push(...['a', 'b', 'c', 'd'].map(ip));
  const found = await Promise.all(['a', 'b', 'c', 'missing'].map((id) => list('floatingip', byPort(id))));
  expect(found.map(idsOf)).toEqual([['a'], ['b'], ['c'], []]);
  expect(asked).toEqual([byPort('a'), { port_id: ['port of b', 'port of c', 'port of missing'] }]);
  expect(idsOf(await list('floatingip', { tags: 'shared' }))).toEqual(['a', 'b', 'c', 'd']);
  expect(asked.at(-1)).toEqual({ tags: 'shared' });
});

test('each answer is of a list that began after the question', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(12), { minLength: 2, maxLength: 12 }), async (times) => {
      const { list, asked, there } = aCloud();
      const asking = times.map(async (atMs, index) => {
        await sleep(atMs);
        const id = String(index);
        there.push(ip(id)); // somebody made it just before
        const [port, tags] = await Promise.all([
          list('floatingip', byPort(id)),
          list('loadbalancer', { 'tags-any': `a tag of ${id},nobody` }),
        ]);
        expect([idsOf(port), idsOf(tags)]).toEqual([[id], [id]]);
      });
      await Promise.all(asking);
      expect(asked.length).toBeLessThanOrEqual(2 * times.length);
    }),
    { numRuns: 20 },
  );
});

test('a list of several that is refused is asked for by each alone', async () => {
  const it = aCloud();
  it.there.push(...['a', 'b'].map(ip));
  it.answer = async (query) => {
    await sleep(1);
    if ([query['port_id']].flat().includes('port of bad')) throw new Error('400');
  };

  const found = await Promise.allSettled(['a', 'b', 'bad'].map((id) => it.list('floatingip', byPort(id))));

  expect(found.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});

test('a list that hangs ends with the run that began it, and holds up the others for a second', async () => {
  const it = aCloud();
  it.there.push(...['a', 'b'].map(ip));
  it.answer = () => (it.asked.length === 1 ? sleep(60_000) : sleep(1));
  const inTime = (limitMs: number, id: string) =>
    it.during({ ...NO_RUN, remainingMs: countdown(limitMs) })('floatingip', byPort(id));
  const began = performance.now();

  const [first, second] = await Promise.allSettled([inTime(300, 'a'), inTime(5_000, 'b')]);

  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'BUDGET_SPENT' } });
  expect(second).toMatchObject({ status: 'fulfilled', value: [{ id: 'b' }] });
  expect(performance.now() - began).toBeLessThan(3_000);
});

test('a list of several that hangs costs each of them its patience, not its time: then each asks for itself', async () => {
  const cloud = aCloud();
  cloud.there.push(...['a', 'b', 'c'].map(ip));
  cloud.answer = async ({ port_id: port }) => {
    if (Array.isArray(port)) await new Promise<void>(() => undefined);
    else await sleep(5);
  };
  const list = cloud.during({ ...NO_RUN, remainingMs: countdown(1_000) });
  const found = await Promise.all(['a', 'b', 'c'].map((id) => list('floatingip', byPort(id))));
  expect(found.map(idsOf)).toEqual([['a'], ['b'], ['c']]);
});
