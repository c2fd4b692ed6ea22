import { describe, expect, test } from 'vitest';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { OTHER_PROJECT } from '../../support/config.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, runAll, startSandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, cloudWrites, eventsOf, leftovers, readyOf, serviceOf } from '../../support/told.ts';

const OURS = 'levelset.example/lb';
/** The address that another controller publishes. */
const THEIRS = '192.0.2.9';
const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

const it = inEachTest(() => startSandboxWorld());

const withClass = (name?: string) => it.another(name === undefined ? {} : { loadBalancerClass: name });

/** A process that is configured like this has swept, and runs what it found, until nothing changes any more. */
async function sweptBy(world: World): Promise<void> {
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await runAll(await sweep(world), world);
}

/** Service `web`, which was made under one class; the process that is configured for another one, and what becomes of it. */
async function reconfigured(before?: string, after?: string): Promise<World> {
  it.kube.apply(aService({ spec: before === undefined ? {} : { loadBalancerClass: before } }));
  await it.sweepUntilSettled(await withClass(before));
  return withClass(after);
}

async function released(before?: string, after?: string): Promise<World> {
  const world = await reconfigured(before, after);
  await sweptBy(world);
  return world;
}

/** What another controller writes to the Service's status. */
function takenOver(manager = 'openstack-cloud-controller-manager'): void {
  const fieldsV1 = { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } };
  const managedFields = [
    { manager: 'levelset', subresource: 'status', time: '2026-01-01T00:00:00Z' },
    { manager, subresource: 'status', time: '2099-01-01T00:00:00Z', fieldsV1 },
  ];
  const status = { loadBalancer: { ingress: [{ ip: THEIRS }] } };
  const own = { name: 'web', namespace: 'default' };
  it.kube.apply({ kind: 'Service', metadata: own, status });
  it.kube.apply({ kind: 'Service', metadata: { ...own, managedFields } });
}

const finalizers = () => serviceOf(it)?.metadata.finalizers ?? [];

describe('--load-balancer-class', () => {
  test.each([
    ['is given', undefined, OURS],
    ['is changed', OURS, 'levelset.example/other'],
    ['is dropped', OURS, undefined],
  ])('that %s lets a Service go: it serves on, and log and Service say so', async (_, before, after) => {
    const world = await reconfigured(before, after);
    const address = addressOf(it);
    const written = cloudWrites(it);

    await sweptBy(world);
    const found = await sweep(world);

    expect(cloudWrites(it)).toEqual(written);
    expect(addressOf(it)).toBe(address);
    expect(finalizers()).toEqual([FINALIZER]);
    expect(found).toMatchObject({ services: 0, released: 1, requests: [] });
    expect(found.warnings).toEqual([
      expect.stringMatching(/^levelset does not look after default\/web any more.*--load-balancer-class/),
    ]);
    expect(readyOf(it)).toMatchObject({ status: 'Unknown', reason: 'Released' });
    expect(it.told()).toMatch(/deletes it only if that is approved[^]*levelset.openstack.org\/approve: /);
    expect(eventsOf(it)).toContain('Released x1');

    await it.sweepUntilSettled(await withClass(before));
    expect(cloudWrites(it)).toEqual(written);
    expect(readyOf(it)).toMatchObject({ status: 'True' });
  });

  test('deletes what an approval on the Service names, and then lets the Service be', async () => {
    const world = await released(undefined, OURS);
    it.approve();

    await it.settle('web', {}, world);

    expect(leftovers(it)).toEqual({});
    expect(finalizers()).toEqual([]);
    expect(addressOf(it)).toBeUndefined();
    expect(readyOf(it)).toBeUndefined();
  });

  test.each([
    ['deletes it', undefined],
    ['makes it a ClusterIP', { type: 'ClusterIP', loadBalancerClass: null }],
  ])('leaves a Service to a person who %s: levelset finishes', async (_, spec) => {
    const world = await released(OURS);

    if (spec) it.edit({ spec });
    else it.kube.delete('Service', 'default', 'web');
    await it.settle('web', {}, world);

    expect(leftovers(it)).toEqual({});
    expect(finalizers()).toEqual([]);
  });

  test('leaves a Service to the controller that writes its status', async () => {
    const world = await released(OURS);
    takenOver();
    await sweptBy(world);
    const written = cloudWrites(it);

    it.kube.delete('Service', 'default', 'web');
    await sweptBy(world);
    await it.settle('web', {}, world);

    expect(cloudWrites(it)).toEqual(written);
    expect(finalizers()).toEqual([FINALIZER]);
    expect(readyOf(it)).toMatchObject({ status: 'Unknown', reason: 'TakenOver' });
    expect(it.told()).toContain('if that controller does not run any more, remove the finalizer');
    expect(addressOf(it)).toBe(THEIRS);
  });

  test('finishes a deleted Service that a controller without this finalizer has taken over', async () => {
    const world = await released(OURS);
    takenOver('metallb-controller');
    await sweptBy(world);
    expect(readyOf(it)?.reason).toBe('TakenOver');

    it.kube.delete('Service', 'default', 'web');
    await it.sweepUntilSettled(world);

    expect(serviceOf(it)).toBeUndefined();
    expect(leftovers(it)).toEqual({});
  });

  test.each([
    ['openstack-cloud-controller-manager', [FINALIZER]],
    ['metallb-controller', []],
  ])('leaves %s its address and its finalizer, also with an approval', async (manager, left) => {
    const world = await reconfigured(undefined, OURS);
    takenOver(manager);
    await sweptBy(world);

    it.approve();
    await it.settle('web', {}, world);
    await sweptBy(world);

    expect(leftovers(it)).toEqual({});
    expect(addressOf(it)).toBe(THEIRS);
    expect(finalizers()).toEqual(left);
    expect(readyOf(it)).toBeUndefined();
    expect(await sweep(world)).toMatchObject({ requests: [], warnings: [] });
  });

  test('gives up no Service of which it finds nothing', async () => {
    const world = await reconfigured(undefined, OURS);
    const address = addressOf(it);
    const elsewhere = { ...world.config.openstack, credentials: OTHER_PROJECT };
    it.kube.delete('ConfigMap', 'levelset', 'levelset-place');

    await sweptBy(await it.another({ ...world.config, openstack: elsewhere }));

    expect(addressOf(it)).toBe(address);
    expect(finalizers()).toEqual([FINALIZER]);
    expect(readyOf(it)?.reason).toBe('Released');
  });

  test('takes no approval from before levelset looked after the Service again', async () => {
    const world = await released(undefined, OURS);
    it.approve();
    await it.sweepUntilSettled();
    const written = cloudWrites(it);

    const later = { ...world, clock: it.later(60_000).clock };
    await sweptBy(later);

    expect(cloudWrites(it)).toEqual(written);
    expect(readyOf(it)?.reason).toBe('Released');
    expect(await sweep(later)).toMatchObject({ requests: [] });
  });
});
