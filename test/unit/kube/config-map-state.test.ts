import { expect, it } from 'vitest';
import { sandboxKube } from './sandbox-kube.ts';

const settled = { hash: 'abc', updated_at: '2026-11-21T10:00:00' as string | null };
const fresh: typeof settled = { hash: 'def', updated_at: null };

it('a state is stored once more after a list that was older than its removal', async () => {
  const { connect, sandbox } = await sandboxKube();
  const { state } = connect();
  await state.save(new Map([['web', settled]]));
  const answered = Promise.withResolvers<undefined>();
  const isRead = Promise.withResolvers<undefined>();
  const after = (): Promise<undefined> => {
    isRead.resolve(undefined);
    return answered.promise;
  };
  sandbox.fault({ match: { side: 'kube', method: 'GET', path: /configmaps\?/ }, kind: 'call', after });
  const loading = state.load();
  await isRead.promise;
  await state.save(new Map([['web', undefined]]));
  answered.resolve(undefined);
  await loading;
  await state.save(new Map([['web', settled]]));
  expect(await state.find('web')).toEqual(settled);
});

it('a state that cannot be read is left out, and written over', async () => {
  const { connect, sandbox, warnings } = await sandboxKube();
  const texts = {
    'web-0': '{"hash": 1, "updated_at": null}',
    'web-1': 'no JSON',
    'web-2': '{"hash": "a", "updated_at": null, "rejected": 1}',
  };
  const { state } = connect();
  await state.save(new Map(Object.keys(texts).map((name) => [name, settled])));
  for (const { metadata, data } of sandbox.kube.list('ConfigMap', 'levelset')) {
    const own = Object.entries(texts).filter(([name]) => name in (data as object));
    const spoiled = { ...Object.fromEntries(own), 'of-another-shard': JSON.stringify(settled) };
    const place = { name: metadata.name, namespace: 'levelset' };
    sandbox.kube.apply({ kind: 'ConfigMap', metadata: place, data: spoiled });
  }
  expect(await state.load()).toEqual(new Map());
  expect(warnings).toHaveLength(5);
  const both = new Map([
    ['web-0', settled],
    ['web-1', fresh],
  ]);
  await state.save(both);
  expect(await state.load()).toEqual(both);
});

it('of two processes that make the ConfigMaps at the same time each has its states in them', async () => {
  const { connect } = await sandboxKube();
  const all = Array.from({ length: 60 }, (_, at) => [`unit-${at}`, settled] as const);
  const [a, b] = [connect(), connect()];
  await Promise.all([a.state.save(new Map(all.slice(0, 30))), b.state.save(new Map(all.slice(30)))]);
  expect(await a.state.load()).toEqual(new Map(all));
});

it('the state of an object is found whatever it is called, under a key that Kubernetes takes', async () => {
  const { connect, sandbox } = await sandboxKube();
  const names = ['service/default/web', 'node/a.b-c', 'under_score_2f', 'ü/漢'];
  await connect().state.save(new Map(names.map((name) => [name, fresh])));
  expect([...(await connect().state.load()).keys()].sort()).toEqual(names.sort());
  const keys = sandbox.kube.list('ConfigMap', 'levelset').flatMap(({ data }) => Object.keys(data as object));
  expect(keys.filter((key) => !/^[-._a-zA-Z0-9]+$/.test(key))).toEqual([]);
});
