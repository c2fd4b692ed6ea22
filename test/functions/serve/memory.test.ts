import { expect, test } from 'vitest';
import { PageMemory } from '../../../functions/serve/memory.ts';
import { newMemory } from '../../../shared/memory/memory.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';
import type { Key } from '../../../shared/model/request.ts';
import type { World } from '../../../shared/ports.ts';
import { CONTROLLER_NAMES } from '../../../shared/config/controllers.ts';
import { aConfig } from '../../support/config.ts';

const node = { metadata: { name: 'node-0', uid: 'uid', resourceVersion: '1' } } as Node;
const EMPTY = {
  released: 0,
  settled: 0,
  comparedInFull: 0,
  awaitingApproval: 0,
  nodesWithoutAddress: [],
  changed: [],
  certificates: new Map(),
  nodes: 0,
  nodesSettled: 0,
  nodesCompared: 0,
};
const HOUR_MS = 3_600_000;
const recorded = (...ages: readonly number[]) => ({
  load: () => Promise.resolve({ deletions: ages.map((age) => ({ id: String(age), at: -age })) }),
});
const world = {
  kube: {
    listServices: () => Promise.resolve([]),
    listNodes: () => Promise.resolve([node]),
    deletions: { nodes: recorded(1, HOUR_MS + 1), left: recorded(1, 2, 3) },
  },
  clock: { now: () => 0 },
  config: { ...aConfig(), controllers: CONTROLLER_NAMES },
  memory: newMemory(),
} as unknown as World;
const blocked = (key: Key) => ({
  request: { key, trigger: 'sweep' } as const,
  ...{ outcome: { status: 'blocked', reason: 'x' } as const, applied: [] },
  ...{ durationMs: 1, calls: 1, failedRequestIds: [] },
});

test('the rows of the last list stay while the apiserver is away, with the reason', async () => {
  let atMs = 0;
  let isAway = false;
  const listNodes = (): Promise<readonly Node[]> =>
    isAway ? Promise.reject(new Error('no answer')) : Promise.resolve([node]);
  const memory = new PageMemory({ ...world, kube: { ...world.kube, listNodes }, clock: { now: () => atMs } });
  memory.remember(blocked('node/node-0'));
  const view = async () => {
    atMs += 2_000;
    const { rows, notListed } = await memory.view({ queue: { depth: 0, oldestMs: 0 } });
    return { rows: rows.map(({ object, unknownSince }) => [object, unknownSince]), notListed };
  };
  expect(await view()).toEqual({ rows: [['node/node-0', undefined]], notListed: undefined });
  isAway = true;
  const since = '1970-01-01T00:00:02.000Z';
  expect(await view()).toEqual({ rows: [['node/node-0', since]], notListed: 'no answer' });
  isAway = false;
  expect(await view()).toEqual({ rows: [['node/node-0', undefined]], notListed: undefined });

  // a sweep that found out nothing of Services, while the apiserver answers the page
  const swept = { ...EMPTY, services: 1, requests: [], warnings: [], incomplete: false };
  memory.rememberSweep(swept);
  memory.rememberSweep({ ...swept, services: 0, failed: 'x', incomplete: true });
  expect((await view()).rows).toEqual([['node/node-0', '1970-01-01T00:00:06.000Z']]);
  memory.rememberSweep({ ...swept, failed: 'only that of Nodes', incomplete: true });
  expect((await view()).rows).toEqual([['node/node-0', undefined]]);
});

test('while Octavia does not answer the rows are not known, since its last answer', async () => {
  let atMs = 0;
  let isAway = false;
  const list = () =>
    isAway
      ? Promise.reject(new Error('no answer'))
      : Promise.resolve([{ id: 'lb', operating_status: 'ONLINE' }]);
  const annotations = { 'loadbalancer.openstack.org/load-balancer-id': 'lb' };
  const service = {
    metadata: { name: 'web', namespace: 'shop', annotations },
    spec: { type: 'LoadBalancer' },
  };
  const kube = {
    ...world.kube,
    listServices: () => Promise.resolve([service]),
    clusterId: () => Promise.resolve('id'),
  };
  const memory = new PageMemory({
    ...world,
    kube,
    cloud: { list },
    clock: { now: () => atMs },
  } as unknown as World);
  const view = async () => {
    atMs += 11_000;
    const { rows, healthUnknown } = await memory.view({ queue: { depth: 0, oldestMs: 0 } });
    return [...rows.slice(0, 1).map((row) => [row.operatingStatus, row.unknownSince]), healthUnknown];
  };
  expect(await view()).toEqual([['ONLINE', undefined], undefined]);
  isAway = true;
  expect(await view()).toEqual([['ONLINE', '1970-01-01T00:00:11.000Z'], 'no answer']);
});

test('what was deleted in the last hour is counted beside what may be', async () => {
  const { deletions } = await new PageMemory(world).view({ queue: { depth: 0, oldestMs: 0 } });
  expect(deletions).toEqual({ nodes: 1, loadBalancers: 3, percent: world.config.deletionPercent });
});
