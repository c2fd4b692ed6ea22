/** HTTP that is sent to HTTPS by an L7 policy. */
import { expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startSandboxWorld());

const OWN = 'levelset.openstack.org/';
const deploy = async (annotations: Record<string, string>): Promise<void> => {
  it.sandbox.kube.apply(aService({ annotations: { [`${OWN}protocol`]: 'http', ...annotations } }));
  await it.sweepUntilSettled();
};
const redirect = { [`${OWN}redirect-http`]: 'true', [`${OWN}redirect-host`]: 'app.example.org' };
const policies = (): readonly unknown[] =>
  it.sandbox.cloud.l7policies.map((policy) => [
    policy['redirect_prefix'],
    policy['redirect_http_code'],
    it.sandbox.cloud.l7rules.length,
  ]);

test('has the one rule of its own: what somebody adds goes', async () => {
  await deploy(redirect);
  const { l7rules } = it.sandbox.cloud;
  const [rule] = l7rules;
  if (rule) l7rules.push({ ...rule, id: 'ffffffff-0000-4000-8000-000000000001', value: '/else' });

  expect((await it.settle('web', { trigger: 'sweep' })).outcome).toEqual({ status: 'settled' });
  expect(l7rules.map(({ value }) => value)).toEqual([rule?.['value']]);
});

test.each(['listener', 'pool'] as const)(
  'is not made while the quota of a %s refuses the port that it leads to',
  async (quota) => {
    const edit = async (more: Record<string, string>, ...ports: readonly object[]): Promise<void> => {
      const annotations = { [`${OWN}protocol.80`]: 'http', ...more };
      const spec = { ports: [{ name: 'http', port: 80, nodePort: 30_080 }, ...ports] };
      it.sandbox.kube.apply(aService({ annotations, spec }));
      await it.settle('web');
    };
    await edit({});
    it.sandbox.cloud.quotas[quota] = 1;

    await edit(redirect, { name: 'https', port: 443, nodePort: 30_443 });
    const { outcome } = await it.settle('web');
    expect(outcome).toMatchObject({ status: 'failed', code: 'QUOTA_EXCEEDED' });
    expect([it.sandbox.cloud.listeners.length, policies()]).toEqual([1, []]);

    it.sandbox.cloud.quotas[quota] = 10;
    await it.settle('web');
    expect(it.sandbox.cloud.listeners).toHaveLength(2);
    expect(policies()).toEqual([['https://app.example.org', 302, 1]]);
  },
);
