import { describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, run, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { cloudWrites, forceDelete } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const NO_SERVICES = { kind: 'ServiceList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] };
const listServices = { side: 'kube', method: 'GET', path: /^\/api\/v1\/services/ } as const;

async function create(...names: readonly string[]): Promise<void> {
  for (const name of names) it.sandbox.kube.apply(aService({ name }));
  await it.sweepUntilSettled();
}

/** The UIDs of Services of which a watermark is kept. */
function statesOf({ sandbox }: SandboxWorld): readonly string[] {
  const maps = sandbox.kube.list('ConfigMap', 'levelset');
  const kept = maps.filter(({ metadata: { name } }) => name.startsWith('levelset-state-'));
  return kept.flatMap(({ data }) => Object.keys(data ?? {})).filter((uid) => /^[0-9a-f-]{36}$/.test(uid));
}

test('who only wants to know takes nothing away, not even the state of a Service that is no more', async () => {
  await create('web', 'other');
  forceDelete(it.sandbox);
  it.sandbox.cloud.loadbalancers.splice(0);

  await sweep(it.world, { readOnly: true });
  expect(statesOf(it)).toHaveLength(2);
  await sweep(it.world);
  expect(statesOf(it)).toHaveLength(1);
});

test('what a Service left behind that was force-deleted without its finalizer is found by the sweep and deleted, after the apiserver said that there is no such Service', async () => {
  await create('web', 'other');
  forceDelete(it.sandbox);
  const seen = it.sandbox.requests.length;

  await it.sweepUntilSettled();

  expect(it.sandbox.cloud.loadbalancers.map(({ name }) => name)).toEqual([
    'kube_service_kubernetes_default_other',
  ]);
  expect(it.sandbox.cloud.floatingips).toHaveLength(1);
  expect(statesOf(it)).toHaveLength(1);
  const calls = it.sandbox.requests
    .slice(seen)
    .map(({ method, path, status }) => `${method} ${path} ${status}`);
  const asked = calls.findIndex((call) => /^GET .*\/services\/web 404$/.test(call));
  expect(asked).toBeGreaterThanOrEqual(0);
  expect(asked).toBeLessThan(calls.findIndex((call) => call.startsWith('DELETE ')));
});

describe('a list of Services that is wrong', () => {
  test('and lacks one deletes nothing, since the apiserver is asked for that very Service', async () => {
    await create('web');
    const before = cloudWrites(it.sandbox);
    it.sandbox.fault({ match: listServices, kind: 'fail-before', status: 200, body: NO_SERVICES });

    const found = await sweep(it.world);
    for (const request of found.requests) await run(request, it.world);

    expect(found.requests.map(({ key }) => key)).toEqual(['service/default/web']);
    expect(cloudWrites(it.sandbox)).toEqual(before);
  });

  test('because the list of Services fails finds nothing to do and says why', async () => {
    await create('web');
    forceDelete(it.sandbox);
    it.sandbox.fault({ match: listServices, kind: 'fail-before', status: 503, times: 9 });

    const found = await sweep(it.world);

    expect(found.failed).toContain('cannot list Services');
    expect(found.requests).toEqual([]);
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
  });
});

const orphan = ['service/default/web'];
const lists = [
  ['Nodes', { side: 'kube', method: 'GET', path: /^\/api\/v1\/nodes/ } as const, orphan],
  ['load balancers', { side: 'openstack', method: 'GET', path: /lbaas\/loadbalancers/ } as const, []],
  ['floating IPs', { side: 'openstack', method: 'GET', path: /floatingips/ } as const, orphan],
  ['security groups', { side: 'openstack', method: 'GET', path: /security-groups/ } as const, orphan],
  ['certificates', { side: 'openstack', method: 'GET', path: /v1\/secrets/ } as const, orphan],
  ['watermarks', { side: 'kube', method: 'GET', path: /configmaps\?/ } as const, orphan],
] as const;

test.each(lists)(
  'another list that fails %s: what the others show to be left is found, nothing is pruned',
  async (_, match, keys) => {
    await create('web');
    forceDelete(it.sandbox);
    it.sandbox.fault({ match, kind: 'fail-before', status: 503, times: 9 });

    const found = await sweep(it.world);

    expect(found.incomplete).toBe(true);
    expect(found.warnings.join()).toContain('unable to handle the request');
    expect(found.requests.map(({ key }) => key)).toEqual(keys);
    expect(statesOf(it)).toHaveLength(1);
  },
);
