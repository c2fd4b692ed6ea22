/**
 * Whoever can register a Node names the UUID of a server that is no Node, such as a database. levelset believes it, because
 * Nova has that server: the database becomes a member of every load balancer, and gets their security groups.
 */
import { CONTROLLERS } from '../../../shared/config/controllers.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { pause, runAll, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { show } from '../show.ts';

const it = await startSandboxWorld();
const { kube, cloud } = it.sandbox;
const database = cloud.addNovaServer('database', { networks: ['private'] });
const config = aConfig(it.sandbox.authUrl, { manageSecurityGroups: true });
const world = await it.another({ ...config, controllers: CONTROLLERS });
kube.apply(aService());
await it.sweepUntilSettled(world);
kube.registerNode('rogue', { systemUUID: database.id });
for (let sweeps = 0; sweeps < 5; sweeps += 1) {
  await runAll(await sweep(world), world);
  await pause(10);
}
show(
  'members',
  cloud.members.map(({ name, address }) => `${name} ${address}`),
);
show(
  'security groups of the database',
  cloud.ports.find((port) => port.device_id === database.id)?.security_groups.length,
);
await it.close();
