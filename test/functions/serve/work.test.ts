import { expect, onTestFinished, test } from 'vitest';
import { Work } from '../../../functions/serve/work.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';

test('who asks for more runs than a thousand hears 429, and who waits at the end 503', async () => {
  const it = await startSandboxWorld();
  const world = await it.another();
  const cluster = () => Promise.resolve({ id: 'id', name: 'kubernetes' });
  it.sandbox.fault({ match: { side: 'kube' }, kind: 'hang', times: 99 });
  const work = new Work({
    connected: { world, cluster },
    reported: () => undefined,
    swept: () => undefined,
  });
  onTestFinished(async () => {
    await work.stop();
    await it.close();
  });
  const ask = (count: number) =>
    work.reconcile(
      Array.from({ length: count }, (_, at) => ({ key: `service/shop/${at}`, trigger: 'resync' }) as const),
    );
  const first = [900, 100].map((count) => ask(count).catch(String));

  await expect(ask(1)).rejects.toMatchObject({
    status: 429,
    message: '1000 runs are waited for, and at most 1000 may be: ask again later, or for fewer objects',
    more: { headers: { 'Retry-After': '5' } },
  });
  void work.stop();
  expect(await Promise.all(first)).toEqual(
    Array(2).fill(expect.stringContaining('HttpError: the work on this cluster ended')),
  );
  await expect(ask(1_000)).rejects.toMatchObject({ status: 503 });
});
