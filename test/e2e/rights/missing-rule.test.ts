/** One access rule is missing: the real services refuse the call, and levelset says which rule it is. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { addressOf, apply, aService, lab, labResources, readyOf, until } from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import { startLevelset } from '../lab/levelset.ts';
import { allRules, makeCredential } from '../lab/credential.ts';
import { cloudConfig } from '../lab/cloud-config.ts';

const world = labWorld({ nodes: ['e2e-rights-1'], levelsetByTest: true });

/** levelset with all rules but this one. */
async function startWithout(method: string, path: string): Promise<void> {
  const rules = allRules();
  const left = rules.filter((rule) => rule.method !== method || rule.path !== path);
  expect(left).toHaveLength(rules.length - 1);
  const { cloud, remove } = await makeCredential(lab().levelsetPassword, left);
  onTestFinished(remove);
  const file = join(lab().directory, 'missing-rule.cloud.conf');
  await writeFile(file, cloudConfig(cloud, labResources()), { mode: 0o600 });
  await startLevelset({ cloudConfig: file });
}

const deploy = (more: Parameters<typeof aService>[3]): Promise<string> =>
  apply([aService(world.namespace, 'web', [{ port: 80 }], more)]);

const told = (text: string): Promise<unknown> =>
  until(`the condition to say ${text}`, async () => {
    const { message = '' } = (await readyOf(world.namespace, 'web')) ?? {};
    if (!message.includes(text)) throw new Error(message);
    return true;
  });

it('of a change: the load balancer serves, the change waits, and the rule is named', async () => {
  await startWithout('PUT', '/v2.0/lbaas/listeners/*');
  await deploy({});
  await addressOf(world.namespace, 'web');

  await deploy({ spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } });

  await told('{"service":"load-balancer","method":"PUT","path":"/v2.0/lbaas/listeners/*"}');
});

it('of a list by Neutron: nothing is made, and the rule is named', async () => {
  await startWithout('GET', '/v2.0/floatingips');
  await deploy({});

  await told('{"service":"network","method":"GET","path":"/v2.0/floatingips"}');
});

it('of what Octavia asks with the caller’s token: Octavia takes the network for absent', async () => {
  await startWithout('GET', '/v2.0/networks/*');
  const { private_network: network } = labResources();
  await deploy({ annotations: { 'loadbalancer.openstack.org/network-id': network } });

  await told(`Network ${network} not found`);
});
