import { expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest, pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';

const OTHER = '7d7d7d7d-0000-4000-8000-000000000002';
const THIRD = '7d7d7d7d-0000-4000-8000-000000000003';

const it = inEachTest(() => startSandboxWorld({ pendingMs: 300 }));

const ask = (subnet: string): void => {
  const annotations = { 'loadbalancer.openstack.org/member-subnet-id': subnet };
  it.sandbox.kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default', annotations } });
};
const poolInUse = (): unknown => it.sandbox.cloud.listeners[0]?.default_pool_id;

/** What the pool in use had of subnets after each run, until it came to rest or that was there. */
async function runs(isEnough = (): boolean => false): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let count = 0; count < 100 && !isEnough(); count += 1) {
    const { outcome } = await run({ key: 'service/default/web', trigger: 'audit' }, it.world);
    const inUse = it.sandbox.cloud.members.filter(({ pool_id }) => pool_id === poolInUse());
    seen.push(inUse.map((member) => String(member['subnet_id'])).join());
    if (outcome.status !== 'progressing') break;
    await pause(100);
  }
  return seen;
}

test('another member subnet that is changed again on the way is never turned to', async () => {
  const { subnets, members, pools } = it.sandbox.cloud;
  const [first] = subnets.filter(({ cidr }) => cidr.startsWith('10.'));
  if (!first) throw new Error('no subnet');
  subnets.push({ ...first, id: OTHER, cidr: '10.8.0.0/16' }, { ...first, id: THIRD, cidr: '10.9.0.0/16' });
  it.sandbox.kube.apply(aService());
  const theirs = (await runs()).at(-1);
  ask(OTHER);
  await runs(() => members.some((member) => member['subnet_id'] === OTHER));
  ask(THIRD);

  const seen = await runs();

  expect([...new Set(seen)]).toEqual([theirs, [THIRD, THIRD, THIRD].join()]);
  expect(pools.map(({ id }) => id)).toEqual([poolInUse()]);
});
