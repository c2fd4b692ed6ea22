import { describe, expect, test } from 'vitest';
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

describe.each([
  ['made', false],
  ['changed', true],
])('what somebody else has %s since', (_what, isThere) => {
  test('in the record of deletions is not saved over', async () => {
    const { connect } = await sandboxKube();
    const [a, b] = [connect().deletions.nodes, connect().deletions.nodes];
    const before = isThere ? [ONE] : [];
    if (isThere) await a.save(before, await a.load());
    const [seen, stale] = [await a.load(), await b.load()];
    expect(await a.save([...before, TWO], seen)).toBe(true);
    expect(await b.save([], stale)).toBe(false);
    expect((await b.load()).deletions).toEqual([...before, TWO]);
  });

  test('in the record of routes is not saved over, though another run has read it', async () => {
    const { connect } = await sandboxKube();
    const [one, other] = [connect().routes, connect().routes];
    if (isThere) await one.save(new Map([[ROUTER, [route(1)]]]), await one.load());
    const [ours, theirs] = [await one.load(), await other.load()];
    await one.save(new Map([[ROUTER, [route(1), route(2)]]]), ours);
    await other.load();
    const save = other.save(new Map([[ROUTER, []]]), theirs);
    await expect(save).rejects.toMatchObject({ code: 'KUBE_CONFLICT' });
    expect((await other.load()).get(ROUTER)).toHaveLength(2);
  });
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
  for (const project_id of ['one', 'two']) await place.save({ project_id });
  expect(await connect().place.load()).toEqual({ project_id: 'one' });
  for (const region of ['west', 'east']) await place.save({ project_id: 'one', region });
  expect(await connect().place.load()).toEqual({ project_id: 'one', region: 'west' });
});
