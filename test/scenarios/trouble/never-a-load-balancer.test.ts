/** Most events are about objects that have nothing in OpenStack, so they ask OpenStack nothing. */
import { expect, test } from 'vitest';
import { serviceKey, type Key } from '../../../shared/model/request.ts';
import { FINALIZER } from '../../../shared/model/ownership.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { forceDelete } from '../../support/told.ts';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';

const it = inEachTest(() => startSandboxWorld());

const KEY = serviceKey('default', 'web');
const apply = (spec: Readonly<Record<string, unknown>> = {}): void => {
  it.sandbox.kube.apply(aService({ spec }));
};

/** The requests that OpenStack gets while `act` runs, also those for a token. */
async function askedBy(act: () => Promise<unknown>): Promise<readonly string[]> {
  const before = it.sandbox.requests.length;
  await act();
  const requests = it.sandbox.requests.slice(before).filter(({ side }) => side === 'openstack');
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

test.each(WORLDS)(
  '%s costs OpenStack nothing for its events, and when its EndpointSlices or Secrets change',
  async (what, spec) => {
    apply(spec);
    const finalizers = what === OTHER ? [FINALIZER] : [];
    it.sandbox.kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default', finalizers } });
    if (what === 'a Service that is gone') it.sandbox.kube.delete('Service', 'default', 'web');

    const asked = await askedBy(async () => {
      for (const trigger of ['audit', 'events'] as const)
        expect((await run({ key: KEY, trigger }, it.world)).outcome).toEqual({ status: 'settled' });
      expect(await sweep(it.world, { namespace: 'default' })).toMatchObject({ requests: [], warnings: [] });
    });

    expect(asked).toEqual([]);
    const left = it.sandbox.kube.get('Service', 'default', 'web')?.metadata.finalizers ?? [];
    expect(left).toEqual(finalizers);
  },
);

test('a Service that is done with costs OpenStack nothing for the event of its end', async () => {
  apply();
  await it.settle('web');
  await it.remove('web');
  expect(it.sandbox.cloud.loadbalancers).toEqual([]);

  expect(await askedBy(() => run({ key: KEY, trigger: 'audit' }, it.world))).toEqual([]);
});

test.each(['a run', 'a sweep'])(
  'a Service that lost its finalizer is cleaned up at its event, once a sweep has found it, by a process that knows it by %s',
  async (by) => {
    apply();
    await it.settle('web');
    const process = await it.another();
    if (by === 'a run') await run({ key: KEY, trigger: 'audit' }, process);
    else await sweep(process);
    forceDelete(it.sandbox);

    await sweep(process);
    await run({ key: KEY, trigger: 'audit' }, process);

    expect(it.sandbox.cloud.loadbalancers.map(({ provisioning_status: status }) => status)).not.toContain(
      'ACTIVE',
    );
  },
);

test('whatever triggers that read everything find is looked at in OpenStack', async () => {
  for (const trigger of ['sweep', 'resync', 'command', 'requeue'] as const)
    expect(await askedBy(() => run({ key: KEY, trigger }, it.world))).not.toEqual([]);
});

test('who asks for an object that is not there hears so, unless it has left something', async () => {
  const ask = async (key: Key, dryRun: boolean) =>
    (await run({ key, trigger: 'resync', dryRun }, it.world)).missing;
  for (const dryRun of [true, false]) {
    expect(await ask('service/default/wbe', dryRun)).toBe(true);
    expect(await ask('routes', dryRun)).toBeUndefined();
  }
  apply();
  expect(await ask(KEY, true)).toBeUndefined();
  await it.settle('web');
  forceDelete(it.sandbox);
  expect(await ask(KEY, true)).toBeUndefined();
});
