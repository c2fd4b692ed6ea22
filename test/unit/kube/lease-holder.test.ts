import { afterEach, beforeEach, expect, test } from 'vitest';
import { sandboxKube, type SandboxKube } from './sandbox-kube.ts';

let world: SandboxKube;
beforeEach(async () => {
  world = await sandboxKube();
});
afterEach(() => world.sandbox.close());

test('two Services of one process that want the same Lease keep each other out', async () => {
  const kube = await world.connect('a');
  const [web, api] = [kube.lease('levelset-lb-1', 'web'), kube.lease('levelset-lb-1', 'api')];

  await web.acquire();
  await expect(api.acquire()).rejects.toMatchObject({ code: 'LEASE_HELD' });

  await web.release();
  expect(await api.acquire()).toEqual({ fresh: false });
});

test('its owner learns that another Service of the same process had its Lease', async () => {
  const kube = await world.connect('a');
  const owner = kube.lease('levelset-1');
  await owner.acquire();
  await owner.release();
  expect(await owner.acquire()).toEqual({ fresh: true });
  await owner.release();

  const other = kube.lease('levelset-1', 'api');
  await other.acquire();
  await other.release();

  expect(await owner.acquire()).toEqual({ fresh: false });
});
