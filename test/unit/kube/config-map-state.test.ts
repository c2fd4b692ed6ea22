import { expect, it } from 'vitest';
import { fromDataKey, shardOf, toDataKey } from '../../../shared/kube/state/config-map-state.ts';
import type { ServiceState } from '../../../shared/model/service-object.ts';
import { sandboxKube } from './sandbox-kube.ts';

const settled: ServiceState = { hash: 'abc', updated_at: '2026-11-21T10:00:00' };
const fresh: ServiceState = { hash: 'def', updated_at: null };

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
  const labels = { 'levelset.openstack.org/state': 'watermarks' };
  const texts = [
    '{"hash": 1, "updated_at": null}',
    'no JSON',
    '{"hash": "a", "updated_at": null, "rejected": 1}',
  ];
  for (const [at, text] of texts.entries()) {
    const metadata = { name: shardOf(`web-${at}`), namespace: 'levelset', labels };
    sandbox.kube.apply({
      kind: 'ConfigMap',
      metadata,
      data: { [`web-${at}`]: text, [`api-${at}`]: 'of no shard' },
    });
  }
  const { state } = connect();
  expect(await state.load()).toEqual(new Map());
  expect(warnings).toHaveLength(6);
  const both = new Map([
    ['web-0', settled],
    ['web-1', fresh],
  ]);
  await state.save(both);
  expect(await state.load()).toEqual(both);
});

it('two processes that make one ConfigMap at the same time both have their states in it', async () => {
  const { connect } = await sandboxKube();
  const [a, b] = [connect(), connect()];
  const names = Array.from({ length: 100 }, (_, at) => `unit-${at}`);
  const [one = '', two = ''] = names.filter((name) => shardOf(name) === shardOf('unit-0'));
  await Promise.all([a.state.save(new Map([[one, settled]])), b.state.save(new Map([[two, fresh]]))]);
  expect(Object.fromEntries(await a.state.load())).toEqual({ [one]: settled, [two]: fresh });
});

it.each(['service/default/web', 'node/a.b-c', 'under_score_2f', 'ü/漢'])(
  'the data key of %s comes back as it went',
  (object) => {
    expect(toDataKey(object)).toMatch(/^[-._a-zA-Z0-9]+$/);
    expect(fromDataKey(toDataKey(object))).toBe(object);
  },
);
