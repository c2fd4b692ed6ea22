/** Managed security groups, against the real Neutron: on every member's port, off those that left, gone with the Service. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  addressOf,
  aNamespace,
  apply,
  aService,
  cloud,
  countCalls,
  getService,
  joinCluster,
  kube,
  lab,
  leaveCluster,
  needsControl,
  nodePorts,
  nothingLeft,
  ports,
  removeNamespace,
  removeNodes,
  securityGroups,
  serviceGone,
  servicePath,
  someNodes,
  startLevelset,
  stopAllLevelsets,
  sweepUntilSettled,
  until,
  writeCloudConfig,
  writes,
  type LabNode,
  type Resource,
} from './lab.ts';

const NAMES = Array.from({ length: 10 }, (_, at) => `e2e-sg-${at + 1}`);
/** Neutron takes its time for a port while everybody tests on two cores. */
const PATIENT = { timeoutMs: 120_000 };
let nodes: readonly LabNode[] = [];
let foreign = '';
let cloudConfig = '';
let namespace = '';

const groupOf = async (name: string) => {
  const uid = (await getService(namespace, name))?.metadata.uid ?? '';
  return (await securityGroups()).find((group) => group['name'] === `lb-sg-${uid}-${namespace}-${name}`);
};
/** Node names by whether their port has the group, and each port's other groups. */
async function placed(group: string): Promise<readonly string[]> {
  const listed = await nodesPorts();
  return nodes
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
    nodes.map(({ name, server }) => [
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
async function setGroups(
  node: LabNode,
  change: (groups: readonly string[]) => readonly string[],
): Promise<void> {
  const port = (await nodesPorts()).find((one) => one['device_id'] === node.server);
  const security_groups = change((port?.['security_groups'] ?? []) as readonly string[]);
  await cloud().must('network', 'PUT', `/v2.0/ports/${port?.id ?? ''}`, { port: { security_groups } });
}

beforeAll(async () => {
  if (!lab().controllable) return;
  nodes = await someNodes(NAMES);
  cloudConfig = await writeCloudConfig('security-groups', {
    LoadBalancer: { 'manage-security-groups': true },
  });
  const made = await cloud().must<{ security_group: Resource }>('network', 'POST', '/v2.0/security-groups', {
    security_group: { name: 'e2e-foreign' },
  });
  foreign = made.security_group.id;
  const [first] = nodes;
  if (first) await setGroups(first, (present) => [...present, foreign]);
});
afterAll(async () => {
  await stopAllLevelsets();
  await removeNodes(nodes);
  if (foreign !== '') await cloud().must('network', 'DELETE', `/v2.0/security-groups/${foreign}`);
});
beforeEach(async (context) => {
  needsControl(context);
  namespace = await aNamespace();
});
afterEach(async () => {
  if (namespace === '') return;
  await removeNamespace(namespace);
  await nothingLeft({ timeoutMs: 120_000 });
  await stopAllLevelsets();
});

describe('a security group', () => {
  it('opens the node ports and the health check of a Service to the member subnet, on all ten nodes', async () => {
    await startLevelset({ cloudConfig });
    const before = await others();
    const calls = await countCalls();
    await apply([
      aService(namespace, 'web', [{ port: 80 }, { port: 53, protocol: 'UDP' }], {
        spec: { externalTrafficPolicy: 'Local' },
      }),
    ]);
    await addressOf(namespace, 'web');
    const service = await getService(namespace, 'web');
    const uid = service?.metadata.uid ?? '';
    const open = await nodePorts(namespace, 'web');
    const health = service?.spec.healthCheckNodePort ?? 0;
    await until('our tags', async () => ((await groupOf('web'))?.['tags'] as string[]).length === 3);
    const group = await groupOf('web');
    const made = await calls.stop();
    console.log(
      `create: ${made.length} calls, ${made.filter(({ service: one }) => one === 'neutron').length} of them Neutron's, ${writes(made).length} writes`,
    );
    expect(group?.['description']).toBe(
      `Security Group for ${namespace}/web Service LoadBalancer in cluster lab`,
    );
    expect(group?.['tags']).toEqual(
      expect.arrayContaining([
        `levelset-cluster=${lab().clusterId}`,
        `levelset-service=${uid}`,
        `levelset-name=${namespace}/web`,
      ]),
    );
    expect(rulesOf(group)).toEqual(
      [
        `ingress IPv4 tcp ${open['TCP/80'] ?? ''} 10.0.0.0/24`,
        `ingress IPv4 udp ${open['UDP/53'] ?? ''} 10.0.0.0/24`,
        `ingress IPv4 tcp ${health} 10.0.0.0/24`,
      ].sort(),
    );
    expect(await placed(group?.id ?? '')).toEqual([...NAMES].sort());
    expect(await others()).toEqual(before);

    await kube.remove(servicePath(namespace, 'web'));
    await serviceGone(namespace, 'web');
    expect(await securityGroups()).toEqual([]);
    expect(await others()).toEqual(before);
  });

  it('follows the nodes: off the port of one that leaves, and on again', async () => {
    await startLevelset({ cloudConfig });
    await apply([aService(namespace, 'web')]);
    await addressOf(namespace, 'web');
    const id = (await groupOf('web'))?.id ?? '';
    const [first] = nodes as [LabNode];
    const all = [...NAMES].sort();
    await until('the group on all ports', async () => (await placed(id)).length === all.length);

    await leaveCluster(first.name);
    await until('the group off one port', async () => (await placed(id)).length === all.length - 1);
    expect((await others())[first.name]).toContain(foreign);

    const calls = await countCalls();
    await joinCluster(first);
    await until('the group on all ports again', async () => (await placed(id)).length === all.length);
    const made = (await calls.stop()).filter(({ service }) => service === 'neutron');
    console.log(
      `node joins: ${made.map(({ method, path }) => `${method} ${path.split('&')[0] ?? ''}`).join('; ')}`,
    );
    expect((await others())[first.name]).toContain(foreign);
  });

  it('of each of three Services made at once is on every port', async () => {
    await startLevelset({ cloudConfig });
    const names = ['a', 'b', 'c'];
    await apply(names.map((name) => aService(namespace, name)));
    await Promise.all(names.map((name) => addressOf(namespace, name, PATIENT)));
    await until(
      'three groups on ten ports',
      async () => {
        const on = await Promise.all(names.map(async (name) => placed((await groupOf(name))?.id ?? '')));
        return on.every((list) => list.length === NAMES.length);
      },
      PATIENT,
    );
    await removeNamespace(namespace);
    await Promise.all(names.map((name) => serviceGone(namespace, name, PATIENT)));
    expect(await securityGroups()).toEqual([]);
  });

  it('that somebody changed is put right by a sweep, and costs a settled one no write', async () => {
    await apply([aService(namespace, 'web')]);
    await sweepUntilSettled({ cloudConfig });
    const group = await groupOf('web');
    const [rule] = group?.['security_group_rules'] as readonly Resource[];
    const [, second] = nodes as [LabNode, LabNode];
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await sweepUntilSettled({ cloudConfig });

    const calls = await countCalls();
    await sweepUntilSettled({ cloudConfig });
    const made = await calls.stop();
    console.log(
      `settled sweep: ${made.map(({ method, path }) => `${method} ${path.split('?')[0] ?? ''}`).join('; ')}`,
    );
    expect(writes(made)).toEqual([]);
    expect(made.length).toBeLessThanOrEqual(10);

    await cloud().must('network', 'DELETE', `/v2.0/security-group-rules/${rule?.id ?? ''}`);
    await setGroups(second, (present) => present.filter((id) => id !== group?.id));
    await sweepUntilSettled({ cloudConfig });
    expect(rulesOf(await groupOf('web'))).toEqual(rulesOf(group));
    expect(await placed(group?.id ?? '')).toEqual([...NAMES].sort());

    // no longer managed
    await sweepUntilSettled();
    expect(await securityGroups()).toEqual([]);
    await kube.remove(servicePath(namespace, 'web'));
    await sweepUntilSettled();
  });
});
