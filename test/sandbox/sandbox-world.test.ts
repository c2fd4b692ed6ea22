import { afterEach, beforeEach, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../infra/sandbox/sandbox.ts';

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ pendingMs: 1000, nodes: 2 });
});

afterEach(() => sandbox.close());

async function token(credential: boolean): Promise<string> {
  const { id, secret } = sandbox.cloud.applicationCredential;
  const domain = { name: 'Default' };
  const password = { user: { name: 'demo', domain, password: 'demo' } };
  const identity = credential
    ? { methods: ['application_credential'], application_credential: { id, secret } }
    : { methods: ['password'], password };
  const scope = credential ? {} : { scope: { project: { id: sandbox.cloud.projectId } } };
  const body = JSON.stringify({ auth: { identity, ...scope } });
  const reply = await fetch(`${sandbox.authUrl}/auth/tokens`, { method: 'POST', body });
  return reply.headers.get('x-subject-token') ?? '';
}

async function octavia(
  method: string,
  path: string,
  own: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const url = `${sandbox.authUrl.replace('/identity/v3', '/load-balancer/v2.0/lbaas')}/${path}`;
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const reply = await fetch(url, { method, headers: { 'X-Auth-Token': own }, ...sent });
  const text = await reply.text();
  return { status: reply.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

const subnet = (): string => sandbox.cloud.subnets.find((one) => one.name === 'private-v4')?.id ?? '';

it('has ready Nodes whose servers and ports exist', () => {
  const nodes = sandbox.kube.list('Node');
  expect(nodes).toHaveLength(2);
  const [node] = nodes;
  const id = String(node?.spec?.['providerID']).replace('openstack:///', '');
  expect(sandbox.cloud.servers.map((server) => server.id)).toContain(id);
  const port = sandbox.cloud.ports.find((one) => one.device_id === id);
  expect(node?.status?.['addresses']).toContainEqual({
    type: 'InternalIP',
    address: port?.fixed_ips[0]?.ip_address,
  });
  sandbox.kube.removeNode('node-1');
  expect([
    sandbox.kube.list('Node').length,
    sandbox.cloud.servers.length,
    sandbox.cloud.ports.filter((port) => port.device_owner.startsWith('compute:')).length,
  ]).toEqual([1, 1, 1]);
});

it('ends PENDING and tokens by its own clock', async () => {
  const own = await token(true);
  expect(
    await octavia('POST', 'loadbalancers', own, { loadbalancer: { vip_subnet_id: subnet() } }),
  ).toMatchObject({ status: 201 });
  expect(sandbox.cloud.loadbalancers[0]?.provisioning_status).toBe('PENDING_CREATE');
  sandbox.advanceClock(1000);
  expect(sandbox.cloud.loadbalancers[0]).toMatchObject({
    provisioning_status: 'ACTIVE',
    operating_status: 'ONLINE',
  });
  sandbox.advanceClock(3_600_000);
  expect((await octavia('GET', 'loadbalancers', own)).status).toBe(401);
  expect((await octavia('GET', 'loadbalancers', await token(false))).status).toBe(200);
  const reply = await fetch(`${sandbox.kubeUrl}/version`);
  expect(Date.parse(reply.headers.get('date') ?? '') - Date.now()).toBeGreaterThan(3_500_000);
});

it('lets a test break load balancers behind the controller’s back', async () => {
  const own = await token(false);
  await octavia('POST', 'loadbalancers', own, { loadbalancer: { vip_subnet_id: subnet() } });
  sandbox.advanceClock(1000);
  const id = sandbox.cloud.loadbalancers[0]?.id ?? '';
  sandbox.cloud.setStatus(id, 'ERROR');
  expect((await octavia('PUT', `loadbalancers/${id}`, own, { loadbalancer: {} })).status).toBe(409);
  sandbox.cloud.removeLoadBalancer(id);
  expect((await octavia('GET', `loadbalancers/${id}`, own)).status).toBe(404);
  expect(sandbox.cloud.ports.some((port) => port.device_owner === 'Octavia')).toBe(false);
});

it('refuses over quota with 403, and leaks one VIP port when a full create is refused', async () => {
  const own = await token(false);
  sandbox.cloud.quotas.listener = 0;
  const listeners = [{ protocol: 'TCP', protocol_port: 80 }];
  const full = await octavia('POST', 'loadbalancers', own, {
    loadbalancer: { vip_subnet_id: subnet(), listeners },
  });
  expect(full).toMatchObject({
    status: 403,
    body: { faultstring: 'Quota has been met for resources: Listener' },
  });
  expect(sandbox.cloud.loadbalancers).toEqual([]);
  expect(sandbox.cloud.ports.filter((port) => port.device_owner === 'Octavia')).toHaveLength(1);
  sandbox.cloud.quotas.load_balancer = 0;
  const plain = await octavia('POST', 'loadbalancers', own, { loadbalancer: { vip_subnet_id: subnet() } });
  expect(plain).toMatchObject({
    status: 403,
    body: { faultstring: 'Quota has been met for resources: Load Balancer' },
  });
  expect(sandbox.cloud.ports.filter((port) => port.device_owner === 'Octavia')).toHaveLength(1);
});

it('forgets continue tokens after five minutes', async () => {
  const get = (query: string): Promise<Response> =>
    fetch(`${sandbox.kubeUrl}/api/v1/nodes?${query}`, {
      headers: { Authorization: `Bearer ${sandbox.kubeToken}` },
    });
  const page = (await (await get('limit=1')).json()) as { metadata: { continue: string } };
  expect((await get(`limit=1&continue=${page.metadata.continue}`)).status).toBe(200);
  sandbox.advanceClock(301_000);
  expect((await get(`limit=1&continue=${page.metadata.continue}`)).status).toBe(410);
});
