/**
 * A kubelet writes another machine's address as its Node's InternalIP. With the service controller alone, levelset makes the
 * address a member and puts the Service's security group on that machine's port; it also takes 169.254.169.254.
 */
import { aConfig } from '../../support/config.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { settleBy, show } from '../show.ts';

const it = await startSandboxWorld();
const { kube, cloud } = it.sandbox;
const database = cloud.addNovaServer('database', { networks: ['private'] });
const portOfDatabase = () => cloud.ports.find((port) => port.device_id === database.id);
const world = await it.another(aConfig(it.sandbox.authUrl, { manageSecurityGroups: true }));
const members = (): readonly string[] => cloud.members.map(({ name, address }) => `${name} ${address}`);
kube.apply(aService());
await settleBy(world);
show('members', members());
show('security groups of the database', portOfDatabase()?.security_groups.length);
for (const address of [portOfDatabase()?.fixed_ips[0]?.ip_address, '169.254.169.254']) {
  kube.apply({
    kind: 'Node',
    metadata: { name: 'node-3' },
    status: { addresses: [{ type: 'InternalIP', address }] },
  });
  const { outcome } = await settleBy(world);
  show(`node-3 claims ${address ?? ''}`, [outcome.status, members()]);
  show('security groups of the database', portOfDatabase()?.security_groups.length);
}
await it.close();
