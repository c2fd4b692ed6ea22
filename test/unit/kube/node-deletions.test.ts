import { describe, expect, test } from 'vitest';
import { sandboxKube } from './sandbox-kube.ts';

const [ONE, TWO] = [
  { uid: 'uid-one', at: 1_000 },
  { uid: 'uid-two', at: 2_000 },
];
const metadata = { name: 'levelset-node-deletions', namespace: 'kube-system' };

describe('the record of deletions', () => {
  test('is read by another process as it was saved, with one call each', async () => {
    const { connect, asked } = await sandboxKube();
    const { deletions } = await connect('a');
    const none = await deletions.load();
    expect(none).toEqual({ deletions: [], version: undefined });
    expect(await deletions.save([ONE], none)).toBe(true);
    expect(await deletions.save([ONE, TWO], await deletions.load())).toBe(true);
    expect((await (await connect('b')).deletions.load()).deletions).toEqual([ONE, TWO]);
    expect(asked()).toEqual(['GET 404', 'POST 201', 'GET 200', 'PATCH 200', 'GET 200']);
  });

  test.each([
    ['made', []],
    ['changed', [ONE]],
  ])('is not saved over what somebody else has %s since', async (_what, before) => {
    const { connect } = await sandboxKube();
    const [a, b] = [(await connect('a')).deletions, (await connect('b')).deletions];
    if (before.length > 0) await a.save(before, await a.load());
    const [seen, stale] = [await a.load(), await b.load()];
    expect(await a.save([...before, TWO], seen)).toBe(true);
    expect(await b.save([], stale)).toBe(false);
    expect((await b.load()).deletions).toEqual([...before, TWO]);
  });

  test('says when it could not be saved for another reason', async () => {
    const { connect, sandbox } = await sandboxKube();
    const { deletions } = await connect('a');
    const loaded = await deletions.load();
    sandbox.fault({ match: { write: true, path: /configmaps/ }, kind: 'fail-before', status: 403 });
    await expect(deletions.save([ONE], loaded)).rejects.toMatchObject({ code: 'KUBE_FORBIDDEN' });
  });

  test.each([
    '',
    'no JSON',
    '{}',
    '[null]',
    '[{"uid": "a"}]',
    '[{"at": 1}]',
    '[{"uid": "a", "at": "1"}]',
    '[1]',
  ])('that says %j lets no Node go', async (text) => {
    const { connect, sandbox } = await sandboxKube();
    sandbox.kube.apply({ kind: 'ConfigMap', metadata, data: { deletions: text } });
    const { deletions } = await connect('a');
    await expect(deletions.load()).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  });
});
