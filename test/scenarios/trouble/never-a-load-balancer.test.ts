/** Most events are about objects that have nothing in OpenStack, so they ask OpenStack nothing. */
import { describe, expect, test } from 'vitest';
import { serviceKey, type Key, type Trigger } from '../../../shared/model/request.ts';
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

const WORLDS: readonly (readonly [string, () => void])[] = [
  [
    'a ClusterIP Service',
    () => {
      apply({ type: 'ClusterIP' });
    },
  ],
  [
    'a NodePort Service',
    () => {
      apply({ type: 'NodePort' });
    },
  ],
  [
    'an ExternalName Service',
    () => {
      apply({ type: 'ExternalName', externalName: 'example.org' });
    },
  ],
  [
    'a Service of another class',
    () => {
      apply({ loadBalancerClass: 'example.org/other' });
    },
  ],
  [
    'a Service that is gone',
    () => {
      apply({ type: 'ClusterIP' });
      it.sandbox.kube.delete('Service', 'default', 'web');
    },
  ],
  ['a name that never was', () => undefined],
];

describe.each(WORLDS)('%s', (_title, prepare) => {
  test.each<Trigger>(['audit', 'events'])('costs OpenStack nothing for an event of %s', async (trigger) => {
    prepare();
    const asked = await askedBy(async () => {
      expect((await run({ key: KEY, trigger }, it.world)).outcome).toEqual({ status: 'settled' });
    });

    expect(asked).toEqual([]);
  });

  test('costs OpenStack nothing when its EndpointSlices or Secrets change', async () => {
    prepare();
    const asked = await askedBy(async () => {
      expect(await sweep(it.world, { namespace: 'default' })).toMatchObject({ requests: [], warnings: [] });
    });

    expect(asked).toEqual([]);
  });
});

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
    const finalizers = { metadata: { name: 'web', namespace: 'default', finalizers: [] } };
    it.sandbox.kube.apply({ ...aService(), ...finalizers });
    it.sandbox.kube.delete('Service', 'default', 'web');
    expect(it.sandbox.kube.get('Service', 'default', 'web')?.metadata.finalizers ?? []).not.toContain(
      FINALIZER,
    );

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
