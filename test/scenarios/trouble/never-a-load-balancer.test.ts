/**
 * Most events are about objects that have nothing in OpenStack, so they ask OpenStack nothing; a sweep asks little, and after a run that wrote
 * its whole plan the next one looks at the load balancer alone. What differs below it, levelset finds all the same.
 */
import { expect, test, describe } from 'vitest';
import type { Key, ReconcileRequest } from '../../../shared/model/request.ts';
import { FINALIZER } from '../../../shared/model/ownership.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { forceDelete } from '../../support/told.ts';
import { inEachTest, runAll, startSandboxWorld, pause } from '../../support/sandbox-world.ts';
import { keepTlsSecret } from '../../support/tls-secret.ts';

const it = inEachTest(() => startSandboxWorld());

/** The requests that OpenStack gets while `act` runs, also those for a token. */
async function askedBy(act: () => Promise<unknown>): Promise<readonly string[]> {
  const before = it.requests.length;
  await act();
  const requests = it.requests.slice(before).filter(({ side }) => side === 'openstack');
  return requests.map(({ method, path }) => `${method} ${path}`);
}

const OTHER = 'a Service of another controller, whose finalizer is the same';
const WORLDS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['a ClusterIP Service', { type: 'ClusterIP' }],
  ['a NodePort Service', { type: 'NodePort' }],
  ['an ExternalName Service', { type: 'ExternalName', externalName: 'example.org' }],
  [OTHER, { loadBalancerClass: 'example.org/other' }],
  ['a Service that is gone', { type: 'ClusterIP' }],
];

test.each(WORLDS)('%s costs OpenStack nothing for events, EndpointSlices and Secrets', async (what, spec) => {
  it.kube.apply(aService({ spec }));
  const finalizers = what === OTHER ? [FINALIZER] : [];
  it.edit({ finalizers });
  if (what === 'a Service that is gone') it.kube.delete('Service', 'default', 'web');

  const asked = await askedBy(async () => {
    for (const trigger of ['audit', 'events'] as const)
      expect((await it.once({ trigger })).outcome).toEqual({ status: 'settled' });
    expect(await sweep(it.world, { namespace: 'default' })).toMatchObject({ requests: [], warnings: [] });
  });

  expect(asked).toEqual([]);
  const left = it.kube.get('Service', 'default', 'web')?.metadata.finalizers ?? [];
  expect(left).toEqual(finalizers);
});

test('a Service that is done with costs OpenStack nothing for the event of its end', async () => {
  await it.make();
  await it.remove('web');
  expect(it.cloud.loadbalancers).toEqual([]);

  expect(await askedBy(() => it.once())).toEqual([]);
});

test.each(['a run', 'a sweep'])(
  'a Service that lost its finalizer is cleaned up at its event, once a sweep has found it, by a process that knows it by %s',
  async (by) => {
    await it.make();
    const process = await it.another();
    if (by === 'a run') await it.once({}, process);
    else await sweep(process);
    forceDelete(it);

    await sweep(process);
    await it.once({}, process);

    expect(it.cloud.loadbalancers.map(({ provisioning_status: status }) => status)).not.toContain('ACTIVE');
  },
);

test('whatever triggers that read everything find is looked at in OpenStack', async () => {
  for (const trigger of ['sweep', 'resync', 'command', 'requeue'] as const)
    expect(await askedBy(() => it.once({ trigger }))).not.toEqual([]);
});

test('who asks for an object that is not there hears so, unless it has left something', async () => {
  const ask = async (key: Key, dryRun: boolean) =>
    (await it.once({ key, trigger: 'resync', dryRun })).missing;
  for (const dryRun of [true, false]) {
    expect(await ask('service/default/wbe', dryRun)).toBe(true);
    expect(await ask('routes', dryRun)).toBeUndefined();
  }
  it.kube.apply(aService());
  expect(await ask('service/default/web', true)).toBeUndefined();
  await it.settle('web');
  forceDelete(it);
  expect(await ask('service/default/web', true)).toBeUndefined();
});

test.each([1, 20])('a sweep over %i settled Services costs no write and at most ten calls', async (count) => {
  // settled records leave out what changed a moment ago: here everything changed a minute ago
  it.advanceClock(-60_000);
  for (let n = 1; n <= count; n += 1) it.kube.apply(aService({ name: `web-${n}` }));
  await it.sweepUntilSettled();
  await runAll(await sweep(it.world), it.world);
  const before = it.requests.length;

  const fresh = await it.another();
  const found = await sweep(fresh);

  const calls = it.requests.slice(before);
  expect(found).toMatchObject({ requests: [], services: count, settled: count, warnings: [] });
  expect(calls.filter(({ write }) => write)).toEqual([]);
  expect(calls.filter(({ side }) => side === 'openstack').length).toBeLessThanOrEqual(10);
  expect(calls.filter(({ side }) => side === 'kube').length).toBeLessThanOrEqual(10);
});

/** What is on a load balancer. */
const ON_IT = /\/(listeners|pools|members|healthmonitors)/;
const asked = (path: RegExp): number =>
  it.requests.filter((call) => call.method === 'GET' && path.test(call.path)).length;

describe('the requeued run after one that wrote its whole plan', () => {
  test('looks at the load balancer and at nothing else', async () => {
    await it.make();

    expect(asked(ON_IT)).toBe(0);
    expect(asked(/\/loadbalancers/)).toBe(2);
    expect(asked(/\/floatingips\?/)).toBe(1);
  });

  const ports = [{ name: 'http', port: 80, targetPort: 8080, nodePort: 30090 }];
  const replace = () => {
    forceDelete(it);
    return it.kube.apply(aService());
  };
  const share = () => {
    const [lb] = it.cloud.loadbalancers;
    return Object.assign(lb ?? {}, { tags: [...(lb?.tags ?? []), 'levelset-name=default/other'] });
  };
  test.each<readonly [string, ReconcileRequest['trigger'], change: () => unknown]>([
    ['a person asks', 'resync', () => undefined],
    ['a sweep asks', 'sweep', () => undefined],
    ['the Service was edited', 'audit', () => it.kube.apply(aService({ spec: { ports } }))],
    ['the Service is another one of that name', 'audit', replace],
    ['another Service shares the load balancer', 'audit', share],
  ])('reads everything where %s meanwhile', async (_, trigger, change) => {
    it.kube.apply(aService());
    await it.once();
    await pause(20);

    change();
    await it.settle('web', { trigger });

    expect(asked(ON_IT)).toBeGreaterThan(0);
  });

  test.each([
    ['the members of the pools that were written, and nothing else on it', 0, 0],
    ['everything a minute later', 61_000, 1],
  ])('reads after a member went %s', async (_, passedMs, everything) => {
    await it.make();
    await it.sweepUntilSettled();
    it.kube.removeNode('node-1');
    await it.once({ trigger: 'resync' });
    await pause(20);
    const [members, listeners] = [asked(/\/members/), asked(/\/listeners/)];

    await it.settle('web', { trigger: 'requeue' }, it.later(passedMs));

    expect(it.cloud.members).toHaveLength(2);
    expect(asked(/\/members/) - members).toBe(1);
    expect(asked(/\/listeners/) - listeners).toBe(everything);
  });

  test('reads everything when it is late: another process may have changed settings', async () => {
    it.kube.apply(aService());
    await it.once();
    await pause(20);
    Object.assign(it.cloud.pools[0] ?? {}, { lb_algorithm: 'SOURCE_IP' });

    await it.once({}, it.later(61_000));

    expect(asked(ON_IT)).toBeGreaterThan(0);
    expect(it.cloud.pools[0]).toMatchObject({ lb_algorithm: 'ROUND_ROBIN' });
  });
});

test.each([3, 90])('a certificate that another process deleted %i s ago is stored anew', async (gapS) => {
  const { kube, cloud } = it;
  let passedMs = 0;
  const clock = { now: () => Date.now() + passedMs };
  const [first, second] = [it.world, await it.another()].map((world) => ({ ...world, clock }));
  keepTlsSecret(it, 'one');
  const secured = aService({ annotations: { 'levelset.openstack.org/tls-secret': 'web-tls' } });
  kube.apply(secured);
  await it.settle('web', {}, first);
  // one that names no Secret asks first, and would keep the answer for five minutes
  await it.make({ name: 'plain' }, {}, first);
  kube.delete('Service', 'default', 'web');
  await it.settle('web', {}, second);
  passedMs += gapS * 1_000;
  it.advanceClock(gapS * 1_000);
  kube.apply(secured);

  const { outcome } = await it.settle('web', {}, first);

  expect(outcome.status).toBe('settled');
  expect(cloud.loadbalancers).toHaveLength(2);
});
