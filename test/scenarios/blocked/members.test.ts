/** Members of a Service of which something is wrong: what they have in common with those beside them, and what they never do. */
import { afterEach, describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { aService } from '../../support/service.ts';
import { pause, runAll, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { eventsOf, readyOf } from '../../support/told.ts';

const OCCM = 'loadbalancer.openstack.org/';
const OWN = 'levelset.openstack.org/';
const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const OTHER = '7d7d7d7d-0000-4000-8000-00000000000a';

let it: SandboxWorld;
let by: SandboxWorld['world'];
afterEach(() => it.close());

async function serve(
  spec: object,
  annotations = {},
  config: Parameters<typeof aConfig>[1] = {},
  drainMs = 0,
): Promise<void> {
  it = await startSandboxWorld({}, config);
  const { subnets } = it.sandbox.cloud;
  const [first] = subnets.filter(({ cidr }) => cidr.startsWith('10.'));
  if (first) subnets.push({ ...first, id: OTHER, cidr: '10.44.0.0/16' });
  const classes = { edge: { memberSubnetId: OTHER } };
  by = await it.another({
    ...aConfig(it.sandbox.authUrl, config),
    connectionDrainingMs: drainMs,
    loadBalancerClasses: classes,
  });
  it.sandbox.kube.apply(aService({ spec: { ...spec }, annotations }));
  await it.settle('web', {}, by);
}
const edit = (annotations: object, spec: object = {}): unknown =>
  it.sandbox.kube.apply({
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default', annotations },
    spec,
  });
const settle = (): Promise<unknown> => it.settle('web', {}, by);
async function sweeps(times = 6, world = by): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await runAll(await sweep(world), world);
    await pause(4);
  }
}
function replaceNodes(): void {
  const { kube } = it.sandbox;
  for (const { metadata } of kube.list('Node')) kube.removeNode(metadata.name);
  for (const name of ['blue-1', 'blue-2']) kube.addNode(name);
}
const nodeIPs = (): readonly string[] =>
  it.sandbox.kube
    .list('Node')
    .map(({ status }) => (status as { addresses: { address: string }[] }).addresses[0]?.address ?? '')
    .sort();
/** `ADDRESS:PORT` of the members behind a port. */
function behind(port: number): readonly string[] {
  const { listeners, members } = it.sandbox.cloud;
  const pool = [...listeners].find((one) => one.protocol_port === port)?.default_pool_id;
  return [...members]
    .filter((one) => one.pool_id === pool)
    .map((one) => `${one.address}:${one.protocol_port}`)
    .sort();
}
const HTTP = { ports: [{ name: 'http', port: 80, nodePort: 31_380 }] };
const TYPO = { [RANGES]: '10.0.0.0-24' };

describe('members of a blocked Service', () => {
  test('are where those beside them are, although the class that said so is gone', async () => {
    await serve(HTTP, { [`${OCCM}class`]: 'edge' });
    const addSecond = (node: { metadata: { name: string }; status?: unknown }, at: number): void => {
      const { addresses } = node.status as { addresses: { type: string; address: string }[] };
      const own = { type: 'InternalIP', address: `10.44.0.${20 + at}` };
      const port = it.sandbox.cloud.ports.find(({ fixed_ips: ips }) =>
        ips.some(({ ip_address: ip }) => ip === addresses[0]?.address),
      );
      const fixed_ips = [...(port?.fixed_ips ?? []), { subnet_id: OTHER, ip_address: own.address }];
      Object.assign(port ?? {}, { fixed_ips });
      it.sandbox.kube.apply({
        kind: 'Node',
        metadata: { name: node.metadata.name },
        status: { addresses: [...addresses, own] },
      });
    };
    it.sandbox.kube.list('Node').forEach(addSecond);
    await settle();
    const before = behind(80);
    by = await it.another(aConfig(it.sandbox.authUrl));
    replaceNodes();
    for (const [at, node] of it.sandbox.kube.list('Node').entries()) addSecond(node, at + 10);
    await settle();

    expect(before).toEqual(['10.44.0.20:31380', '10.44.0.21:31380', '10.44.0.22:31380']);
    expect(behind(80)).toEqual(['10.44.0.30:31380', '10.44.0.31:31380']);
    expect(new Set([...it.sandbox.cloud.members].map((member) => member['subnet_id']))).toEqual(
      new Set([OTHER]),
    );
    expect(readyOf(it.sandbox)?.reason).toBe('LoadBalancerBlocked');
  });

  test('are told in an Event, and the condition says that they follow and why the rest does not', async () => {
    await serve(HTTP);
    edit(TYPO);
    await it.settle('web', {}, by);
    const told = readyOf(it.sandbox);
    replaceNodes();
    await settle();

    expect(behind(80)).toEqual(nodeIPs().map((ip) => `${ip}:31380`));
    expect(readyOf(it.sandbox)).toEqual(told);
    expect(told?.message).toMatch(/none of these ranges[\s\S]*the members follow the nodes all the same/);
    expect(eventsOf(it.sandbox).filter((one) => one.startsWith('UpdatedLoadBalancer'))).toHaveLength(1);
  });

  test('drain when their node leaves', async () => {
    await serve(HTTP, {}, {}, 60_000);
    edit(TYPO);
    const [node] = it.sandbox.kube.list('Node');
    it.sandbox.kube.apply({
      kind: 'Node',
      metadata: {
        name: node?.metadata.name ?? '',
        labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' },
      },
    });
    await settle();

    expect([...it.sandbox.cloud.members].map(({ weight }) => weight).sort()).toEqual([0, 1, 1]);
  });

  test('stay where their port is taken away or moved, and follow at a node port that the Service still has', async () => {
    await serve({ ports: [...HTTP.ports, { name: 'admin', port: 9000, nodePort: 31_390 }] });
    const admin = behind(9000);
    edit(TYPO, { ports: [{ name: 'http', port: 8080, nodePort: 31_380 }] });
    replaceNodes();
    await settle();

    expect(behind(80)).toEqual(nodeIPs().map((ip) => `${ip}:31380`));
    expect(behind(9000)).toEqual(admin);
    expect([...it.sandbox.cloud.listeners].map((one) => one.protocol_port).sort()).toEqual([80, 9000]);
  });

  test('never come onto a port that filters nothing, where rules alone enforce the source ranges', async () => {
    await serve(
      HTTP,
      { [RANGES]: '192.0.2.0/25' },
      { lbProvider: 'ovn', manageSecurityGroups: true, createMonitor: false },
    );
    const before = behind(80);
    const node = it.sandbox.kube.addNode('open-1') as unknown as {
      status: { addresses: { address: string }[] };
    };
    const ip = node.status.addresses[0]?.address;
    const port = it.sandbox.cloud.ports.find(({ fixed_ips: ips }) =>
      ips.some((one) => one.ip_address === ip),
    );
    Object.assign(port ?? {}, { port_security_enabled: false, security_groups: [] });
    await settle();

    expect(behind(80)).toEqual(before);
    expect(readyOf(it.sandbox)?.message).toContain('cannot be enforced');
  });

  test('keep the last of them when no node is left', async () => {
    await serve(HTTP);
    edit(TYPO);
    const before = behind(80);
    for (const { metadata } of it.sandbox.kube.list('Node')) it.sandbox.kube.removeNode(metadata.name);
    await settle();

    expect(behind(80)).toEqual(before);
  });
});

describe('a write that OpenStack refuses', () => {
  const refuse = (method: string, path: RegExp, status: number): unknown =>
    it.sandbox.fault({
      match: { side: 'openstack', method, path },
      times: Infinity,
      kind: 'fail-before',
      status,
      body: { faultcode: 'Client', faultstring: 'no', debuginfo: null },
    });

  test('of the members of one pool leaves those of the others to the Nodes', async () => {
    await serve({ ports: [...HTTP.ports, { name: 'admin', port: 9000, nodePort: 31_390 }] });
    const pool = [...it.sandbox.cloud.listeners].find((one) => one.protocol_port === 80)?.default_pool_id;
    refuse('PUT', new RegExp(`pools/${pool}/members`), 400);
    replaceNodes();
    await sweeps();

    expect(behind(9000)).toEqual(nodeIPs().map((ip) => `${ip}:31390`));
    expect(readyOf(it.sandbox)).toMatchObject({ reason: 'LoadBalancerBlocked' });
  });

  test('of the new port does not keep another new port from being served', async () => {
    await serve(HTTP);
    let made = 0;
    it.sandbox.fault({
      match: { side: 'openstack', method: 'POST', path: /lbaas\/pools$/ },
      times: Infinity,
      kind: 'call',
      before: () => {
        made += 1;
      },
    });
    refuse('POST', /lbaas\/healthmonitors$/, 403);
    edit(
      {},
      {
        ports: [
          ...HTTP.ports,
          { name: 'one', port: 81, nodePort: 31_381 },
          { name: 'two', port: 82, nodePort: 31_382 },
        ],
      },
    );
    await sweeps(20);

    expect(made).toBe(2);
  });

  test('of a pool that is to take the place of another does not keep that one from the Nodes', async () => {
    await serve(HTTP, { [`${OWN}protocol`]: 'tcp' });
    it.sandbox.cloud.quotas.pool = 1;
    edit({ [`${OCCM}proxy-protocol`]: 'v2' });
    replaceNodes();
    await sweeps();

    expect(behind(80)).toEqual(nodeIPs().map((ip) => `${ip}:31380`));
  });
});
