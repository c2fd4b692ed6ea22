/** The harness itself: what the other files here stand on. levelset takes no part. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  aNamespace,
  answeringNodes,
  apply,
  askHttp,
  askUdp,
  aService,
  AUDIT_TOKEN,
  cloud,
  countCalls,
  deleteLoadBalancer,
  getService,
  giveAddress,
  joinCluster,
  kube,
  kubectl,
  kubeRequest,
  lab,
  labResources,
  leftovers,
  loadBalancerTree,
  longestOutage,
  NAMESPACE,
  needsControl,
  nodeDown,
  nodePorts,
  nodeUp,
  nothingLeft,
  OpenStack,
  OTHER_CLIENT,
  removeNamespace,
  removeNodes,
  servicePath,
  settled,
  someNodes,
  someServers,
  startAuditSink,
  startTraffic,
  until,
  writes,
  type LabNode,
  type Resource,
} from './lab/lab.ts';

describe('the ServiceAccount of infra/kubernetes', () => {
  const as = async (method: 'GET' | 'DELETE' | 'POST' | 'PATCH', path: string, body?: object) =>
    (await kubeRequest(method, path, body, { token: lab().levelsetToken })).status;
  let namespace = '';
  beforeAll(async () => {
    namespace = await aNamespace();
    await apply([aService(namespace, 'web')]);
  });
  afterAll(() => removeNamespace(namespace));

  it('may do what levelset does', async () => {
    const service = servicePath(namespace, 'web');
    const lease = { metadata: { name: 'levelset-harness', namespace: NAMESPACE }, spec: {} };
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;
    expect({
      services: await as('GET', '/api/v1/services?fieldSelector=spec.type%3DLoadBalancer'),
      service: await as('GET', service),
      status: await as('PATCH', `${service}/status`, {
        metadata: { finalizers: [] },
        status: { conditions: [] },
      }),
      nodes: await as('GET', '/api/v1/nodes'),
      noNode: await as('PATCH', '/api/v1/nodes/none', { metadata: { labels: { a: 'b' } } }),
      noNodeStatus: await as('PATCH', '/api/v1/nodes/none/status', { status: { addresses: [] } }),
      noNodeAway: await as('DELETE', '/api/v1/nodes/none'),
      clusterId: await as('GET', '/api/v1/namespaces/kube-system'),
      lease: await as('POST', leases, lease),
      leaseAway: await as('DELETE', `${leases}/levelset-harness`),
      state: await as('GET', `/api/v1/namespaces/${NAMESPACE}/configmaps?labelSelector=levelset`),
    }).toEqual({
      services: 200,
      service: 200,
      status: 200,
      nodes: 200,
      noNode: 404,
      noNodeStatus: 404,
      noNodeAway: 404,
      clusterId: 200,
      lease: 201,
      leaseAway: 200,
      state: 200,
    });
  });

  it('may do nothing else', async () => {
    const service = servicePath(namespace, 'web');
    const denied = await Promise.all([
      as('DELETE', service),
      as('PATCH', service, { metadata: { labels: { a: 'b' } } }),
      as('GET', '/api/v1/secrets'),
      as('GET', '/api/v1/namespaces/kube-system/secrets'),
      as('GET', `/api/v1/namespaces/${NAMESPACE}/secrets`),
      as('GET', '/api/v1/namespaces'),
      as('DELETE', '/api/v1/namespaces/default/pods/none'),
      as('POST', '/api/v1/nodes', { metadata: { name: 'levelset-harness' } }),
      as('GET', '/apis/coordination.k8s.io/v1/leases'),
      as('GET', '/api/v1/configmaps'),
      as('GET', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases'),
      as('DELETE', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager'),
      as('GET', '/api/v1/namespaces/kube-system/configmaps'),
      as('PATCH', '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication', {
        data: {},
      }),
    ]);
    expect(new Set(denied)).toEqual(new Set([403]));
  });
});

it('takes the examples', async () => {
  const said = await kubectl([
    'apply',
    '--dry-run=server',
    '--validate=strict',
    '-f',
    join(lab().repository, 'examples'),
  ]);
  expect(said.split('\n').length).toBeGreaterThan(4);
});

describe('audit events', () => {
  beforeEach((context) => {
    needsControl(context);
  });

  it('tell of writes to Services by others, with the token, and of nothing else', async () => {
    const sink = await startAuditSink();
    const namespace = await aNamespace();
    try {
      await apply([aService(namespace, 'web')]);
      await kubectl(['-n', namespace, 'annotate', 'service', 'web', 'a=b']);
      const path = servicePath(namespace, 'web');
      await kube.patch(`${path}/status`, { status: { loadBalancer: null } });
      const own = { metadata: { finalizers: [] } };
      await kubeRequest('PATCH', `${path}/status`, own, { token: lab().levelsetToken });
      await kubectl(['-n', namespace, 'delete', 'service', 'web']);
      const ours = () => sink.events.filter(({ objectRef }) => objectRef?.namespace === namespace);
      await until('the delete to arrive', () => ours().some(({ verb }) => verb === 'delete'));
      expect(ours().map(({ verb, level, objectRef }) => [verb, level, objectRef?.resource])).toEqual([
        ['patch', 'Metadata', 'services'], // server-side apply
        ['patch', 'Metadata', 'services'],
        ['delete', 'Metadata', 'services'],
      ]);
      expect(new Set(sink.deliveries.map(({ path: at }) => at))).toEqual(new Set(['/audit/lab?timeout=30s']));
      expect(new Set(sink.deliveries.map(({ authorization }) => authorization))).toEqual(
        new Set([`Bearer ${AUDIT_TOKEN}`]),
      );
    } finally {
      await removeNamespace(namespace);
      await sink.close();
    }
  });
});

describe('nodes and traffic', () => {
  let nodes: readonly LabNode[] = [];
  let balancer: Resource | undefined;
  let floating: Resource | undefined;
  beforeEach((context) => {
    needsControl(context);
  });
  afterEach(async () => {
    if (floating) await cloud().must('network', 'DELETE', `/v2.0/floatingips/${floating.id}`);
    if (balancer) await deleteLoadBalancer(balancer.id);
    await removeNodes(nodes);
    [nodes, balancer, floating] = [[], undefined, undefined];
    await nothingLeft();
  });

  it('pass a load balancer to every node, TCP and UDP, from whom it lets in', async () => {
    nodes = await someNodes(['e2e-harness-1', 'e2e-harness-2']);
    const listener = (protocol: 'TCP' | 'UDP', port: number, more: object = {}) => ({
      name: `${protocol}-${port}`,
      protocol,
      protocol_port: port,
      ...more,
      default_pool: {
        name: `${protocol}-${port}`,
        protocol,
        lb_algorithm: 'ROUND_ROBIN',
        members: nodes.map(({ address }) => ({ address, protocol_port: 30000 + port })),
        ...(protocol === 'TCP' && {
          healthmonitor: { type: 'TCP', delay: 1, timeout: 1, max_retries: 1, max_retries_down: 1 },
        }),
      },
    });
    const created = await cloud().must<{ loadbalancer: Resource }>(
      'load-balancer',
      'POST',
      '/v2.0/lbaas/loadbalancers',
      {
        loadbalancer: {
          name: 'e2e-harness',
          vip_subnet_id: labResources().private_v4,
          listeners: [
            listener('TCP', 80),
            listener('UDP', 53),
            listener('TCP', 81, { allowed_cidrs: ['198.51.100.0/24'] }),
          ],
        },
      },
    );
    balancer = created.loadbalancer;
    expect(await settled(balancer.id)).toBe('ACTIVE');
    const made = await cloud().must<{ floatingip: Resource }>('network', 'POST', '/v2.0/floatingips', {
      floatingip: {
        floating_network_id: labResources().public_network,
        port_id: balancer['vip_port_id'],
      },
    });
    floating = made.floatingip;
    const address = String(floating['floating_ip_address']);
    const both = new Set(nodes.map(({ name }) => name));
    for (const { id } of [balancer, floating, { id: String(balancer['vip_port_id']) }])
      expect(await leftovers()).toContainEqual(expect.stringContaining(id));

    await until('the floating IP to answer', async () => (await askHttp(`http://${address}/`)).ok);
    expect(await answeringNodes(`http://${address}/`, 6)).toEqual(both);
    expect(await answeringNodes(`udp://${address}:53`, 6)).toEqual(both);
    expect(await askHttp(`http://${address}/`)).toMatchObject({
      ok: true,
      status: 200,
      port: 30080,
      peer: balancer['vip_address'],
    });
    expect(await askUdp(address, 53)).toMatchObject({ ok: true, port: 30053 });
    expect(await askHttp(`http://${address}:81/`)).toMatchObject({ ok: true, port: 30081 });
    expect(await askHttp(`http://${address}:81/`, { from: OTHER_CLIENT, timeoutMs: 1500 })).toMatchObject({
      ok: false,
      reason: 'timeout',
    });
    expect(await askHttp(`http://${address}:82/`, { timeoutMs: 1500 })).toMatchObject({ ok: false });

    const tree = await loadBalancerTree(balancer.id);
    expect(tree?.listeners.map(({ protocol_port }) => protocol_port)).toEqual([80, 81, 53]);
    expect(tree?.pools.map(({ members }) => members.length)).toEqual([2, 2, 2]);
    expect(tree?.floatingIP?.id).toBe(floating.id);

    const traffic = startTraffic(`http://${address}/`, 50);
    await until('some requests', () => traffic.answers.length > 10);
    await nodeDown('e2e-harness-1');
    await until('the other node alone', async () => {
      const seen = await answeringNodes(`http://${address}/`, 4);
      return seen.size === 1 && seen.has('e2e-harness-2');
    });
    await nodeUp('e2e-harness-1');
    await until('both nodes', async () => (await answeringNodes(`http://${address}/`, 6)).size === 2);
    const answers = await traffic.stop();
    expect(longestOutage(answers)).toBeLessThan(2000);
  });

  it('make a Node without an address, which gets one later', async () => {
    nodes = await someServers(['e2e-harness-late']);
    const [node] = nodes;
    if (!node) throw new Error('no server');
    await joinCluster(node, { withAddress: false });
    interface Status {
      status: { addresses?: { address: string }[]; conditions: { type: string; status: string }[] };
    }
    const read = () => kube.get<Status>(`/api/v1/nodes/${node.name}`);
    expect((await read())?.status.addresses).toBeUndefined();
    await giveAddress(node);
    const { status } = (await read()) ?? {};
    expect(status?.addresses?.map(({ address }) => address)).toContain(node.address);
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });
});

describe('counting', () => {
  beforeEach((context) => {
    needsControl(context);
  });

  it("counts levelset's calls where they arrive, and nobody else's", async () => {
    const levelset = new OpenStack(lab().levelsetCloud, 'levelset');
    await levelset.session();
    const counter = await countCalls();
    await levelset.must('load-balancer', 'GET', '/v2.0/lbaas/loadbalancers?limit=1');
    await levelset.must('network', 'GET', '/v2.0/floatingips');
    await levelset.request('network', 'POST', '/v2.0/floatingips', { floatingip: {} });
    await cloud().must('load-balancer', 'GET', '/v2.0/lbaas/pools');
    await cloud().must('network', 'GET', '/v2.0/ports');
    const calls = await counter.stop();
    expect(calls).toEqual([
      { service: 'octavia', method: 'GET', path: '/v2.0/lbaas/loadbalancers?limit=1', status: 200 },
      { service: 'neutron', method: 'GET', path: '/v2.0/floatingips', status: 200 },
      { service: 'neutron', method: 'POST', path: '/v2.0/floatingips', status: 400 },
    ]);
    expect(writes(calls).length).toBe(1);
  });
});

it('finds the node ports of a Service', async () => {
  const namespace = await aNamespace();
  try {
    await apply([aService(namespace, 'dns', [{ port: 53 }, { port: 53, protocol: 'UDP' }])]);
    expect(Object.keys(await nodePorts(namespace, 'dns'))).toEqual(['TCP/53', 'UDP/53']);
    expect((await getService(namespace, 'dns'))?.status?.loadBalancer).toEqual({});
  } finally {
    await removeNamespace(namespace);
  }
});
