/** externalTrafficPolicy Local: kube-proxy drops what comes to a node without an endpoint, so none should come. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld({}, { createMonitor: false });
});
afterEach(() => it.close());

const endpointsOn = (...nodes: readonly string[]): void => {
  it.sandbox.kube.apply({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'web-x7k2p',
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': 'web' },
    },
    addressType: 'IPv4',
    endpoints: nodes.map((nodeName, at) => ({
      addresses: [`10.244.0.${at + 1}`],
      nodeName,
      conditions: { ready: true },
    })),
  });
};

const serving = (): readonly unknown[] =>
  it.sandbox.cloud.members
    .filter((member) => member['backup'] === false)
    .map(({ name }) => name)
    .sort();

test('a node without a ready endpoint is a backup, and is none once its Pod is ready', async () => {
  endpointsOn('node-1');
  it.sandbox.kube.apply(aService({ spec: { externalTrafficPolicy: 'Local' } }));
  await it.settle('web');
  expect(serving()).toEqual(['node-1']);
  expect(it.sandbox.cloud.members).toHaveLength(3);

  endpointsOn('node-2', 'node-3');
  await it.sweepUntilSettled();
  expect(serving()).toEqual(['node-2', 'node-3']);
});

test('without any ready endpoint all nodes are alike: the pool is never without a member that serves', async () => {
  endpointsOn('node-1');
  it.sandbox.kube.apply(aService({ spec: { externalTrafficPolicy: 'Local' } }));
  await it.settle('web');

  endpointsOn();
  await it.sweepUntilSettled();
  expect(serving()).toEqual(['node-1', 'node-2', 'node-3']);
});

test('kube-proxy is asked which nodes have an endpoint, even where monitors are off', async () => {
  it.sandbox.kube.apply(aService({ spec: { externalTrafficPolicy: 'Local' } }));
  await it.settle('web');
  const [monitor] = it.sandbox.cloud.healthmonitors;
  expect(monitor).toMatchObject({ type: 'HTTP', url_path: '/healthz', expected_codes: '200' });
  expect(it.sandbox.cloud.members.every((member) => Number(member['monitor_port']) >= 30_000)).toBe(true);

  it.sandbox.kube.apply(aService({ spec: { externalTrafficPolicy: 'Cluster' } }));
  await it.sweepUntilSettled();
  expect(it.sandbox.cloud.healthmonitors).toEqual([]);
  expect(serving()).toEqual(['node-1', 'node-2', 'node-3']);
});
