import { expect, test } from 'vitest';
import { newMemory } from '../../../../shared/memory/memory.ts';
import type { Node } from '../../../../shared/model/kubernetes.ts';
import type { WireResource } from '../../../../shared/model/resources.ts';
import type { CloudReader } from '../../../../shared/ports.ts';
import { listNodePorts } from '../../../../shared/service/observe/node-ports.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';

/** So many Nodes that one list has all ports of the project. */
const MANY = 60;

const nodes = (count: number): readonly Node[] =>
  Array.from({ length: count }, (_, at) => ({
    metadata: { name: `node-${at}`, uid: `${at}`, resourceVersion: '1' },
    spec: { providerID: `openstack:///5e5e5e5e-0000-4000-8000-${String(at).padStart(12, '0')}` },
    status: { addresses: [{ type: 'InternalIP', address: `10.0.0.${at + 1}` }] },
  }));

class CountingCloud extends SimulatedCloud {
  lists = 0;

  override list: SimulatedCloud['list'] = (kind, query) => {
    this.lists += 1;
    return super.list(kind, query);
  };
}

interface Counted {
  readonly cloud: CountingCloud;
  readonly ask: (count: number, when?: 'now' | 'lately') => Promise<readonly WireResource[]>;
}

function counted(): Counted {
  const cloud = new CountingCloud();
  const reader: CloudReader = { cloud, memory: newMemory(), clock: { now: () => 0 } };
  return { cloud, ask: (count, when = 'lately') => listNodePorts(nodes(count), false, when, reader) };
}

test('runs at once that ask about Nodes of which one has just joined share one list', async () => {
  const { cloud, ask } = counted();
  await ask(MANY);
  await Promise.all(Array.from({ length: 20 }, () => ask(MANY + 1)));
  expect(cloud.lists).toBe(2);
});

test('runs that know other Nodes do not throw away each other’s list, nor does a sweep theirs', async () => {
  const { cloud, ask } = counted();
  for (let runs = 0; runs < 10; runs += 1) await Promise.all([ask(MANY), ask(MANY + 1)]);
  expect(cloud.lists).toBe(2);
  await ask(MANY + 2, 'now');
  await ask(MANY);
  expect(cloud.lists).toBe(3);
  await ask(MANY, 'now');
  expect(cloud.lists).toBe(4);
});
