import { afterEach, beforeEach, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

const creates = (): number =>
  it.sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/loadbalancers'))
    .length;

test('a create that Octavia refuses is not tried again by sweeps, only when something changes', async () => {
  it.sandbox.fault({
    match: { method: 'POST', path: /loadbalancers$/ },
    kind: 'fail-before',
    status: 400,
    body: { faultcode: 'Client', faultstring: 'Validation failure: no', debuginfo: null },
  });
  it.sandbox.kube.apply(aService());
  const report = await it.settle('web');

  const found = await sweep(it.world);

  expect(report.outcome.status).toBe('blocked');
  expect(found.requests).toEqual([]);
  expect(found.warnings).toMatchObject([expect.stringContaining('default/web')]);
  expect(creates()).toBe(1);

  it.sandbox.kube.apply(aService({ spec: { ports: [{ port: 81 }] } }));
  await it.sweepUntilSettled();
  expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
});
