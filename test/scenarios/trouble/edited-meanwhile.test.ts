import { afterEach, beforeEach, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

test('a Service edited between the write and the status does not hide what was written', async () => {
  it.sandbox.kube.apply(aService());
  it.sandbox.fault({
    match: { method: 'POST', path: /loadbalancers$/ },
    kind: 'call',
    after: () => {
      it.sandbox.kube.apply(aService({ annotations: { edited: 'meanwhile' } }));
    },
  });

  const report = await run({ key: 'service/default/web', trigger: 'audit' }, it.world);

  expect(report.outcome.status).toBe('progressing');
  expect(report.applied.map(({ verb, address }) => `${verb} ${address}`)).toContain('create lb');
  expect(report.loadBalancerId).toBe(it.sandbox.cloud.loadbalancers[0]?.id);
});
