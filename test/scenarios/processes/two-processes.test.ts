import { afterEach, beforeEach, expect, test } from 'vitest';
import type { World } from '../../../shared/ports.ts';
import { run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';

const PORTS = [{ port: 80, targetPort: 8080, nodePort: 30080, protocol: 'TCP' }];
const KEY = 'service/default/web';

const KEPT_FOR_A_MINUTE = [
  '/network/v2.0/subnets/ID',
  '/network/v2.0/security-groups',
  '/network/v2.0/networks',
  '/key-manager/v1/secrets',
];

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
  it.sandbox.kube.apply({
    kind: 'Service',
    metadata: { namespace: 'default', name: 'web' },
    spec: { type: 'LoadBalancer', ports: PORTS },
  });
  await it.settle('web');
});
afterEach(() => it.close());

/** What a run of this process asks OpenStack, after a token. */
async function asked(world: World): Promise<readonly string[]> {
  const { requests } = it.sandbox;
  const before = requests.length;
  await run({ key: KEY, trigger: 'audit' }, world);
  return requests
    .slice(before)
    .filter(({ side, service }) => side === 'openstack' && service !== 'keystone')
    .map(({ path }) => path.replace(/[?].*/, '').replace(/[0-9a-f-]{36}/g, 'ID'));
}

test('what one process remembers is nothing to another that uses the same clients', async () => {
  await asked(it.world);
  const known = await asked(it.world);
  const { memory } = await it.another();
  const anew = await asked({ ...it.world, memory });

  const again = anew.filter((path) => !known.includes(path));
  expect(again).toEqual(expect.arrayContaining(KEPT_FOR_A_MINUTE));
});
