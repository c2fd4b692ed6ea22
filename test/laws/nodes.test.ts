/** Laws of Nodes, over HTTP: whatever happens to them, in whatever order, and wherever a run breaks off. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startNodeWorld, type NodeWorld } from '../support/node-world.ts';
import { joinNode, type JoinedNode } from '../support/nodes.ts';
import { sweep } from '../../shared/sweep.ts';
import { run } from '../support/sandbox-world.ts';
import { forAllAnd, type Drawn } from './seed.ts';

const OWN = 'node.cloudprovider.kubernetes.io/';
const UNINITIALIZED = { key: `${OWN}uninitialized`, value: 'true', effect: 'NoSchedule' };
const MINUTE = 61_000;

let it: NodeWorld;
beforeAll(async () => {
  it = await startNodeWorld(() => ({ deletionPercent: 100 }));
  joinNode(it.sandbox, 'anchor');
  await it.sweepUntilSettled();
});
afterAll(() => it.close());

const EVENTS = {
  stop: ({ name, server }: JoinedNode) => {
    server.status = 'SHUTOFF';
    turn(name, false);
  },
  start: ({ name, server }: JoinedNode) => {
    server.status = 'ACTIVE';
    turn(name, true);
  },
  destroy: ({ name, server }: JoinedNode) => {
    it.sandbox.cloud.removeNovaServer(server.id);
    turn(name, false);
  },
  resize: ({ server }: JoinedNode) => {
    const name = server.flavor.name === 'm1.small' ? 'm1.large' : 'm1.small';
    Object.assign(server, { flavor: { ...server.flavor, name } });
  },
  relabel: ({ name }: JoinedNode) =>
    change(name, {}, { 'topology.kubernetes.io/zone': 'wrong', own: 'kept' }),
  readdress: ({ name }: JoinedNode) =>
    change(name, { status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] } }),
  taint: ({ name }: JoinedNode) => change(name, { spec: { taints: [UNINITIALIZED] } }),
  look: ({ name }: JoinedNode) => it.reconcile(name),
} as const;

const isThere = (name: string): boolean => it.sandbox.kube.get('Node', undefined, name) !== undefined;
const change = (name: string, part: object, labels = {}): unknown =>
  isThere(name) && it.sandbox.kube.apply({ kind: 'Node', metadata: { name, labels }, ...part });
function turn(name: string, isReady: boolean): void {
  if (isThere(name)) it.sandbox.kube.setReady(name, isReady);
}

type Event = keyof typeof EVENTS;
const someEvents = fc.array(fc.constantFrom(...(Object.keys(EVENTS) as Event[])), { maxLength: 6 });
const aDeath = fc.record({
  nth: fc.integer({ min: 1, max: 4 }),
  kind: fc.constantFrom('reset-before' as const, 'reset-after' as const),
});

/** Sweeps now, and one and two minutes later for servers that are gone, until nothing is left to do. */
async function toRest(): Promise<void> {
  for (const world of [it.world, it.later(MINUTE), it.later(2 * MINUTE)])
    for (let sweeps = 0; sweeps < 5; sweeps += 1) {
      const { requests } = await sweep(world);
      for (const request of requests) await run(request, world);
    }
}

const EXAMPLES: [Event[], Drawn<typeof aDeath> | null][] = [
  [['look', 'stop', 'look', 'start'], null],
  [['look', 'stop', 'look', 'start', 'look'], { nth: 4, kind: 'reset-after' }],
  [['look', 'destroy', 'look'], null],
  [['look', 'destroy', 'look', 'start'], null],
  [['look', 'relabel', 'readdress', 'taint', 'look'], { nth: 2, kind: 'reset-before' }],
];

let names = 0;

/** Each takes a quarter of a second: many of them are for npm run thorough. */
test('events in any order, and runs that break off anywhere, end where the server says', () =>
  forAllAnd(...EXAMPLES)(someEvents, fc.option(aDeath), async (events, death) => {
    names += 1;
    const worker = joinNode(it.sandbox, `worker-${names}`);
    const clear = death
      ? it.sandbox.fault({ match: { side: 'kube', write: true, nth: death.nth }, kind: death.kind })
      : () => undefined;
    for (const event of events) await EVENTS[event](worker);
    clear();
    await toRest();

    const isReady = events.findLast((event) => ['start', 'stop', 'destroy'].includes(event)) ?? 'start';
    const hasServer = !events.includes('destroy');
    // a Node whose server was never proved to be its own stays: no server is missed by its name
    const isKnown = !isThere(worker.name) || it.node(worker.name).spec?.providerID !== undefined;
    expect(isThere(worker.name)).toBe(hasServer || isReady === 'start' || !isKnown);
    if (!hasServer) {
      cleanUp(worker);
      return;
    }
    const { metadata, spec, status } = it.node(worker.name);
    const { id, flavor, zone } = worker.server;
    expect(spec?.providerID).toBe(`openstack:///${id}`);
    expect(metadata.labels).toMatchObject({
      'node.kubernetes.io/instance-type': flavor.name,
      'beta.kubernetes.io/instance-type': flavor.name,
      'topology.kubernetes.io/zone': zone,
    });
    expect(status?.addresses?.[0]?.address).toMatch(/^10\.0\./);
    const taints = (spec?.taints ?? []).map(({ key }) => key);
    expect(taints).not.toContain(UNINITIALIZED.key);
    expect(taints.includes(`${OWN}shutdown`)).toBe(isReady === 'stop');
    expect((await it.reconcile(worker.name, { dryRun: true, trigger: 'command' })).plan?.steps).toEqual([]);
    cleanUp(worker);
  }));

function cleanUp({ name, server }: JoinedNode): void {
  it.sandbox.kube.delete('Node', undefined, name);
  if (it.sandbox.cloud.servers.includes(server)) it.sandbox.cloud.removeNovaServer(server.id);
}
