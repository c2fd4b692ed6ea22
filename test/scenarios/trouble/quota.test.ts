import { expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, cloudWrites, readyOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const MINUTE_MS = 61_000;
const vipPorts = () => it.sandbox.cloud.ports.filter(({ device_owner }) => device_owner === 'Octavia').length;
/** The same process, a minute later: limits are asked for once a minute. */
const later = () => ({ ...it.world, clock: { now: () => Date.now() + MINUTE_MS } });

test.each([
  ['load balancers', 'load_balancer'],
  ['listeners', 'listener'],
  ['members', 'member'],
] as const)(
  'a quota that is exhausted of %s is said before anything is made, and it goes on when it is raised',
  async (_, quota) => {
    it.sandbox.cloud.quotas[quota] = 0;
    it.sandbox.kube.apply(aService());

    const { outcome } = await it.settle('web');

    expect(outcome).toMatchObject({ status: 'failed', code: 'QUOTA_EXCEEDED' });
    expect(readyOf(it.sandbox)).toMatchObject({ status: 'False', reason: 'SyncLoadBalancerFailed' });
    expect(readyOf(it.sandbox)?.message).toContain('quota');
    expect(cloudWrites(it.sandbox)).toEqual([]);
    expect(vipPorts()).toBe(0);

    it.sandbox.cloud.quotas[quota] = 10;
    await run({ key: 'service/default/web', trigger: 'requeue' }, later());
    await it.sweepUntilSettled(later());

    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(addressOf(it.sandbox)).toBeDefined();
    expect(vipPorts()).toBe(1);
  },
);

test.each(['listener', 'pool'] as const)(
  'a redirect is not made while the quota of a %s refuses the port that it leads to',
  async (quota) => {
    const OWN = 'levelset.openstack.org/';
    const redirect = { [`${OWN}redirect-http`]: 'true', [`${OWN}redirect-host`]: 'app.example.org' };
    const edit = async (more: Record<string, string>, ...ports: readonly object[]): Promise<void> => {
      const annotations = { [`${OWN}protocol.80`]: 'http', ...more };
      const spec = { ports: [{ name: 'http', port: 80, nodePort: 30_080 }, ...ports] };
      it.sandbox.kube.apply(aService({ annotations, spec }));
      await it.settle('web');
    };
    const { listeners, l7policies, quotas } = it.sandbox.cloud;
    await edit({});
    quotas[quota] = 1;

    await edit(redirect, { name: 'https', port: 443, nodePort: 30_443 });
    expect((await it.settle('web')).outcome).toMatchObject({ status: 'failed', code: 'QUOTA_EXCEEDED' });
    expect([listeners.length, l7policies.length]).toEqual([1, 0]);

    quotas[quota] = 10;
    await it.settle('web');
    expect([listeners.length, l7policies.length]).toEqual([2, 1]);
  },
);
