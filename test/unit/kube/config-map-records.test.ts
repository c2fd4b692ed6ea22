import { describe, expect, test } from 'vitest';
import { sandboxKube } from './sandbox-kube.ts';

const [ONE, TWO] = [
  { id: 'uid-one', at: 1_000 },
  { id: 'uid-two', at: 2_000 },
];
const metadata = { name: 'levelset-deletions', namespace: 'levelset' };

describe('the record of deletions', () => {
  test.each([
    ['made', []],
    ['changed', [ONE]],
  ])('is not saved over what somebody else has %s since', async (_what, before) => {
    const { connect } = await sandboxKube();
    const [a, b] = [(await connect()).deletions.nodes, (await connect()).deletions.nodes];
    if (before.length > 0) await a.save(before, await a.load());
    const [seen, stale] = [await a.load(), await b.load()];
    expect(await a.save([...before, TWO], seen)).toBe(true);
    expect(await b.save([], stale)).toBe(false);
    expect((await b.load()).deletions).toEqual([...before, TWO]);
  });

  // prettier-ignore
  test.each(['', 'no JSON', '{}', '[null]', '[{"id": "a"}]', '[{"at": 1}]', '[{"id": "a", "at": "1"}]', '[1]'])('that says %j keeps every Node', async (text) => {
    const { connect, sandbox } = await sandboxKube();
    sandbox.kube.apply({ kind: 'ConfigMap', metadata, data: { nodes: text } });
    const deletions = (await connect()).deletions.nodes;
    await expect(deletions.load()).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  });
});

const ROUTER = '54d3ba2c-2f27-4701-9154-23afcc682dd3';
const OTHER = '64d3ba2c-2f27-4701-9154-23afcc682dd3';
const route = (at: number) => ({
  ...{ destination: `10.244.${at}.0/24`, nexthop: `10.0.0.${at}` },
  port: `bbbbbbbb-0000-4000-8000-00000000000${at}`,
});

describe('the record of routes', () => {
  test('is read by another process as it was saved, router by router, with one call each', async () => {
    const { connect, asked } = await sandboxKube();
    const { routes } = await connect();
    const loaded = await routes.load();
    expect(loaded).toEqual(new Map());
    await routes.save(new Map([[ROUTER, [route(1)]]]), loaded);
    await routes.save(new Map([[OTHER, [route(2)]]]), loaded);
    await routes.save(new Map([[ROUTER, [route(1), route(3)]]]), loaded);
    expect(asked()).toEqual(['GET 404', 'POST 201', 'PATCH 200', 'PATCH 200']);
    const both = new Map([
      [ROUTER, [route(1), route(3)]],
      [OTHER, [route(2)]],
    ]);
    expect(await (await connect()).routes.load()).toEqual(both);
    await routes.save(new Map([[OTHER, []]]), loaded);
    expect(await (await connect()).routes.load()).toEqual(new Map([[ROUTER, both.get(ROUTER)]]));
  });

  test.each([
    ['made', undefined],
    ['changed', [route(1)]],
  ])('is not saved over what somebody else has %s since', async (_what, before) => {
    const { connect } = await sandboxKube();
    const [one, other] = [await connect(), await connect()];
    if (before) await one.routes.save(new Map([[ROUTER, before]]), await one.routes.load());
    const [ours, theirs] = await Promise.all([one.routes.load(), other.routes.load()]);
    await one.routes.save(new Map([[ROUTER, [route(1), route(2)]]]), ours);
    // another run of the same process has read it; this one has not
    await other.routes.load();
    const save = other.routes.save(new Map([[ROUTER, []]]), theirs);
    await expect(save).rejects.toMatchObject({ code: 'KUBE_CONFLICT' });
    expect((await other.routes.load()).get(ROUTER)).toHaveLength(2);
  });

  test.each(['no JSON', '{}', '[{"destination": "10.244.1.0/24"}]', '[null]'])(
    'that says %s is refused, and not replaced by another',
    async (text) => {
      const { connect, sandbox } = await sandboxKube();
      const metadata = { name: 'levelset-routes', namespace: 'levelset' };
      sandbox.kube.apply({ kind: 'ConfigMap', metadata, data: { [ROUTER]: text } });
      const { routes } = await connect();
      await expect(routes.load()).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    },
  );
});

test('the project of the load balancers gets a region, and is replaced by no other project or region', async () => {
  const { connect } = await sandboxKube();
  const { place } = await connect();
  const after = async (saved: Parameters<typeof place.save>[0]): Promise<unknown> => {
    await place.save(saved);
    return (await connect()).place.load();
  };
  expect(await after({ project_id: 'one' })).toEqual({ project_id: 'one' });
  expect(await after({ project_id: 'two' })).toEqual({ project_id: 'one' });
  expect(await after({ project_id: 'one', region: 'west' })).toEqual({ project_id: 'one', region: 'west' });
  expect(await after({ project_id: 'one', region: 'east' })).toEqual({ project_id: 'one', region: 'west' });
});
