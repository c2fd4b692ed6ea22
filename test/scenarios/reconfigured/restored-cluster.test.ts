import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Report } from '../../../shared/model/outcome.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { run, runAll, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { cloudWrites, forceDelete, leftovers, serviceOf } from '../../support/told.ts';

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `s${at}`);

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

async function create(count: number): Promise<void> {
  for (const name of names(count)) it.sandbox.kube.apply(aService({ name }));
  await it.sweepUntilSettled();
}

/** etcd from a backup that is older than these Services. */
function lose(...lost: readonly string[]): void {
  for (const name of lost) forceDelete(it.sandbox, name);
}

/** Sweeps, and runs what it found until no key would come back; the last runs that did not settle. */
async function sweptBy(world: World = it.world): Promise<readonly Report[]> {
  let reports: readonly Report[] = [];
  for (let sweeps = 0; sweeps < 40; sweeps += 1) {
    reports = await runAll(await sweep(world), world);
    if (reports.every(({ outcome }) => outcome.status !== 'progressing')) break;
  }
  return reports.filter(({ outcome }) => outcome.status !== 'settled');
}

const loadBalancers = (): number => it.sandbox.cloud.loadbalancers.length;

/** What `kubectl annotate --overwrite configmap NAME KEY=VALUE` does. */
function kubectl(command: string): void {
  const [, namespace, name = '', key = '', value = ''] =
    /^kubectl --namespace (\S+) annotate --overwrite configmap (\S+) (\S+?)=(\S+)$/.exec(command) ?? [];
  it.sandbox.kube.apply({ kind: 'ConfigMap', metadata: { name, namespace, annotations: { [key]: value } } });
}

const commandIn = (text = ''): string => /kubectl .*$/.exec(text)?.[0] ?? '';

describe('an apiserver that was restored from a backup', () => {
  test('loses no load balancer: the message, one command for exactly that list, level again', async () => {
    await create(12);
    lose(...names(12).slice(1));
    const written = cloudWrites(it.sandbox);

    const reports = await sweptBy();
    const transcript = (await sweep(it.world)).warnings;

    expect(cloudWrites(it.sandbox)).toEqual(written);
    expect(reports.map(({ outcome: { status } }) => status)).toEqual(Array<string>(11).fill('blocked'));
    const listed = names(12)
      .slice(1)
      .map((name) => {
        const lb = it.sandbox.cloud.loadbalancers.find((one) => one.name.endsWith(`_${name}`));
        return `default/${name} (load balancer ${lb?.id ?? ''})`;
      });
    expect(transcript).toEqual([
      expect.stringMatching(
        /^levelset keeps what these Services have left in OpenStack, since they are gone without having been deleted: .* 11 would be deleted together, and --deletion-share=10% allows 1 of 12 in an hour\. If all of them are to be deleted, run: kubectl --namespace levelset annotate --overwrite configmap levelset-deletions levelset\.openstack\.org\/approve=\w{12}(,\w{12}){10}$/,
      ),
    ]);
    for (const one of listed) expect(transcript[0]).toContain(one);

    kubectl(commandIn(transcript[0]));
    await it.sweepUntilSettled();

    expect(it.sandbox.cloud.loadbalancers.map(({ name }) => name)).toEqual([
      'kube_service_kubernetes_default_s0',
    ]);
    expect(it.sandbox.cloud.floatingips).toHaveLength(1);
    expect(await sweep(it.world)).toMatchObject({ services: 1, warnings: [] });
  });

  test('gets back what it lost: a Service that is applied again inherits', async () => {
    await create(3);
    const before = it.sandbox.cloud.loadbalancers.map(({ id }) => id).sort();
    lose('s1', 's2');
    await sweptBy();

    await create(3);

    expect(it.sandbox.cloud.loadbalancers.map(({ id }) => id).sort()).toEqual(before);
    expect((await sweep(it.world)).warnings).toEqual([]);
  });

  test('keeps what was approved for deletion and then came back', async () => {
    await create(4);
    lose('s1', 's2', 's3');
    await sweptBy();
    kubectl(commandIn((await sweep(it.world)).warnings[0]));
    await create(4);

    lose('s1', 's2', 's3');
    await sweptBy(await it.another());

    expect(loadBalancers()).toBe(4);
  });

  test('whose Services are of type ClusterIP there loses none of them either', async () => {
    await create(3);
    const spec = { type: 'ClusterIP', loadBalancerClass: null };
    for (const name of ['s1', 's2']) {
      const { metadata } = aService({ name });
      const status = { conditions: [] };
      it.sandbox.kube.apply({
        ...aService({ name, spec }),
        metadata: { ...metadata, finalizers: [] },
        status,
      });
    }
    const written = cloudWrites(it.sandbox);

    const reports = await sweptBy();

    expect(cloudWrites(it.sandbox)).toEqual(written);
    expect(reports.map(({ outcome: { status } }) => status)).toEqual(['blocked', 'blocked']);
  });

  test('and load balancers that lost their tags keep the security groups that let them in', async () => {
    const { config } = it.world;
    const loadBalancer = { ...config.loadBalancer, manageSecurityGroups: true };
    const managing = { ...config, loadBalancer, deletionPercent: 0 };
    for (const name of names(3)) it.sandbox.kube.apply(aService({ name }));
    await it.sweepUntilSettled(await it.another(managing));
    for (const lb of it.sandbox.cloud.loadbalancers) lb.tags = [];
    lose(...names(3));
    const written = cloudWrites(it.sandbox);

    const reports = await sweptBy(await it.another(managing));

    expect(cloudWrites(it.sandbox)).toEqual(written);
    expect(reports.map(({ outcome: { status } }) => status)).toEqual(['blocked', 'blocked', 'blocked']);
  });

  test('does not keep what a Service had that was replaced by one of another type', async () => {
    await create(3);
    const spec = { type: 'ClusterIP', loadBalancerClass: null };
    for (const name of ['s1', 's2']) {
      const { metadata } = aService({ name });
      it.sandbox.kube.apply({ ...aService({ name, spec }), metadata: { ...metadata, finalizers: [] } });
    }

    await it.sweepUntilSettled();

    expect(loadBalancers()).toBe(1);
  });

  test('with a Service of another class in place of a lost one holds up neither that one nor the others', async () => {
    await create(3);
    lose('s1', 's2');
    it.sandbox.kube.apply(aService({ name: 's1', spec: { loadBalancerClass: 'metallb' } }));
    await sweptBy();
    expect(loadBalancers()).toBe(3);
    const [warning] = (await sweep(it.world)).warnings;
    expect(warning).toContain('default/s1 (load balancer');

    kubectl(commandIn(warning));
    await it.sweepUntilSettled();

    expect(loadBalancers()).toBe(1);
    expect((await sweep(it.world)).warnings).toEqual([]);
  });

  test('calls no Service gone that is there again', async () => {
    await create(2);
    lose('s0', 's1');
    for (const name of names(2)) it.sandbox.kube.apply(aService({ name }));

    expect((await sweep(it.world)).warnings).toEqual([]);
  });

  test('says so in an Event and in each run of a person', async () => {
    await create(2);
    lose('s0', 's1');
    await sweep(it.world);

    const report = await run({ key: 'service/default/s0', trigger: 'command' }, it.world);

    expect(report.outcome).toEqual({
      status: 'blocked',
      reason: expect.stringMatching(
        /^levelset keeps lb as it is until \w{12} is approved: its Service is gone without having been deleted; 2 would be deleted together, and --deletion-share=10% allows 1 of 2 in an hour; the approval belongs on ConfigMap levelset\/levelset-deletions\napprove with the annotation levelset.openstack.org\/approve: \w{12}$/,
      ) as string,
    });
    const [event] = it.sandbox.kube.list('Event', 'default').filter(({ type }) => type === 'Warning');
    expect(event).toMatchObject({
      reason: 'SyncLoadBalancerFailed',
      involvedObject: { kind: 'Service', namespace: 'default', name: 's0' },
      message: expect.stringContaining('levelset keeps lb as it is') as string,
    });
  });

  test('and a record that cannot be read delete nothing', async () => {
    await create(1);
    lose('s0');
    const metadata = { name: 'levelset-deletions', namespace: 'levelset' };
    it.sandbox.kube.apply({ kind: 'ConfigMap', metadata, data: { left: 'no JSON' } });

    expect(await sweptBy()).toEqual([]);
    const { outcome } = await run({ key: 'service/default/s0', trigger: 'command' }, it.world);

    expect(outcome.status).toBe('failed');
    expect(loadBalancers()).toBe(1);
  });
});

describe('the deletion budget of load balancers', () => {
  test('lets one go in an hour, and holds back the next', async () => {
    await create(3);
    lose('s0');
    await it.sweepUntilSettled();
    expect(loadBalancers()).toBe(2);

    lose('s1');
    const [report] = await sweptBy();
    expect(report?.outcome).toMatchObject({
      status: 'blocked',
      reason: expect.stringContaining('1 load balancer was deleted within the last hour, and') as string,
    });
    const hour = { ...it.world, clock: { now: () => Date.now() + 3_601_000 } };
    await sweptBy(hour);
    expect(loadBalancers()).toBe(1);
  });

  test('keeps what a namespace has lost that lost most, and holds up no other one', async () => {
    await create(5);
    it.sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'shop' } });
    it.sandbox.kube.apply(aService({ name: 'web', namespace: 'shop' }));
    await it.sweepUntilSettled();
    lose('s0', 's1', 's2');
    it.sandbox.kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'shop', finalizers: [] } });
    it.sandbox.kube.delete('Service', 'shop', 'web');

    await sweptBy();

    const left = it.sandbox.cloud.loadbalancers.map(({ name }) => name.split('_').slice(-2).join('/'));
    expect(left.sort()).toEqual([0, 1, 2, 3, 4].map((at) => `default/s${at}`));
    expect((await sweep(it.world)).warnings.join()).toContain('default/s0');
  });

  test('with 100% lets all go', async () => {
    await create(3);
    lose('s0', 's1', 's2');
    await it.sweepUntilSettled(await it.another({ ...it.world.config, deletionPercent: 100 }));
    expect(leftovers(it.sandbox)).toEqual({});
  });

  test.each([
    [
      'a namespace that is deleted',
      (name: string) => {
        it.sandbox.kube.delete('Service', 'default', name);
      },
    ],
    [
      'Services that change their type',
      (name: string) => it.sandbox.kube.apply(aService({ name, spec: { type: 'ClusterIP' } })),
    ],
  ])('never holds up %s', async (_, leave) => {
    await create(6);
    for (const name of names(6)) leave(name);

    await it.sweepUntilSettled(await it.another({ ...it.world.config, deletionPercent: 0 }));

    expect(leftovers(it.sandbox)).toEqual({});
    expect(serviceOf(it.sandbox, 's0')?.metadata.finalizers ?? []).toEqual([]);
    expect(it.sandbox.kube.get('ConfigMap', 'levelset', 'levelset-deletions')).toBeUndefined();
  });
});
