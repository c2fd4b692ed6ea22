/** A call that hangs costs the run that made it, and none of the runs that go on beside it. */
import { describe, expect, test } from 'vitest';
import { serviceKey } from '../../../shared/model/request.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { World } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
/** Too little for a write to OpenStack to begin, which needs 5 s: these runs read all they need, and stop. A busy machine takes most of it. */
const RUN_MS = 4_500;

/** Runs all of them at once, as a batch of a function does. */
function runTogether(world: World): Promise<readonly Report[]> {
  const end = Date.now() + RUN_MS;
  const budget = { remainingMs: () => Math.max(0, end - Date.now()) };
  return Promise.all(
    NAMES.map((name) => reconcile({ key: serviceKey('default', name), trigger: 'audit' }, world, budget)),
  );
}

/** A request with what differs between two of them left out. */
function kindOf({ method, path }: { method: string; path: string }): string {
  const bare = path.replace(/\?.*/, '').replace(/[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}/g, 'ID');
  return `${method} ${bare.replace(/\/(a|b|c|d|e|f)(?=\/|$)/g, '/NAME')}`;
}

const calm = await (async () => {
  const it = await startSandboxWorld({}, { manageSecurityGroups: true, maxSharedLb: 2 });
  for (const name of NAMES) it.sandbox.kube.apply(aService({ name }));
  const reports = await runTogether(await it.another());
  const kinds = [...new Set(it.sandbox.requests.map(kindOf))];
  await it.close();
  return { reports, kinds };
})();

test('without a fault all runs read what they need', () => {
  expect(calm.reports.map(({ outcome }) => outcome.status)).toEqual(NAMES.map(() => 'progressing'));
  expect(calm.kinds.length).toBeGreaterThan(15);
});

describe.concurrent('one that hangs', () => {
  test.for(calm.kinds)('%s', { timeout: 20_000 }, async (kind, { expect, onTestFinished: finished }) => {
    const it = await startSandboxWorld({}, { manageSecurityGroups: true, maxSharedLb: 2 });
    finished(() => it.close());
    for (const name of NAMES) it.sandbox.kube.apply(aService({ name }));
    const [method = '', path = ''] = kind.split(' ');
    const pattern = path
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace('ID', '[^/]+')
      .replace('NAME', '[^/]+');
    it.sandbox.fault({ match: { method, path: new RegExp(`^${pattern}(\\?|$)`) }, kind: 'hang' });
    const started = performance.now();
    const reports = await runTogether(await it.another());

    expect(performance.now() - started).toBeLessThan(RUN_MS + 4_000);
    expect(reports.filter(({ outcome }) => outcome.status === 'failed').length).toBeLessThanOrEqual(1);
  });
});
