/** While a pool rests, sweeps still tell of what must not wait (decision 335), though the queue drops what they find of a key that comes back. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { servingWorld } from './serving-world.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ONE_PORT = { ports: [{ name: 'http', port: 80, targetPort: 8080 }] };
const MEMBERS = 21;

/** A Service whose pool rests for another nine seconds, with a Node that is gone. */
async function gathering(spec: object = {}) {
  const web = { name: 'web', spec: { ...ONE_PORT, ...spec } };
  const world = await servingWorld([web], { nodes: 24, pendingMs: 1_000 });
  const { inside, work, pass } = world;
  let gone = 0;
  const leave = async (count: number, ms: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) inside.kube.delete('Node', undefined, `node-${(gone += 1)}`);
    work.enqueue([{ key: 'nodeset', trigger: 'watch' }]);
    await pass(ms);
  };
  await leave(1, 2_000);
  await leave(2, 6_000);
  await leave(1, 1_000);
  expect(inside.cloud.members).toHaveLength(MEMBERS);
  return { ...world, leave };
}

test('half of the Nodes, which die while a change of one waits, are taken out at once', async () => {
  const { inside, leave } = await gathering();
  await leave(10, 2_000);
  expect(inside.cloud.members).toHaveLength(MEMBERS - 11);
});

test('another Node waits with those that have gathered', async () => {
  const { inside, leave, pass } = await gathering();
  await leave(1, 2_000);
  expect(inside.cloud.members).toHaveLength(MEMBERS);
  await pass(8_000);
  expect(inside.cloud.members).toHaveLength(MEMBERS - 2);
});

test('a Pod that moves to another Node has its traffic at once', async () => {
  const { inside, work, pass } = await gathering({ externalTrafficPolicy: 'Local' });
  const labels = { 'kubernetes.io/service-name': 'web' };
  const endpoint = { addresses: ['10.244.0.1'], nodeName: 'node-20', conditions: { ready: true } };
  inside.kube.apply({
    ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4' },
    ...{ metadata: { name: 'web-1', namespace: 'default', labels }, endpoints: [endpoint] },
  });
  work.enqueue([{ key: 'namespace/default', trigger: 'events' }]);
  await pass(2_000);
  const serving = inside.cloud.members.filter(({ backup }) => backup === false);
  expect(serving.map(({ name }) => name)).toEqual(['node-20']);
});
