/** An apiserver that refuses what levelset writes to an object: its owner hears of it all the same, with the remedy. */
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { failing } from '../../support/failing.ts';
import { joinNodes } from '../../support/nodes.ts';
import { startNodeWorld } from '../../support/node-world.ts';
import { aService } from '../../support/service.ts';
import { readyOf, serviceOf, warningsOf } from '../../support/told.ts';

const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
const COMMAND = { key: 'service/default/web', trigger: 'command' } as const;

let it: Cluster;
beforeEach(() => {
  it = startCluster();
});

const STATUS = /services\/web\/status/;
/** A policy refuses what is written there. */
const refuse = (status: number, message: string, path = STATUS, of: Parameters<typeof failing>[0] = it) =>
  failing(of, 'PATCH', path, status, {
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: status },
  });
/** A webhook takes the finalizers out of what is written. */
const strip = (): (() => void) => {
  const mutate = (body: unknown): object => {
    const { metadata, ...rest } = body as { metadata: { finalizers?: unknown } };
    return { ...rest, metadata: { ...metadata, finalizers: undefined } };
  };
  return it.fault({ match: { method: 'PATCH', path: STATUS }, times: Infinity, kind: 'call', mutate });
};
const setFinalizers = (...finalizers: readonly string[]) =>
  it.kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default', finalizers } });
const warnings = () => warningsOf(it);

const DENIED = 'admission webhook "gate.example.org" denied the request: no finalizers';

test('a policy that refuses the finalizer stands in an Event with its remedy', async () => {
  refuse(403, DENIED);
  it.kube.apply(aService());

  const { outcome } = await it.run(COMMAND);

  expect(outcome).toMatchObject({ status: 'failed', message: expect.stringContaining(DENIED) as string });
  expect(it.cloud.loadbalancers).toEqual([]);
  expect(warnings()).toEqual([
    expect.stringContaining(`SyncLoadBalancerFailed: cannot patch Service default/web: 403 ${DENIED}`),
  ]);
  expect(warnings()[0]).toMatch(/exempt levelset’s ServiceAccount from the policy/);
});

test('a refused status of a Service that serves stands in an Event, beside the address', async () => {
  it.kube.apply(aService());
  setFinalizers(FINALIZER);
  const policy = "ValidatingAdmissionPolicy 'a' with binding 'b' denied request: no";
  const clear = refuse(422, `services "web" is forbidden: ${policy}`);

  expect((await it.run(COMMAND)).outcome).toMatchObject({ status: 'failed', code: 'KUBE_DENIED' });
  expect(it.cloud.loadbalancers).toHaveLength(1);
  expect(warnings()[0]).toContain('denied request: no');

  clear();
  expect((await it.run(COMMAND)).outcome).toMatchObject({ status: 'settled' });
  expect(readyOf(it)).toMatchObject({ status: 'True' });
});

test('a finalizer that a webhook strips from a PATCH with 200 is noticed before anything is made', async () => {
  const clear = strip();
  it.kube.apply(aService());

  expect((await it.run(COMMAND)).outcome).toMatchObject({ status: 'failed', code: 'KUBE_DENIED' });

  expect(it.cloud.loadbalancers).toEqual([]);
  expect(readyOf(it)).toMatchObject({ status: 'False', reason: 'SyncLoadBalancerFailed' });
  expect(readyOf(it)?.message).toContain(`the finalizer ${FINALIZER} of Service default/web`);
  expect(warnings()).toHaveLength(1);

  clear();
  expect((await it.run(COMMAND)).outcome).toMatchObject({ status: 'settled' });
  expect(serviceOf(it)?.metadata.finalizers).toEqual([FINALIZER]);
});

test.each([
  ['stripped', () => strip()],
  ['refused', () => refuse(403, DENIED)],
])('members follow the Nodes while the finalizer of what serves is %s', async (_, begin) => {
  await it.create('web');
  setFinalizers();
  begin();
  it.kube.addNode('node-9');
  it.advanceClock(60_000);

  expect((await it.run(COMMAND)).outcome).toMatchObject({ status: 'failed', code: 'KUBE_DENIED' });

  expect(it.cloud.members).toHaveLength(3);
  expect(warnings().join()).toContain('finalizer');
});

test('a Node whose status is refused has an Event with the remedy', async () => {
  const nodes = await startNodeWorld();
  onTestFinished(() => nodes.close());
  joinNodes(nodes, 1);
  const said = 'admission webhook "gate.example.org" denied the request: ask the platform team';
  refuse(403, said, /nodes\/worker-1/, nodes);

  expect((await nodes.reconcile('worker-1')).outcome).toMatchObject({ code: 'KUBE_DENIED' });

  const told = nodes.kube.list('Event', 'default').map(({ message }) => String(message));
  expect(told.join()).toContain(said);
});
