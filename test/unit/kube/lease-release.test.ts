import { describe, expect, it } from 'vitest';
import { NAME, twoRuns } from './two-runs.ts';

describe('release and remove', () => {
  it('release takes one call, and none when there is nothing to give back', async () => {
    const { a, asked, spec } = await twoRuns();
    await a.acquire();
    asked();
    await a.release();
    await a.release();
    expect(asked()).toEqual(['PUT 200']);
    expect(spec()['holderIdentity']).toBe('');
  });

  it('release leaves it to whoever took it', async () => {
    const { a, b, sandbox, spec, log } = await twoRuns();
    await a.acquire();
    sandbox.advanceClock(20_000);
    await b.acquire();
    await a.release();
    expect(spec()['holderIdentity']).toBe('b');
    expect(log.warnings).toEqual([]);
  });

  it('remove finds it deleted already', async () => {
    const { a, sandbox, asked, log } = await twoRuns();
    await a.acquire();
    sandbox.kube.delete('Lease', 'kube-system', NAME);
    await a.remove();
    expect(asked().at(-1)).toBe('DELETE 404');
    expect(log.warnings).toEqual([]);
  });

  it('remove deletes what we hold, what is free and what is not there, and no other', async () => {
    const { a, b, spec, asked } = await twoRuns();
    await a.acquire();
    await b.remove();
    expect(spec()['holderIdentity']).toBe('a');
    asked();
    await a.remove();
    await a.remove();
    expect(asked()).toEqual(['DELETE 200', 'GET 404']);
    await b.acquire();
    await b.release();
    await a.remove();
    expect(spec()).toBeUndefined();
  });

  it.each(['release', 'remove'] as const)('%s tells the log when the apiserver fails', async (verb) => {
    const { a, sandbox, log } = await twoRuns();
    await a.acquire();
    sandbox.fault({ match: { side: 'kube', write: true }, kind: 'fail-before' });
    await a[verb]();
    expect(log.warnings).toMatchObject([{ fields: { lease: `kube-system/${NAME}` } }]);
  });
});

it('lists the Leases of ours and no others', async () => {
  const { a, sandbox, connect } = await twoRuns();
  await a.acquire();
  sandbox.kube.apply({ kind: 'Lease', metadata: { name: 'other', namespace: 'kube-system' } });
  expect(await (await connect('c')).listLeases()).toEqual([NAME]);
});
