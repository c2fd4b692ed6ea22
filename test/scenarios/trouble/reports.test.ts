/** Condition and Events name everything that is wrong, once, and what was done meanwhile. */
import { expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { inEachTest, runAll, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, cloudWrites, eventsOf, readyOf } from '../../support/told.ts';

const OCCM = 'loadbalancer.openstack.org/';
const OWN = 'levelset.openstack.org/';

const it = inEachTest(() => startSandboxWorld());

const MISTAKES = {
  [`${OCCM}timeout-client-data`]: 'many',
  [`${OCCM}lb-method`]: 'v9',
  [`${OCCM}health-monitor-delay`]: 'soon',
};

const warnings = () => it.kube.list('Event', 'default').filter(({ type }) => type === 'Warning');

async function runAgain(): Promise<void> {
  for (let again = 0; again < 3; again += 1) {
    await it.once({ trigger: 'command' });
    await runAll(await sweep(it.world), it.world);
  }
}

test('three mistakes are one condition and one Event of three lines, while the rest of the Service is done', async () => {
  await it.make({ annotations: MISTAKES });
  await runAgain();

  const [head, ...lines] = it.told().split('\n');
  expect(head).toBe(`load balancer ${it.cloud.loadbalancers[0]?.id ?? ''} serves at ${addressOf(it) ?? ''}`);
  expect(lines).toHaveLength(3);
  for (const [field, value] of Object.entries(MISTAKES))
    expect(lines.filter((line) => line.startsWith(`${field} "${value}" must be `))).toHaveLength(1);
  expect(lines.every((line) => line.endsWith('levelset ignores it'))).toBe(true);
  expect(warnings()).toMatchObject([{ reason: 'EnsuredLoadBalancer', count: 1, message: it.told() }]);
});

test('a blocking one comes first, and the others are named as well', async () => {
  await it.make({ annotations: { ...MISTAKES, [`${OWN}tls-versions`]: 'SSLv9' } });
  await runAgain();

  const lines = it.told().split('\n');
  expect(lines[0]).toBe(
    `${OWN}tls-versions "SSLv9" must be a comma-separated list, each one of SSLv3, TLSv1, TLSv1.1, TLSv1.2, TLSv1.3; until it is, the Service is blocked`,
  );
  expect(lines).toHaveLength(4);
  expect(it.cloud.loadbalancers).toEqual([]);
  expect(warnings()).toMatchObject([{ reason: 'SyncLoadBalancerFailed', count: 1 }]);
});

test.each([
  ['of Octavia', /\/loadbalancers/],
  ['of Neutron', /\/floatingips/],
])('a failure that goes on %s is one Event, whatever ids the answers have', async (_, path) => {
  it.fault({ match: { path, write: true }, times: Infinity, kind: 'fail-before', status: 503 });
  it.kube.apply(aService());
  for (let again = 0; again < 6; again += 1) await it.once({ trigger: 'command' });

  const failures = warnings().filter(({ reason }) => reason === 'SyncLoadBalancerFailed');
  expect(failures).toMatchObject([{ count: 1 }]);
  expect(it.told()).toContain('(check that the OpenStack service answers)');
});

test('a run has one line with its plan in the log before its first write, of at most 8 kB', async () => {
  const plans: { line: unknown; writes: number }[] = [];
  const info = (line: string, fields?: unknown): void => {
    if (line === 'plan') plans.push({ line: fields, writes: cloudWrites(it).length });
  };
  const world = { ...it.world, log: { ...it.world.log, info } };
  await it.make({}, {}, world);
  expect(plans).toMatchObject([{ writes: 0, line: { object: 'service/default/web' } }]);
  const text = JSON.stringify(plans);
  for (const told of ['+ lb', '+ floatingip']) expect(text).toContain(told);

  const ports = Array.from({ length: 45 }, (_, at) => ({ name: `p${at}`, port: 1000 + at }));
  await it.make({ name: 'wide', spec: { ports } }, {}, world);
  it.kube.addNode('node-more');
  await it.settle('wide', {}, world);
  const lines = plans.map((one) => JSON.stringify(one));
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(8_000);
  expect(lines.join('\n')).toMatch(/\+ member\/tcp\/1000\/.*and 25 more"\]/);
});

test('members that follow the Nodes of a blocked Service are told in an Event, and the condition says that they do and why the rest does not', async () => {
  const { kube } = it;
  const typo = { 'service.beta.kubernetes.io/load-balancer-source-ranges': '10.0.0.0-24' };
  for (const annotations of [{}, typo])
    await it.make({ annotations, spec: { ports: [{ name: 'http', port: 80, nodePort: 31_380 }] } });
  const told = readyOf(it);

  for (const { metadata } of kube.list('Node')) kube.removeNode(metadata.name);
  for (const name of ['blue-1', 'blue-2']) kube.addNode(name);
  await it.settle('web');

  expect(it.cloud.members.map(({ name }) => name).sort()).toEqual(['blue-1', 'blue-2']);
  expect(told).toMatchObject({ reason: 'LoadBalancerBlocked' });
  expect(readyOf(it)).toEqual(told);
  expect(told?.message).toMatch(/none of these ranges[\s\S]*the members follow the nodes all the same/);
  expect(eventsOf(it).filter((one) => one.startsWith('UpdatedLoadBalancer'))).toHaveLength(1);
});

test('Events name each transition once: making, made, changed, deleting, deleted', async () => {
  await it.make();
  for (let n = 1; n <= 10; n += 1) await it.once();
  expect(eventsOf(it)).toEqual(['EnsuredLoadBalancer x1', 'EnsuringLoadBalancer x1']);

  it.kube.addNode('node-9');
  await it.settle('web');
  for (let n = 1; n <= 10; n += 1) await it.once();

  const all = ['EnsuredLoadBalancer x1', 'EnsuringLoadBalancer x1', 'UpdatedLoadBalancer x1'];
  expect(eventsOf(it)).toEqual(all);

  await it.remove('web');
  const deletion = ['DeletedLoadBalancer x1', 'DeletingLoadBalancer x1'];
  expect(eventsOf(it).filter((event) => event.startsWith('Delet'))).toEqual(deletion);
});
