import { expect, onTestFinished, test } from 'vitest';
import { Work } from '../../../functions/serve/work.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';

test('who asks for a dry run when the work has ended hears 503', async () => {
  const it = await startSandboxWorld();
  onTestFinished(() => it.close());
  const cluster = () => Promise.resolve({ id: 'id', name: 'kubernetes' });
  const [reported, swept] = [() => undefined, () => undefined];
  const work = new Work({ connected: { world: await it.another(), cluster }, reported, swept });
  await work.stop();

  await expect(work.dryRun([{ key: 'routes', trigger: 'resync' }])).rejects.toMatchObject({
    status: 503,
    more: { headers: { 'Retry-After': '5' } },
  });
});
