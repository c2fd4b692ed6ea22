/**
 * Reconfiguring never deletes what serves: each option that decides what is levelset's, changed in each way (docs/decisions.md,
 * decision 154).
 */
import { expect, test } from 'vitest';
import type { Config } from '../../../shared/config/config.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig, OTHER_PROJECT } from '../../support/config.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, run, runAll, startSandboxWorld } from '../../support/sandbox-world.ts';
import { ingressOf, leftovers, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());
const NAMES = ['web', 'two'];

type Change = (right: Config) => Partial<Config>;

const OPTIONS: Readonly<Record<string, Change>> = {
  '--load-balancer-class': () => ({ loadBalancerClass: 'example.org/other' }),
  enabled: ({ loadBalancer }) => ({ loadBalancer: { ...loadBalancer, enabled: false } }),
  '--controllers': () => ({ controllers: ['node-route-controller'] }),
  '--cluster-name': () => ({ clusterName: 'renamed' }),
  '--state-namespace': () => ({ stateNamespace: 'levelset-state' }),
  project: ({ openstack }) => ({ openstack: { ...openstack, credentials: OTHER_PROJECT } }),
  region: ({ openstack }) => ({ openstack: { ...openstack, region: 'RegionTwo' } }),
  'manage-security-groups': ({ loadBalancer }) => ({
    loadBalancer: { ...loadBalancer, manageSecurityGroups: false },
  }),
  '--deletion-share': () => ({ deletionPercent: 0 }),
};

/** What serves, one text for each fact: what is in OpenStack but for tags and descriptions, and what Services publish. */
function serving(): readonly string[] {
  const { cloud } = it;
  const facts = [
    ...cloud.loadbalancers.map(({ id, vip_address }) => ['load balancer', id, vip_address]),
    ...cloud.listeners.map(({ id, protocol_port }) => ['listener', id, protocol_port]),
    ...cloud.pools.map(({ id }) => ['pool', id]),
    ...cloud.members.map(({ id, address }) => ['member', id, address]),
    ...cloud.floatingips.map(({ floating_ip_address: ip, port_id }) => ['floating IP', ip, port_id]),
    ...cloud.securityGroupRules.map(({ id }) => ['rule', id]),
    ...cloud.ports.flatMap(({ id, security_groups }) => security_groups.map((group) => ['group', id, group])),
    ...NAMES.map((name) => ['published', name, ingressOf(it, name)]),
  ];
  return facts.map((fact) => JSON.stringify(fact));
}

async function sweptBy(world: World): Promise<void> {
  for (let sweeps = 0; sweeps < 4; sweeps += 1) {
    await runAll(await sweep(world), world);
    // also whoever is woken without a sweep
    for (const name of NAMES) await run({ key: `service/default/${name}`, trigger: 'command' }, world);
  }
}

test.each(Object.entries(OPTIONS))(
  '%s, changed and changed back, deletes nothing that serves; what is deleted meanwhile goes as soon as it is right again',
  async (_, change) => {
    const { kube } = it;
    // --state-namespace names it in one of the cases
    kube.apply({ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'levelset-state' } });
    const base = aConfig(it.sandbox.authUrl, { manageSecurityGroups: true });
    const config = { ...base, openstack: { ...base.openstack, region: 'RegionOne' } };
    const right = await it.another(config);
    const wrong = await it.another({ ...config, ...change(config) });
    for (const name of NAMES) kube.apply(aService({ name }));
    await it.sweepUntilSettled(right);
    const served = serving();

    for (const world of [wrong, right, wrong]) {
      await sweptBy(world);

      expect(serving()).toEqual(expect.arrayContaining([...served]));
      expect(serviceOf(it)?.metadata.finalizers).toHaveLength(1);
    }

    for (const name of NAMES) kube.delete('Service', 'default', name);
    await runAll(await sweep(wrong), wrong);
    await it.sweepUntilSettled(right);

    expect(leftovers(it)).toEqual({});
    for (const name of NAMES) expect(serviceOf(it, name)).toBeUndefined();
  },
);
