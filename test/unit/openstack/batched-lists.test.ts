import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countdown, NO_RUN, type RunContext } from '../../../shared/deadline.ts';
import type { WireResource } from '../../../shared/model/resources.ts';
import { batchLists } from '../../../shared/openstack/lists.ts';
import type { Cloud, Query } from '../../../shared/ports.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const ip = (id: string): WireResource => ({
  id,
  port_id: `port of ${id}`,
  tags: [`a tag of ${id}`, 'shared'],
});

/** Floating IPs as Neutron lists them, by one value or several of a filter; `answered` is what happens to a list on its way. */
function aCloud(
  ids: readonly string[],
  answered: (query: Query, nth: number) => Promise<unknown> = () => sleep(5),
) {
  const asked: Query[] = [];
  const there = ids.map(ip);
  const list: Cloud['list'] = async (_kind, query = {}) => {
    const found = there.filter((wire) =>
      Object.entries(query).every(([name, value]) => {
        if (name !== 'tags' && name !== 'tags-any') return [value].flat().includes(wire[name] as string);
        const wanted = String(value).split(',');
        return (wire['tags'] as string[]).some((tag) => wanted.includes(tag));
      }),
    );
    await answered(query, asked.push(query));
    return found;
  };
  const batch = batchLists({ pause: sleep, now: () => performance.now() });
  const during = (run: RunContext): Cloud['list'] => batch(list, run);
  return { list: during(NO_RUN), during, asked, there };
}

const byPort = (id: string): Query => ({ port_id: `port of ${id}` });
const idsOf = (found: readonly WireResource[]): string[] => found.map(({ id }) => id);

test('who asks while a list is on its way goes together with the others in the next one; who is alone waits for nothing', async () => {
  const { list, asked } = aCloud(['a', 'b', 'c', 'd']);
  const found = await Promise.all(['a', 'b', 'c', 'missing'].map((id) => list('floatingip', byPort(id))));
  expect(found.map(idsOf)).toEqual([['a'], ['b'], ['c'], []]);
  expect(asked).toEqual([byPort('a'), { port_id: ['port of b', 'port of c', 'port of missing'] }]);
  expect(idsOf(await list('floatingip', { tags: 'shared' }))).toEqual(['a', 'b', 'c', 'd']);
  expect(asked.at(-1)).toEqual({ tags: 'shared' });
});

test('each answer is of a list that began after the question', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(12), { minLength: 2, maxLength: 12 }), async (times) => {
      const { list, asked, there } = aCloud([]);
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
  const { list } = aCloud(['a', 'b'], async (query) => {
    await sleep(1);
    if ([query['port_id']].flat().includes('port of bad')) throw new Error('400');
  });
  const found = await Promise.allSettled(['a', 'b', 'bad'].map((id) => list('floatingip', byPort(id))));
  expect(found.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});

test('a list that hangs ends with the run that began it, and holds up the others for a second', async () => {
  const { during } = aCloud(['a', 'b'], (_query, nth) => sleep(nth === 1 ? 60_000 : 1));
  const inTime = (limitMs: number, id: string) =>
    during({ ...NO_RUN, remainingMs: countdown(limitMs) })('floatingip', byPort(id));
  const began = performance.now();
  const [first, second] = await Promise.allSettled([inTime(300, 'a'), inTime(5_000, 'b')]);
  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'BUDGET_SPENT' } });
  expect(second).toMatchObject({ status: 'fulfilled', value: [{ id: 'b' }] });
  expect(performance.now() - began).toBeLessThan(3_000);
});

test('a list of several that hangs costs each of them its patience, not its time: then each asks for itself', async () => {
  const { during } = aCloud(['a', 'b', 'c'], ({ port_id: port }) => sleep(Array.isArray(port) ? 60_000 : 5));
  const list = during({ ...NO_RUN, remainingMs: countdown(1_000) });
  const found = await Promise.all(['a', 'b', 'c'].map((id) => list('floatingip', byPort(id))));
  expect(found.map(idsOf)).toEqual([['a'], ['b'], ['c']]);
});
