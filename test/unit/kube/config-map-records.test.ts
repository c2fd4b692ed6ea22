import { expect, test } from 'vitest';
import { sandboxKube } from './sandbox-kube.ts';

const [ONE, TWO] = [
  { id: 'uid-one', at: 1_000 },
  { id: 'uid-two', at: 2_000 },
];
const ROUTER = '54d3ba2c-2f27-4701-9154-23afcc682dd3';
const OTHER = '64d3ba2c-2f27-4701-9154-23afcc682dd3';
const route = (at: number) => ({
  ...{ destination: `10.244.${at}.0/24`, nexthop: `10.0.0.${at}` },
  port: `bbbbbbbb-0000-4000-8000-00000000000${at}`,
});

test.each([
  ['made', []],
  ['changed', [ONE]],
])('the record of deletions is not saved over what somebody else has %s since', async (_what, before) => {
  const { connect } = await sandboxKube();
  const [a, b] = [connect().deletions.nodes, connect().deletions.nodes];
  if (before.length > 0) await a.save(before, await a.load());
  const [seen, stale] = [await a.load(), await b.load()];
  expect(await a.save([...before, TWO], seen)).toBe(true);
  expect(await b.save([], stale)).toBe(false);
  expect((await b.load()).deletions).toEqual([...before, TWO]);
});

test('the record of routes is read by another process as it was saved, router by router', async () => {
  const { connect } = await sandboxKube();
  const { routes } = connect();
  const loaded = await routes.load();
  await routes.save(new Map([[ROUTER, [route(1)]]]), loaded);
  await routes.save(new Map([[OTHER, [route(2)]]]), loaded);
  await routes.save(new Map([[ROUTER, [route(1), route(3)]]]), loaded);
  const both = { [ROUTER]: [route(1), route(3)], [OTHER]: [route(2)] };
  expect(Object.fromEntries(await connect().routes.load())).toEqual(both);
  await routes.save(new Map([[OTHER, []]]), loaded);
  expect([...(await connect().routes.load()).keys()]).toEqual([ROUTER]);
});

test.each([
  ['made', undefined],
  ['changed', [route(1)]],
])('the record of routes is not saved over what somebody else has %s since', async (_what, before) => {
  const { connect } = await sandboxKube();
  const [one, other] = [connect(), connect()];
  if (before) await one.routes.save(new Map([[ROUTER, before]]), await one.routes.load());
  const [ours, theirs] = await Promise.all([one.routes.load(), other.routes.load()]);
  await one.routes.save(new Map([[ROUTER, [route(1), route(2)]]]), ours);
  // another run of the same process has read it; this one has not
  await other.routes.load();
  const save = other.routes.save(new Map([[ROUTER, []]]), theirs);
  await expect(save).rejects.toMatchObject({ code: 'KUBE_CONFLICT' });
  expect((await other.routes.load()).get(ROUTER)).toHaveLength(2);
});

test.each([
  ['levelset-deletions', ['', 'no JSON', '{}', '[null]', '[{"id": "a"}]', '[{"id": "a", "at": "1"}]']],
  ['levelset-routes', ['no JSON', '{}', '[null]', '[{"destination": "10.244.1.0/24"}]']],
])('the record %s is refused, and not taken for empty, where it cannot be read', async (name, texts) => {
  const { connect, sandbox } = await sandboxKube();
  const { routes, deletions } = connect();
  for (const text of texts) {
    const data = name.endsWith('routes') ? { [ROUTER]: text } : { nodes: text };
    sandbox.kube.apply({ kind: 'ConfigMap', metadata: { name, namespace: 'levelset' }, data });
    const load = name.endsWith('routes') ? routes.load() : deletions.nodes.load();
    await expect(load, text).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  }
});

test('the project of the load balancers gets a region, and is replaced by no other project or region', async () => {
  const { connect } = await sandboxKube();
  const { place } = connect();
  const after = async (saved: Parameters<typeof place.save>[0]): Promise<unknown> => {
    await place.save(saved);
    return connect().place.load();
  };
  expect(await after({ project_id: 'one' })).toEqual({ project_id: 'one' });
  expect(await after({ project_id: 'two' })).toEqual({ project_id: 'one' });
  expect(await after({ project_id: 'one', region: 'west' })).toEqual({ project_id: 'one', region: 'west' });
  expect(await after({ project_id: 'one', region: 'east' })).toEqual({ project_id: 'one', region: 'west' });
});
