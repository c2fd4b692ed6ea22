/** Managed security groups, against the real Neutron: on every member's port, and gone with the Service. */
import { beforeAll, expect, it } from 'vitest';
import {
  addressOf,
  apply,
  aService,
  cloud,
  countCalls,
  getService,
  lab,
  labResources,
  make,
  nodePorts,
  ports,
  securityGroups,
  removeServices,
  startLevelset,
  uidOf,
  until,
  writes,
  type Resource,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const NAMES = Array.from({ length: 10 }, (_, at) => `e2e-sg-${at + 1}`);

const world = labWorld({
  nodes: NAMES,
  cloudConfig: { LoadBalancer: { 'manage-security-groups': true } },
  levelsetByTest: true,
  // Neutron takes its time for a port while everybody tests on two cores
  goneWithinMs: 120_000,
});
let foreign = '';
beforeAll(async () => {
  foreign = (await make('network', 'security_group', { name: 'e2e-foreign' })).id;
  return () => cloud().must('network', 'DELETE', `/v2.0/security-groups/${foreign}`);
});
beforeAll(async () => {
  const port = (await nodesPorts()).find(({ device_id }) => device_id === world.nodes[0]?.server);
  const security_groups = [...((port?.['security_groups'] ?? []) as readonly string[]), foreign];
  await cloud().must('network', 'PUT', `/v2.0/ports/${port?.id ?? ''}`, { port: { security_groups } });
});

const groupOf = async (name: string) => {
  const uid = await uidOf(world.namespace, name);
  return (await securityGroups()).find(
    (group) => group['name'] === `lb-sg-${uid}-${world.namespace}-${name}`,
  );
};
/** Node names by whether their port has the group, and each port's other groups. */
async function placed(group: string): Promise<readonly string[]> {
  const listed = await nodesPorts();
  return world.nodes
    .filter(({ server }) => groupsOf(listed, server).includes(group))
    .map(({ name }) => name)
    .sort();
}
const nodesPorts = async () => (await ports()).filter((port) => port['device_id'] !== '');
const groupsOf = (listed: readonly Resource[], server: string): readonly string[] =>
  (listed.find((port) => port['device_id'] === server)?.['security_groups'] ?? []) as readonly string[];
async function others(): Promise<Readonly<Record<string, readonly string[]>>> {
  const ours = (await securityGroups()).map(({ id }) => id);
  const listed = await nodesPorts();
  return Object.fromEntries(
    world.nodes.map(({ name, server }) => [
      name,
      groupsOf(listed, server)
        .filter((id) => !ours.includes(id))
        .sort(),
    ]),
  );
}
function rulesOf(group: Resource | undefined): readonly string[] {
  const rules = (group?.['security_group_rules'] ?? []) as readonly Resource[];
  return rules
    .map((rule) =>
      [
        rule['direction'],
        rule['ethertype'],
        rule['protocol'],
        rule['port_range_min'],
        rule['remote_ip_prefix'],
      ]
        .map(String)
        .join(' '),
    )
    .sort();
}

it('a security group opens the node ports and the health check of a Service to the member subnet, on all ten nodes', async () => {
  await startLevelset({ cloudConfig: world.cloudConfig });
  const before = await others();
  const calls = await countCalls();
  await apply([
    aService(world.namespace, 'web', [{ port: 80 }, { port: 53, protocol: 'UDP' }], {
      spec: { externalTrafficPolicy: 'Local' },
    }),
  ]);
  await addressOf(world.namespace, 'web');
  const service = await getService(world.namespace, 'web');
  const uid = service?.metadata.uid ?? '';
  const open = await nodePorts(world.namespace, 'web');
  const health = service?.spec.healthCheckNodePort ?? 0;
  await until('our tags', async () => ((await groupOf('web'))?.['tags'] as string[]).length === 3);
  const group = await groupOf('web');
  const made = await calls.stop();
  console.log(
    `create: ${made.length} calls, ${made.filter(({ service: one }) => one === 'neutron').length} of them Neutron's, ${writes(made).length} writes`,
  );
  expect(group?.['description']).toBe(
    `Security Group for ${world.namespace}/web Service LoadBalancer in cluster lab`,
  );
  expect(group?.['tags']).toEqual(
    expect.arrayContaining([
      `levelset-cluster=${lab().clusterId}`,
      `levelset-service=${uid}`,
      `levelset-name=${world.namespace}/web`,
    ]),
  );
  expect(rulesOf(group)).toEqual(
    [
      `ingress IPv4 tcp ${open['TCP/80'] ?? ''} ${labResources().private_v4_cidr}`,
      `ingress IPv4 udp ${open['UDP/53'] ?? ''} ${labResources().private_v4_cidr}`,
      `ingress IPv4 tcp ${health} ${labResources().private_v4_cidr}`,
    ].sort(),
  );
  expect(await placed(group?.id ?? '')).toEqual([...NAMES].sort());
  expect(await others()).toEqual(before);

  await removeServices(world.namespace, ['web']);
  expect(await securityGroups()).toEqual([]);
  expect(await others()).toEqual(before);
});
