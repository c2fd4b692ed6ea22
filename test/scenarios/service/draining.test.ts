/** Members of nodes that leave, while their Node object is still there: weight 0 first, then gone. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { aConfig } from '../../support/config.ts';
import { run, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { sweep } from '../../../shared/sweep.ts';
import { serviceKey } from '../../../shared/model/request.ts';
import type { Config } from '../../../shared/config/config.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { Plan } from '../../../shared/model/plan.ts';
import type { World } from '../../../shared/ports.ts';

const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';
const DRAIN_MS = 60_000;

let it: SandboxWorld;
let world: World;
/** How much later it is for levelset. */
let laterMs: number;

async function start(
  change: Partial<Config> = {},
  loadBalancer: Partial<Config['loadBalancer']> = {},
): Promise<void> {
  it = await startSandboxWorld();
  const config = { ...aConfig(it.sandbox.authUrl, loadBalancer), connectionDrainingMs: DRAIN_MS, ...change };
  world = { ...(await it.another(config)), clock: { now: () => Date.now() + laterMs } };
}
beforeEach(async () => {
  laterMs = 0;
  await start();
});
afterEach(() => it.close());

async function settle(name = 'web'): Promise<Report> {
  for (let tries = 0; tries < 100; tries += 1) {
    const trigger = tries === 0 ? 'audit' : 'requeue';
    const report = await run({ key: serviceKey('default', name), trigger }, world);
    if (report.outcome.status !== 'progressing') return report;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  throw new Error(`${name} did not settle`);
}
/** The plan of it. */
const apply = async (annotations: Readonly<Record<string, string>> = {}): Promise<Plan | undefined> => {
  const ports = [{ name: 'web', port: 80, nodePort: 30_080 }];
  it.sandbox.kube.apply(aService({ annotations, spec: { ports } }));
  const { plan } = await run({ key: serviceKey('default', 'web'), trigger: 'audit', dryRun: true }, world);
  await settle();
  return plan;
};
const mark = (name: string, excluded: boolean): void => {
  const labels = { [EXCLUDED]: excluded ? '' : 'false' };
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name, labels } });
};
/** Neither creation nor an earlier write counts. */
const age = (): void => {
  for (const member of it.sandbox.cloud.members)
    Object.assign(member, { created_at: '2020-01-01T00:00:00', updated_at: '2020-01-02T00:00:00' });
};
const weights = (): readonly string[] =>
  it.sandbox.cloud.members.map(({ name, weight }) => `${name} ${String(weight)}`).sort();

test('drain, and go when their time is up; until then nothing is remembered of the Service', async () => {
  await apply();
  age();
  mark('node-2', true);
  const report = await settle();
  expect(weights()).toEqual(['node-1 1', 'node-2 0', 'node-3 1']);
  expect(report.outcome.status).toBe('settled');
  expect(report.drainedInMs).toBeGreaterThan(DRAIN_MS - 5_000);
  expect(report.drainedInMs).toBeLessThanOrEqual(DRAIN_MS);
  laterMs = DRAIN_MS - 5_000;
  expect((await settle()).applied).toEqual([]);
  expect((await sweep(world)).requests.map(({ key }) => key)).toEqual(['service/default/web']);

  laterMs = DRAIN_MS + 1_000;
  const last = await settle();
  expect(weights()).toEqual(['node-1 1', 'node-3 1']);
  expect(last.drainedInMs).toBeUndefined();
  laterMs += 5_000;
  await settle();
  expect((await sweep(world)).requests).toEqual([]);
});

test('stay as they are when all leave: the last one takes traffic until there is another', async () => {
  await apply();
  age();
  mark('node-1', true);
  mark('node-2', true);
  await settle();
  mark('node-3', true);
  laterMs = 2 * DRAIN_MS;
  const report = await settle();
  expect(weights()).toEqual(['node-1 0', 'node-2 0', 'node-3 1']);
  expect(report.plan?.keepsMembers).toBe(true);
  expect(report.drainedInMs).toBeUndefined();

  laterMs = 0;
  it.sandbox.kube.addNode('node-4');
  await settle();
  expect(weights()).toEqual(['node-1 0', 'node-2 0', 'node-3 0', 'node-4 1']);
});

test('are not written again while others come and go, so that their time goes on', async () => {
  await apply();
  mark('node-2', true);
  await settle();
  const drains = it.sandbox.cloud.members.find(({ weight }) => weight === 0);
  const since = new Date(Date.now() - 10_000).toISOString().slice(0, 19);
  Object.assign(drains ?? {}, { updated_at: since });
  it.sandbox.kube.addNode('node-4');
  it.sandbox.kube.removeNode('node-3');
  const report = await settle();
  expect(weights()).toEqual(['node-1 1', 'node-2 0', 'node-4 1']);
  expect(drains?.updated_at).toBe(since);
  expect(report.drainedInMs).toBeLessThan(DRAIN_MS - 9_000);
});

test('are not made again in a pool that takes the place of theirs', async () => {
  await apply();
  mark('node-2', true);
  await settle();
  expect(weights()).toContain('node-2 0');
  const [before] = it.sandbox.cloud.pools;
  const plan = await apply({ 'levelset.openstack.org/monitor-type': 'HTTP' });
  expect(plan?.steps).not.toEqual([]);
  expect(plan?.draining).toBeUndefined();
  expect(it.sandbox.cloud.pools.map(({ id }) => id)).not.toContain(before?.id);
  expect(weights()).toEqual(['node-1 1', 'node-3 1']);
});

test('keep the security group until they are gone', async () => {
  await it.close();
  await start({}, { manageSecurityGroups: true });
  await apply();
  const grouped = (): number => {
    const group = it.sandbox.cloud.securityGroups.find(({ name }) => name.startsWith('lb-sg'));
    return it.sandbox.cloud.ports.filter(({ security_groups: all }) => all.includes(group?.id ?? '')).length;
  };
  const before = grouped();
  expect(before).toBe(3);
  mark('node-2', true);
  // while the load balancer is locked, levelset reads only what is outside Octavia
  const [lb] = it.sandbox.cloud.loadbalancers;
  Object.assign(lb ?? {}, { provisioning_status: 'PENDING_UPDATE' });
  await run({ key: serviceKey('default', 'web'), trigger: 'audit' }, world);
  expect(grouped()).toBe(before);
  Object.assign(lb ?? {}, { provisioning_status: 'ACTIVE' });
  await settle();
  expect(weights()).toContain('node-2 0');
  expect(grouped()).toBe(before);
  laterMs = DRAIN_MS + 1_000;
  await settle();
  expect(grouped()).toBe(before - 1);
});

test('a member in ERROR that drains is not written: its time would begin anew', async () => {
  await apply();
  age();
  mark('node-2', true);
  await settle();
  const [lb] = it.sandbox.cloud.loadbalancers;
  const draining = it.sandbox.cloud.members.find(({ name }) => name === 'node-2');
  Object.assign(draining ?? {}, { provisioning_status: 'ERROR' });
  it.sandbox.advanceClock(2_000);
  Object.assign(lb ?? {}, { updated_at: it.sandbox.cloud.octaviaTime() });

  const { applied } = await settle();

  expect(applied).toEqual([]);
  expect(draining?.provisioning_status).toBe('ERROR');
});
