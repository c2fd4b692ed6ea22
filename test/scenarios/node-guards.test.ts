/** What must not happen to Nodes, whatever Nova, the apiserver and other controllers do meanwhile. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { joinNodes } from '../support/nodes.ts';
import { startNodeWorld } from '../support/node-world.ts';
import type { NodeWorld } from '../support/node-world.ts';

let it: NodeWorld;
beforeEach(async () => {
  it = await startNodeWorld();
  joinNodes(it.sandbox, 3);
  await it.sweepUntilSettled();
});
afterEach(() => it.close());

const ZONE = 'topology.kubernetes.io/zone';
const change = (name: string, part: object): void => {
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name }, ...part });
};

test('what a sweep found, and somebody else got in the way of, is done when the key comes back', async () => {
  change('worker-1', { metadata: { name: 'worker-1', labels: { [ZONE]: 'wrong' } } });
  it.sandbox.fault({
    match: { side: 'kube', method: 'PATCH', path: /nodes\/worker-1/ },
    kind: 'call',
    before: () => {
      change('worker-1', { metadata: { name: 'worker-1', labels: { other: 'label' } } });
    },
  });
  const { outcome } = await it.look('worker-1', { trigger: 'sweep' });
  expect(outcome).toMatchObject({ status: 'failed', code: 'KUBE_CONFLICT' });
  await it.look('worker-1', { trigger: 'comeback' });
  expect(it.node('worker-1').metadata.labels?.[ZONE]).toBe('az1');
});
