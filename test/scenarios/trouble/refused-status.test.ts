/** An apiserver that refuses what levelset writes to an object: its owner hears of it all the same, with the remedy. */
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { joinNodes } from '../../support/nodes.ts';
import { startNodeWorld } from '../../support/node-world.ts';
import { aService } from '../../support/service.ts';
import { readyOf, serviceOf } from '../../support/told.ts';

const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
const COMMAND = { key: 'service/default/web', trigger: 'command' } as const;

let it: Cluster;
beforeEach(() => {
  it = startCluster();
});

const statusOf = (status: number, message: string) => ({
  status,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: status },
});
const refuse = (path: RegExp, status: number, message: string): (() => void) =>
  it.inside.fault({
    match: { side: 'kube', method: 'PATCH', path },
    times: 99,
    kind: 'fail-before',
    ...statusOf(status, message),
  });
const strip = (): (() => void) =>
  it.inside.fault({
    match: { side: 'kube', method: 'PATCH', path: /services\/web\/status/ },
    times: 99,
    kind: 'call',
    mutate: (body) => {
      const { metadata, ...rest } = body as { metadata: { finalizers?: unknown } };
      return { ...rest, metadata: { ...metadata, finalizers: undefined } };
    },
  });
const warnings = (): readonly string[] =>
  it.inside.kube
    .list('Event', 'default')
    .flatMap(({ type, reason, message }) =>
      type === 'Warning' ? [`${String(reason)}: ${String(message)}`] : [],
    );

const DENIED = 'admission webhook "gate.example.org" denied the request: no finalizers';

test('a policy that refuses the finalizer stands in an Event with its remedy', async () => {
  refuse(/services\/web\/status/, 403, DENIED);
  it.inside.kube.apply(aService());

  const { outcome } = await it.run(COMMAND);

  expect(outcome).toMatchObject({ status: 'failed', message: expect.stringContaining(DENIED) as string });
  expect(it.inside.cloud.loadbalancers).toEqual([]);
  expect(warnings()).toEqual([
    expect.stringContaining(`SyncLoadBalancerFailed: cannot patch Service default/web: 403 ${DENIED}`),
  ]);
  expect(warnings()[0]).toMatch(/exempt levelset’s ServiceAccount from the policy/);
});

test('a refused status of a Service that serves stands in an Event, beside the address', async () => {
  it.inside.kube.apply(aService());
  it.inside.kube.apply({
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default', finalizers: [FINALIZER] },
  });
  const clear = refuse(
    /services\/web\/status/,
    422,
    "services \"web\" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request: no",
  );

  expect((await it.run(COMMAND)).outcome).toMatchObject({ status: 'failed', code: 'KUBE_DENIED' });
  expect(it.inside.cloud.loadbalancers).toHaveLength(1);
  expect(warnings()[0]).toContain('denied request: no');

  clear();
  expect((await it.run(COMMAND)).outcome).toMatchObject({ status: 'settled' });
  expect(readyOf(it.inside)).toMatchObject({ status: 'True' });
});

test('a finalizer that a webhook strips from a PATCH with 200 is noticed before anything is made', async () => {
  const clear = strip();
  it.inside.kube.apply(aService());

  expect((await it.run(COMMAND)).outcome).toMatchObject({ status: 'failed', code: 'KUBE_DENIED' });

  expect(it.inside.cloud.loadbalancers).toEqual([]);
  expect(readyOf(it.inside)).toMatchObject({ status: 'False', reason: 'SyncLoadBalancerFailed' });
  expect(readyOf(it.inside)?.message).toContain(`the finalizer ${FINALIZER} of Service default/web`);
  expect(warnings()).toHaveLength(1);

  clear();
  expect((await it.run(COMMAND)).outcome).toMatchObject({ status: 'settled' });
  expect(serviceOf(it.inside)?.metadata.finalizers).toEqual([FINALIZER]);
});

test.each([
  ['stripped', () => strip()],
  ['refused', () => refuse(/services\/web\/status/, 403, DENIED)],
])(
  'members follow the Nodes of a load balancer that serves while its finalizer is %s',
  async (_what, begin) => {
    await it.create('web');
    it.inside.kube.apply({
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default', finalizers: [] },
    });
    begin();
    it.inside.kube.addNode('node-9');
    it.inside.advanceClock(60_000);

    expect((await it.run(COMMAND)).outcome).toMatchObject({ status: 'failed', code: 'KUBE_DENIED' });

    expect(it.inside.cloud.members).toHaveLength(3);
    expect(warnings().join()).toContain('finalizer');
  },
);

test('a Node whose status is refused has an Event with the remedy', async () => {
  const nodes = await startNodeWorld();
  onTestFinished(() => nodes.close());
  joinNodes(nodes.sandbox, 1);
  const said = 'admission webhook "gate.example.org" denied the request: ask the platform team';
  nodes.sandbox.fault({
    match: { side: 'kube', method: 'PATCH', path: /nodes\/worker-1/ },
    times: 99,
    kind: 'fail-before',
    ...statusOf(403, said),
  });

  expect((await nodes.reconcile('worker-1')).outcome).toMatchObject({ code: 'KUBE_DENIED' });

  const told = nodes.sandbox.kube.list('Event', 'default').map(({ message }) => String(message));
  expect(told.join()).toContain(said);
});

test('a 404 of a proxy takes no load balancer away', async () => {
  await it.create('web');
  const clear = it.inside.fault({
    match: { side: 'kube', method: 'GET', path: /services\/web/ },
    times: 99,
    kind: 'fail-before',
    status: 404,
    headers: { 'Content-Type': 'text/plain' },
    body: '404 page not found\n',
  });

  expect((await it.run({ ...COMMAND, trigger: 'audit' })).outcome).toMatchObject({
    status: 'failed',
    code: 'KUBE_UNAVAILABLE',
  });
  expect(it.inside.cloud.loadbalancers).toHaveLength(1);

  clear();
  expect((await it.run(COMMAND)).outcome).toMatchObject({ status: 'settled' });
});
