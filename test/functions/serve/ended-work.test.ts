/** What those hear who wait for a run when a cluster is served no more, while the process goes on. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { DryRuns } from '../../../functions/serve/dry-runs.ts';
import { LocalQueue } from '../../../functions/serve/local-queue.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../../shared/model/request.ts';
import { report } from '../../http/test-server.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';

const REQUEST: ReconcileRequest = { key: 'service/shop/web', trigger: 'resync' };
const ENDED = 'the work on this cluster ended before the run began: ask again';

test('who waits for a run that will not begin hears so, and the run under way is reported', async () => {
  const it = await startSandboxWorld();
  onTestFinished(() => it.close());
  const end = Promise.withResolvers<Report>();
  const queue = new LocalQueue({
    world: await it.another(),
    cluster: () => Promise.resolve({ id: 'id', name: 'kubernetes' }),
    readOnly: false,
    run: () => end.promise,
    swept: () => undefined,
  });
  const running = queue.ask(REQUEST);
  const waiting = vi.fn<(error: unknown) => void>();
  queue.ask(REQUEST).catch(waiting);
  const stopped = queue.stop();
  end.resolve(report(REQUEST, { status: 'settled' }));
  expect(await running).toMatchObject({ outcome: { status: 'settled' } });
  await stopped;
  expect(waiting.mock.calls.map(String)).toEqual([`Error: ${ENDED}`]);
  await expect(queue.ask(REQUEST)).rejects.toThrow(ENDED);
});

test('who waits for a dry run that will not begin hears 503', async () => {
  const dryRuns = new DryRuns({
    run: () => new Promise(() => undefined),
    concurrency: 1,
    clock: { now: () => 0 },
  });
  void dryRuns.runAll([REQUEST]);
  const waiting = vi.fn<(error: unknown) => void>();
  dryRuns.runAll([REQUEST, { ...REQUEST, key: 'service/shop/db' }]).catch(waiting);
  dryRuns.stop();
  await vi.waitFor(() => {
    expect(waiting).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 503, message: ENDED }));
  });
  await expect(dryRuns.runAll([REQUEST])).rejects.toThrow(ENDED);
});
