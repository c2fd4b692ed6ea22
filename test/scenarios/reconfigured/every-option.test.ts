/**
 * Reconfiguring never deletes what serves: each option that decides what is levelset's, changed in each way (docs/decisions.md,
 * decision 154).
 */
import { afterEach, describe, expect, test } from 'vitest';
import type { Config } from '../../../shared/config/config.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { aService } from '../../support/service.ts';
import { run, runAll, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, ingressOf, leftovers, serviceOf } from '../../support/told.ts';

let it: SandboxWorld;
afterEach(() => it.close());

type Change = (base: Config) => Partial<Config>;
const PROJECT = { name: 'other', domain: { name: 'Default' } };
const loadBalancer =
  (changed: Partial<Config['loadBalancer']>): Change =>
  (base) => ({ loadBalancer: { ...base.loadBalancer, ...changed } });
const openstack =
  (changed: Partial<Config['openstack']>): Change =>
  (base) => ({ openstack: { ...base.openstack, ...changed } });

/** Two values of each option. Between them every change is tried, there and back. */
const OPTIONS: Readonly<Record<string, readonly [one: Change, other: Change]>> = {
  '--load-balancer-class': [() => ({}), () => ({ loadBalancerClass: 'example.org/other' })],
  enabled: [() => ({}), loadBalancer({ enabled: false })],
  '--controllers': [() => ({}), () => ({ controllers: ['node-route-controller'] })],
  '--cluster-name': [() => ({}), () => ({ clusterName: 'renamed' })],
  '--state-namespace': [() => ({}), () => ({ stateNamespace: 'levelset-state' })],
  project: [
    () => ({}),
    openstack({ credentials: { type: 'password', user: PROJECT, password: 'other', project: PROJECT } }),
  ],
  region: [openstack({ region: 'RegionOne' }), openstack({ region: 'RegionTwo' })],
  'manage-security-groups': [
    loadBalancer({ manageSecurityGroups: true }),
    loadBalancer({ manageSecurityGroups: false }),
  ],
  '--deletion-share': [() => ({}), () => ({ deletionPercent: 0 })],
};

/** What serves, one text for each fact: what is in OpenStack but for tags and descriptions, and what Services publish. */
function serving(): readonly string[] {
  const { cloud } = it.sandbox;
  const facts = [
    ...cloud.loadbalancers.map(({ id, vip_address }) => ['load balancer', id, vip_address]),
    ...cloud.listeners.map(({ id, protocol_port }) => ['listener', id, protocol_port]),
    ...cloud.pools.map(({ id }) => ['pool', id]),
    ...cloud.members.map(({ id, address }) => ['member', id, address]),
    ...cloud.floatingips.map(({ floating_ip_address: ip, port_id }) => ['floating IP', ip, port_id]),
    ...cloud.securityGroupRules.map(({ id }) => ['rule', id]),
    ...cloud.ports.flatMap(({ id, security_groups }) => security_groups.map((group) => ['group', id, group])),
    ...['web', 'two'].map((name) => ['published', name, ingressOf(it.sandbox, name)]),
  ];
  return facts.map((fact) => JSON.stringify(fact));
}

/** A world with the namespace that `--state-namespace` names in one of the cases. */
async function startWithNamespace(): Promise<SandboxWorld> {
  const world = await startSandboxWorld();
  world.sandbox.kube.apply({ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'levelset-state' } });
  return world;
}

async function sweptBy(world: World): Promise<readonly Report[]> {
  const reports: Report[] = [];
  for (let sweeps = 0; sweeps < 4; sweeps += 1) {
    const found = await sweep(world);
    reports.push(...(await runAll(found, world)));
    // also whoever is woken without a sweep
    for (const name of ['web', 'two'])
      reports.push(await run({ key: `service/default/${name}`, trigger: 'command' }, world));
  }
  return reports;
}

const cases = Object.entries(OPTIONS).flatMap(([option, [one, other]]) => [
  [option, 'changed', one, other] as const,
  [option, 'changed back', other, one] as const,
]);

/** The options under which levelset makes nothing. */
const off = (config: Config): boolean =>
  !config.loadBalancer.enabled || !config.controllers.includes('service-lb-controller');

describe.each(cases)('%s %s', (_, __, before, after) => {
  const configOf = (change: Change): Config => {
    const base = aConfig(it.sandbox.authUrl);
    return { ...base, ...change(base) };
  };

  async function start(): Promise<void> {
    it = await startWithNamespace();
    const config = configOf(before);
    // what cannot have made anything began as the other value
    const canMake =
      !off(config) && config.loadBalancerClass === undefined && config.openstack.region !== 'RegionTwo';
    const inItsProject = JSON.stringify(config.openstack.credentials).includes('demo');
    const makes = canMake && inItsProject ? config : configOf(after);
    for (const name of ['web', 'two']) it.sandbox.kube.apply(aService({ name }));
    await it.sweepUntilSettled(await it.another(makes));
    if (makes !== config) await sweptBy(await it.another(config));
  }

  test('deletes nothing that serves', async () => {
    await start();
    const served = serving();

    await sweptBy(await it.another(configOf(after)));

    expect(serving()).toEqual(expect.arrayContaining([...served]));
    expect(addressOf(it.sandbox)).toBeDefined();
    expect(serviceOf(it.sandbox)?.metadata.finalizers).toHaveLength(1);
  });
});

test('what is deleted meanwhile is finished as soon as the options are right again', async () => {
  for (const [option, [one, other]] of Object.entries(OPTIONS)) {
    it = await startWithNamespace();
    const base = aConfig(it.sandbox.authUrl);
    const right = { ...base, ...one(base) };
    it.sandbox.kube.apply(aService());
    await it.sweepUntilSettled(await it.another(right));
    const wrong = await it.another({ ...base, ...other(base) });
    it.sandbox.kube.delete('Service', 'default', 'web');
    await runAll(await sweep(wrong), wrong);

    await it.sweepUntilSettled(await it.another(right));

    expect([option, leftovers(it.sandbox)]).toEqual([option, {}]);
    expect(serviceOf(it.sandbox)).toBeUndefined();
    await it.close();
  }
  it = await startSandboxWorld();
});
