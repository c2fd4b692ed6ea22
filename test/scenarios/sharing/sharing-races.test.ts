/** Another Service writes to the same load balancer between the observation and the write of one run. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { World } from '../../../shared/ports.ts';
import { aService } from '../../support/service.ts';
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, leftovers } from '../../support/told.ts';

const ID = 'loadbalancer.openstack.org/load-balancer-id';
const NAME = 'levelset.openstack.org/load-balancer-name';

let it: SandboxWorld;
let other: World;
beforeEach(async () => {
  it = await startSandboxWorld({ pendingMs: 0 }, { maxSharedLb: 5 });
  other = await it.another();
});
afterEach(() => it.close());

const apply = (name: string, port: number, annotations: Record<string, string> = {}) =>
  it.sandbox.kube.apply(
    aService({ name, annotations, spec: { ports: [{ name: 'main', port, targetPort: 1 }] } }),
  );
const lb = () => it.sandbox.cloud.loadbalancers[0];
const ports = () =>
  it.sandbox.cloud.listeners.map(({ protocol_port }) => protocol_port).sort((a, b) => a - b);
const once = (name: string, world: World) => run({ key: `service/default/${name}`, trigger: 'audit' }, world);

async function settleBy(name: string, world: World): Promise<string> {
  for (let tries = 0; tries < 60; tries += 1) {
    const { outcome } = await once(name, world);
    if (outcome.status !== 'progressing') return outcome.status;
    await pause(2);
  }
  return 'never';
}

/** The owner `web`; `api` and `dns` are to join it. */
async function threeServices(): Promise<void> {
  apply('web', 80);
  await it.settle('web');
  apply('api', 81, { [ID]: lb()?.id ?? '' });
  apply('dns', 82, { [ID]: lb()?.id ?? '' });
}

/** Right before the first request of this kind. */
function before(match: { method: string; path: RegExp; nth?: number }, act: () => Promise<unknown>): void {
  const doOnce = async (): Promise<void> => {
    stop();
    await act();
  };
  const stop = it.sandbox.fault({ match, kind: 'call', before: doOnce });
}

test.each([
  ['of the same process', () => it.world],
  ['of another process', () => other],
])('a Service %s does not write while one that joins writes its tags', async (_, by) => {
  await threeServices();
  const said: unknown[] = [];
  before({ method: 'PUT', path: /loadbalancers\/[^/]+$/ }, async () => {
    const { outcome } = await once('dns', by());
    said.push('reason' in outcome ? outcome.reason : outcome.status);
  });

  await once('api', it.world);

  expect(said).toEqual(['waiting for another Service on the same load balancer']);
  expect(lb()?.tags).toContain('levelset-name=default/api');
  expect(await settleBy('dns', by())).toBe('settled');
  expect(await settleBy('api', it.world)).toBe('settled');
  expect(ports()).toEqual([80, 81, 82]);
});

test('a route that was written since the observation is not overwritten', async () => {
  await threeServices();
  before({ method: 'POST', path: /\/leases$/ }, () => settleBy('dns', other));

  await once('api', it.world);

  const names = lb()?.tags.filter((tag) => tag.startsWith('levelset-name='));
  expect(names?.sort()).toEqual([
    'levelset-name=default/api',
    'levelset-name=default/dns',
    'levelset-name=default/web',
  ]);
});

test.each(['POST', 'PUT'])(
  'an owner that is about to delete sees who came meanwhile (%s of its lease)',
  async (method) => {
    await threeServices();
    if (method === 'POST') it.sandbox.kube.delete('Lease', 'levelset', leaseOf('web'));
    it.sandbox.kube.delete('Service', 'default', 'web');
    before({ method, path: /\/leases/ }, () => settleBy('api', other));

    expect(await settleBy('web', it.world)).toBe('settled');

    expect(ports()).toEqual([81]);
    expect(addressOf(it.sandbox, 'api')).toBe(it.sandbox.cloud.floatingips[0]?.floating_ip_address);
    it.sandbox.kube.delete('Service', 'default', 'api');
    it.sandbox.kube.delete('Service', 'default', 'dns');
    await settleBy('api', other);
    expect(leftovers(it.sandbox)).toEqual({});
  },
);

test('the last two that leave at the same moment leave nothing', async () => {
  await threeServices();
  await settleBy('api', it.world);
  await settleBy('dns', other);
  for (const name of ['web', 'api', 'dns']) it.sandbox.kube.delete('Service', 'default', name);
  await settleBy('web', it.world);
  before({ method: 'POST', path: /\/leases$/ }, () => settleBy('dns', other));

  await settleBy('api', it.world);
  await settleBy('dns', other);

  expect(leftovers(it.sandbox)).toEqual({});
});

test('two that would both make the load balancer of a name make one', async () => {
  apply('web', 80, { [NAME]: 'edge' });
  apply('api', 81, { [NAME]: 'edge' });
  before({ method: 'POST', path: /\/leases$/, nth: 2 }, () => settleBy('api', other));

  expect(await settleBy('web', it.world)).toBe('settled');
  expect(await settleBy('api', other)).toBe('settled');

  expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
  expect(it.sandbox.cloud.floatingips).toHaveLength(1);
  expect(ports()).toEqual([80, 81]);
});

function leaseOf(name: string): string {
  return `levelset-${it.sandbox.kube.get('Service', 'default', name)?.metadata.uid ?? ''}`;
}

test('an owner waits for its load balancer, not for the end of a lease, while one that joins has it', async () => {
  await threeServices();
  await settleBy('api', it.world);
  apply('web', 8080);
  const said: unknown[] = [];
  before({ method: 'POST', path: /pools$/ }, async () => said.push((await once('web', other)).outcome));

  expect(await settleBy('dns', it.world)).toBe('settled');

  expect(said).toMatchObject([{ status: 'progressing', waitingFor: lb()?.id }]);
  expect(await settleBy('web', other)).toBe('settled');
  expect(ports()).toEqual([81, 82, 8080]);
});

test('the lease of an owner that has left goes, also when another one held it at its end', async () => {
  await threeServices();
  await settleBy('api', it.world);
  await once('dns', other);
  it.sandbox.kube.delete('Service', 'default', 'web');
  const lease = leaseOf('web');
  while (lb()?.tags.includes('levelset-name=default/web')) await once('web', it.world);
  const held = it.world.kube.lease(lease, 'dns');
  await held.acquire();
  await settleBy('web', it.world);
  await held.release();

  expect(await settleBy('dns', other)).toBe('settled');

  expect(it.sandbox.kube.list('Lease').map(({ metadata }) => metadata.name)).not.toContain(lease);
});
