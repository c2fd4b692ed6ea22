/**
 * A process has read that a Service is gone, and is slow. Meanwhile the Service is applied again, and another process finds
 * everything in order. The slow process then deletes the load balancer that serves, and the address is lost.
 */
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, forceDelete } from '../../support/told.ts';
import { settleBy, show, stepsOf } from '../show.ts';

for (const how of ['force-deleted', 'made a ClusterIP'] as const) {
  const it = await startSandboxWorld();
  const { sandbox } = it;
  sandbox.kube.apply(aService());
  await it.settle('web');
  const before = addressOf(sandbox);
  const other = await it.another();
  if (how === 'force-deleted') forceDelete(sandbox);
  else sandbox.kube.apply(aService({ spec: { type: 'ClusterIP' } }));
  sandbox.fault({
    match: { side: 'kube', method: 'GET', path: /leases\/levelset-/ },
    kind: 'call',
    before: async () => {
      sandbox.kube.apply(aService());
      const { outcome } = await settleBy(other);
      show(`${how}, applied again; other process`, [outcome.status, addressOf(sandbox)]);
    },
  });
  const report = await run({ key: 'service/default/web', trigger: 'sweep' }, it.world);
  show('slow process', [report.outcome.status, ...stepsOf(report)]);
  await pause(50);
  for (const world of [it.world, other, it.world]) await settleBy(world);
  show('address before and after', [before, addressOf(sandbox)]);
  await it.close();
}
