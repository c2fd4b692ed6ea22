import { afterEach, beforeEach, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import type { World } from '../../../shared/ports.ts';
import { aService } from '../../support/service.ts';
import { run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

function switchedOff({ config, ...world }: World): World {
  return { ...world, config: { ...config, loadBalancer: { ...config.loadBalancer, enabled: false } } };
}

test.each(['kept', 'deleted', 'new'])(
  'with enabled = false nothing happens to the load balancer of a Service that is %s',
  async (fate) => {
    if (fate !== 'new') {
      it.sandbox.kube.apply(aService());
      await it.settle('web');
    }
    if (fate === 'new') it.sandbox.kube.apply(aService());
    if (fate === 'deleted') it.sandbox.kube.delete('Service', 'default', 'web');
    const before = it.sandbox.requests.length;
    const off = switchedOff(it.world);

    const found = await sweep(off);
    const report = await run({ key: 'service/default/web', trigger: 'command' }, off);

    expect(found).toMatchObject({ requests: [], services: 0, warnings: [] });
    expect(found).not.toHaveProperty('failed');
    expect(report).toMatchObject({ outcome: { status: 'settled' }, applied: [] });
    expect(it.sandbox.requests.length).toBe(before);
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(fate === 'new' ? 0 : 1);
  },
);
