import { beforeEach, expect, test } from 'vitest';
import type { Config } from '../../../shared/config/config.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, cloudWrites, leftovers, readyOf, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());
beforeEach(async () => {
  it.sandbox.kube.apply(aService());
  await it.sweepUntilSettled();
});

const PROJECT = { name: 'other', domain: { name: 'Default' } };
const other: Config['openstack']['credentials'] = {
  ...{ type: 'password', user: PROJECT, password: 'other', project: PROJECT },
};

const elsewhere = (openstack: Partial<Config['openstack']>) =>
  it.another({ ...it.world.config, openstack: { ...it.world.config.openstack, ...openstack } });

const EXPLAINED =
  /^the credentials are for project \w+.*, but the load balancers of this cluster are in project \w+.*levelset changes nothing.*run: kubectl --namespace levelset delete configmap levelset-place$/;

/** As if the process that made the load balancers had named this region. */
function recordedIn(region: string): void {
  const metadata = { name: 'levelset-place', namespace: 'levelset' };
  it.sandbox.kube.apply({ kind: 'ConfigMap', metadata, data: { region } });
}

test.each(['project', 'region'])(
  'with another %s nothing is made, changed or deleted, and a deleted Service keeps its finalizer',
  async (what) => {
    if (what === 'region') recordedIn('RegionTwo');
    const world = await elsewhere(what === 'region' ? { region: 'RegionOne' } : { credentials: other });
    const [written, address] = [cloudWrites(it.sandbox), addressOf(it.sandbox)];

    const found = await sweep(world);
    const living = await run({ key: 'service/default/web', trigger: 'command' }, world);
    it.sandbox.kube.apply(aService({ name: 'new' }));
    await run({ key: 'service/default/new', trigger: 'audit' }, world);
    it.sandbox.kube.delete('Service', 'default', 'web');
    const leaving = await run({ key: 'service/default/web', trigger: 'audit' }, world);

    expect(found.requests).toEqual([]);
    expect(found.failed).toMatch(EXPLAINED);
    for (const { outcome } of [living, leaving])
      expect(outcome).toMatchObject({
        status: 'failed',
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(EXPLAINED) as string,
      });
    expect(cloudWrites(it.sandbox)).toEqual(written);
    expect(addressOf(it.sandbox)).toBe(address);
    expect(readyOf(it.sandbox)?.message).toContain('levelset-place');
    expect(serviceOf(it.sandbox)?.metadata.finalizers).toHaveLength(1);

    it.sandbox.kube.delete('Service', 'default', 'new');
    if (what === 'region') it.sandbox.kube.delete('ConfigMap', 'levelset', 'levelset-place');
    await it.sweepUntilSettled(await it.another());
    expect(leftovers(it.sandbox)).toEqual({});
  },
);

test('a region that is named for the first time is no other one', async () => {
  const world = await elsewhere({ region: 'RegionOne' });
  expect(await sweep(world)).not.toHaveProperty('failed');
});

test('a sweep of a settled cluster records the place again, and adds the region to a record without one', async () => {
  const read = (): unknown => it.sandbox.kube.get('ConfigMap', 'levelset', 'levelset-place')?.['data'];
  const place = read();
  expect(place).toMatchObject({ region: 'RegionOne' });

  it.sandbox.kube.delete('ConfigMap', 'levelset', 'levelset-place');
  await sweep(await it.another());
  expect(read()).toEqual(place);

  const metadata = { name: 'levelset-place', namespace: 'levelset' };
  it.sandbox.kube.apply({ kind: 'ConfigMap', metadata, data: { region: null } });
  await sweep(await it.another());
  expect(read()).toEqual(place);
});

test('whoever deletes the record goes on in the other project, and leaves the load balancers of the old one alone', async () => {
  const before = [...it.sandbox.cloud.loadbalancers];
  it.sandbox.kube.delete('ConfigMap', 'levelset', 'levelset-place');
  const world = await elsewhere({ credentials: other });

  const found = await sweep(world);
  const { outcome } = await run({ key: 'service/default/web', trigger: 'sweep' }, world);

  expect(found.requests.map(({ key }) => key)).toEqual(['service/default/web']);
  // the simulated project has no network, which is for its owner to know
  expect(outcome).toMatchObject({ status: 'blocked', reason: expect.stringContaining('subnet') as string });
  expect(it.sandbox.cloud.loadbalancers).toEqual(before);
});
