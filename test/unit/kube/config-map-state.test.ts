import { describe, expect, it } from 'vitest';
import { fromDataKey, shardOf, toDataKey } from '../../../shared/kube/state/config-map-state.ts';
import type { ServiceState } from '../../../shared/model/service-object.ts';
import { sandboxKube } from './sandbox-kube.ts';

const settled: ServiceState = { hash: 'abc', updated_at: '2026-11-21T10:00:00' };
const fresh: ServiceState = { hash: 'def', updated_at: null };
const label = { 'levelset.openstack.org/state': 'watermarks' };

function many(count: number): Map<string, ServiceState> {
  return new Map(Array.from({ length: count }, (_, index) => [`unit-${index}`, settled]));
}

describe('state', () => {
  it('is stored once more after a list that was older than its removal', async () => {
    const { connect, sandbox } = await sandboxKube();
    const { state } = await connect();
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

  it('leaves out what cannot be read, and writes over it', async () => {
    const { connect, sandbox, log } = await sandboxKube();
    const shard = (object: string, data: Record<string, string>): void => {
      const metadata = { name: shardOf(object), namespace: 'levelset', labels: label };
      sandbox.kube.apply({ kind: 'ConfigMap', metadata, data });
    };
    shard('a', { a: '{"hash": 1, "updated_at": null}', 'not-of-this-shard-1': JSON.stringify(settled) });
    shard('b', { b: 'no JSON' });
    shard('c', { c: '{"hash": "a", "updated_at": null, "rejected": 1}' });
    const { state } = await connect();
    expect([...(await state.load()).keys()].filter((object) => ['a', 'b', 'c'].includes(object))).toEqual([]);
    expect(log.warnings.length).toBeGreaterThanOrEqual(3);
    await state.save(
      new Map([
        ['a', settled],
        ['b', fresh],
      ]),
    );
    expect(await state.load()).toMatchObject(
      new Map([
        ['a', settled],
        ['b', fresh],
      ]),
    );
  });

  it('survives two that make one ConfigMap at the same time', async () => {
    const { connect } = await sandboxKube();
    const [a, b] = [await connect(), await connect()];
    const [one, two] = sameShard();
    await Promise.all([a.state.save(new Map([[one, settled]])), b.state.save(new Map([[two, fresh]]))]);
    expect(await a.state.load()).toEqual(
      new Map([
        [one, settled],
        [two, fresh],
      ]),
    );
  });
});

function sameShard(): [string, string] {
  const other = [...many(100).keys()].find(
    (object) => object !== 'unit-0' && shardOf(object) === shardOf('unit-0'),
  );
  return ['unit-0', other ?? ''];
}

// prettier-ignore
it.each(['6a1f6a1f-0000-4000-8000-000000000001', 'service/default/web', 'node/a.b-c', 'under_score_2f', 'routes', 'ü/漢'])('data keys %s comes back as it went', (object) => {
  expect(toDataKey(object)).toMatch(/^[-._a-zA-Z0-9]+$/);
  expect(fromDataKey(toDataKey(object))).toBe(object);
});
