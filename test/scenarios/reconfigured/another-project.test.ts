import { beforeEach, expect, test } from 'vitest';
import type { Config } from '../../../shared/config/config.ts';
import { sweep } from '../../../shared/sweep.ts';
import { OTHER_PROJECT } from '../../support/config.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, cloudWrites, leftovers, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());
beforeEach(async () => {
  await it.create('web');
});

const elsewhere = (openstack: Partial<Config['openstack']>) =>
  it.another({ openstack: { ...it.world.config.openstack, ...openstack } });

const EXPLAINED =
  /^the credentials are for project \w+.*, but the load balancers of this cluster are in project \w+.*levelset changes nothing.*run: kubectl --namespace levelset delete configmap levelset-place$/;

/** As if the process that made the load balancers had named this region, or none. */
function recordedIn(region: string | null): void {
  const metadata = { name: 'levelset-place', namespace: 'levelset' };
  it.kube.apply({ kind: 'ConfigMap', metadata, data: { region } });
}

test.each(['project', 'region'])('with another %s nothing changes, and a finalizer stays', async (what) => {
  if (what === 'region') recordedIn('RegionTwo');
  const other = what === 'region' ? { region: 'RegionOne' } : { credentials: OTHER_PROJECT };
  const world = await elsewhere(other);
  const [written, address] = [cloudWrites(it), addressOf(it)];

  const found = await sweep(world);
  const living = await it.once({ trigger: 'command' }, world);
  it.kube.apply(aService({ name: 'new' }));
  await run({ key: 'service/default/new', trigger: 'audit' }, world);
  it.kube.delete('Service', 'default', 'web');
  const leaving = await it.once({}, world);

  expect(found.requests).toEqual([]);
  expect(found.failed).toMatch(EXPLAINED);
  const message = expect.stringMatching(EXPLAINED) as string;
  for (const { outcome } of [living, leaving])
    expect(outcome).toMatchObject({ status: 'failed', code: 'CONFIG_INVALID', message });
  expect(cloudWrites(it)).toEqual(written);
  expect(addressOf(it)).toBe(address);
  expect(it.told()).toContain('levelset-place');
  expect(serviceOf(it)?.metadata.finalizers).toHaveLength(1);

  it.kube.delete('Service', 'default', 'new');
  if (what === 'region') it.kube.delete('ConfigMap', 'levelset', 'levelset-place');
  await it.sweepUntilSettled(await it.another());
  expect(leftovers(it)).toEqual({});
});

test('a sweep of a settled cluster records the place again, and adds the region to a record without one', async () => {
  const read = (): unknown => it.kube.get('ConfigMap', 'levelset', 'levelset-place')?.['data'];
  const place = read();
  expect(place).toMatchObject({ region: 'RegionOne' });

  it.kube.delete('ConfigMap', 'levelset', 'levelset-place');
  await sweep(await it.another());
  expect(read()).toEqual(place);

  recordedIn(null);
  await sweep(await it.another());
  expect(read()).toEqual(place);
});

test('whoever deletes the record goes on in the other project, and leaves the load balancers of the old one alone', async () => {
  const before = [...it.cloud.loadbalancers];
  it.kube.delete('ConfigMap', 'levelset', 'levelset-place');
  const world = await elsewhere({ credentials: OTHER_PROJECT });

  const found = await sweep(world);
  const { outcome } = await it.once({ trigger: 'sweep' }, world);

  expect(found.requests.map(({ key }) => key)).toEqual(['service/default/web']);
  // the simulated project has no network, which is for its owner to know
  expect(outcome).toMatchObject({ status: 'blocked', reason: expect.stringContaining('subnet') as string });
  expect(it.cloud.loadbalancers).toEqual(before);
});
