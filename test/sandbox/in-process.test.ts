import { describe, expect, test } from 'vitest';
import { countedLots } from '../../infra/sandbox/lots.ts';
import { createSandbox, type SandboxInside, type SandboxOptions } from '../../infra/sandbox/sandbox.ts';
import { VirtualClock } from '../../infra/sandbox/sandbox-clock.ts';
import { connectCloud } from '../../shared/openstack/connect-cloud.ts';
import type { Cloud } from '../../shared/ports.ts';
import { aConfig } from '../support/config.ts';
import { AUTH_URL, cloudTransport } from '../support/in-process.ts';

const MINUTE_MS = 60_000;

/** A world without sockets, and the program's own client for it, which waits a minute for each answer. */
function aWorld(options: SandboxOptions = {}): { inside: SandboxInside; cloud: Cloud } {
  const inside = createSandbox({ nodes: 1, ...options }, new VirtualClock(), countedLots());
  const config = { ...aConfig(AUTH_URL).openstack, requestTimeoutMs: MINUTE_MS };
  return { inside, cloud: connectCloud(config, { transport: cloudTransport(inside) }).cloud };
}

const aFloatingIp = (inside: SandboxInside) => ({
  floating_network_id: inside.cloud.networks.find((one) => one['router:external'])?.id,
});
const asked = ({ requests }: SandboxInside, path: string): number =>
  requests.filter((one) => one.path.includes(path)).length;

test('the client reads and writes what the simulator has, with a token', async () => {
  const { inside, cloud } = aWorld();
  const made = await cloud.create('floatingip', aFloatingIp(inside));
  await cloud.update('floatingip', made.id, { tags: ['a', 'b'] });

  expect(inside.cloud.floatingips).toMatchObject([{ id: made.id, tags: ['a', 'b'] }]);
  expect(await cloud.list('floatingip', { tags: 'b' })).toHaveLength(1);
  expect(await cloud.projectId()).toBe(inside.cloud.projectId);
  expect(asked(inside, '/identity/v3/auth/tokens')).toBe(1);
  await expect(cloud.create('floatingip', { floating_network_id: made.id })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('nobody shares an object with the simulator', async () => {
  const { inside, cloud } = aWorld();
  const description = { text: 'mine' };
  const made = await cloud.create('floatingip', { ...aFloatingIp(inside), description: description.text });
  const tags = ['a'];
  await cloud.update('floatingip', made.id, { tags });
  const [seen] = await cloud.list('floatingip');
  tags.push('b');
  (seen?.['tags'] as string[]).push('c');

  expect(inside.cloud.floatingips[0]?.tags).toEqual(['a']);
});

describe('on a clock of its own', () => {
  test('a minute without an answer is over at once, and a write is not sent again', async () => {
    const { inside, cloud } = aWorld();
    await cloud.projectId();
    inside.fault({ kind: 'hang', match: { path: /floatingips/ } });
    const [real, virtual] = [performance.now(), inside.clock.millis()];
    await expect(cloud.create('floatingip', aFloatingIp(inside))).rejects.toMatchObject({
      code: 'CLOUD_UNAVAILABLE',
    });

    expect(inside.clock.millis() - virtual).toBe(MINUTE_MS);
    expect(performance.now() - real).toBeLessThan(5_000);
    expect([asked(inside, 'floatingips'), inside.cloud.floatingips]).toEqual([1, []]);
  });

  test('a read is sent again after a lost connection, with the time between', async () => {
    const { inside, cloud } = aWorld();
    await cloud.projectId();
    inside.fault({ kind: 'reset-before', match: { path: /floatingips/ }, times: 2 });
    const virtual = inside.clock.millis();

    expect(await cloud.list('floatingip')).toEqual([]);
    expect(asked(inside, 'floatingips')).toBe(3);
    expect(inside.clock.millis()).toBeGreaterThan(virtual);
  });

  test.each([
    ['fail-after', 1],
    ['fail-before', 0],
    ['reset-after', 1],
  ] as const)('a write with %s leaves %i behind', async (kind, left) => {
    const { inside, cloud } = aWorld();
    inside.fault({ kind, match: { path: /floatingips/, write: true } });
    await expect(cloud.create('floatingip', aFloatingIp(inside))).rejects.toThrow();

    expect(inside.cloud.floatingips).toHaveLength(left);
  });

  test('something may happen just before a request and just after it', async () => {
    const { inside, cloud } = aWorld();
    const seen: number[] = [];
    const look = (): void => void seen.push(inside.cloud.floatingips.length);
    inside.fault({ kind: 'call', match: { path: /floatingips/ }, before: look, after: look });
    await cloud.create('floatingip', aFloatingIp(inside));

    expect(seen).toEqual([0, 1]);
  });

  test('time stands still until somebody moves it', async () => {
    const { inside, cloud } = aWorld({ pendingMs: 300 });
    const subnet = inside.cloud.subnets.find((one) => one.name === 'private-v4')?.id;
    const { id } = await cloud.create('loadbalancer', { name: 'a', vip_subnet_id: subnet });
    const status = async () => (await cloud.get('loadbalancer', id))?.['provisioning_status'];
    expect([await status(), await status()]).toEqual(['PENDING_CREATE', 'PENDING_CREATE']);
    inside.advanceClock(300);
    expect(await status()).toBe('ACTIVE');
  });

  test('a world that does the same has the same ids', async () => {
    const [one, other] = [aWorld(), aWorld()];
    for (const { inside, cloud } of [one, other]) await cloud.create('floatingip', aFloatingIp(inside));

    expect(one.inside.cloud.floatingips).toEqual(other.inside.cloud.floatingips);
    expect(one.inside.kube.list('Node')).toEqual(other.inside.kube.list('Node'));
  });
});
