import { afterEach, expect, it } from 'vitest';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../infra/sandbox/sandbox.ts';
import { at, listAt, textAt } from '../conformance/json-path.ts';
import { CloudSession, type Reply } from '../conformance/cloud-session.ts';

let sandbox: Sandbox;
afterEach(() => sandbox.close());

/** A session with a sandbox of the given kind, in which nothing is ever PENDING. */
async function open(octavia: NonNullable<SandboxOptions['octavia']>): Promise<CloudSession> {
  sandbox = await startSandbox({ pendingMs: 0, nodes: 0, octavia });
  const demo = { username: 'demo', password: 'demo', project: 'demo' };
  return CloudSession.open({
    ...{ name: 'sandbox', real: false, authUrl: sandbox.authUrl, credentials: demo, stranger: demo },
    hurry: () => undefined,
  });
}

const fault = (reply: Reply): unknown[] => [reply.status, at(reply.body, 'faultstring')];

it('lists no more versions than it has, and takes and shows no newer attributes', async () => {
  const cloud = await open({ version: 'v2.5' });
  const { body } = await cloud.call('load-balancer', 'GET', '/');
  const versions = listAt(body, 'versions').map((one) => at(one, 'id'));
  expect([versions.length, versions.at(-1)]).toEqual([6, 'v2.5']);
  const unknown = 'Unknown attribute for argument load_balancer.loadbalancer';
  const flavor = await cloud.postBalancer({ flavor_id: null });
  expect(fault(flavor)).toEqual([400, `${unknown}: flavor_id`]);
  const nested = { protocol: 'TCP', protocol_port: 80, allowed_cidrs: ['10.0.0.0/8'] };
  const ranges = await cloud.postBalancer({ listeners: [nested] });
  expect(fault(ranges)).toEqual([400, `${unknown}.listeners: allowed_cidrs`]);
  const made = at((await cloud.postBalancer({ tags: ['t'] })).body, 'loadbalancer');
  expect(made).toMatchObject({ tags: ['t'] });
  for (const name of ['flavor_id', 'availability_zone', 'additional_vips'])
    expect(made).not.toHaveProperty(name);
  expect((await cloud.octavia('GET', 'flavors')).status).toBe(404);
});

it('has no tags before v2.5, no additive_only before v2.11 and no SOURCE_IP_PORT before v2.13', async () => {
  const cloud = await open({ version: 'v2.4' });
  expect((await cloud.octavia('GET', 'loadbalancers?tags=x')).status).toBe(400);
  const id = await cloud.balancer();
  const pool = { loadbalancer_id: id, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' };
  const newer = await cloud.octavia('POST', 'pools', { pool: { ...pool, lb_algorithm: 'SOURCE_IP_PORT' } });
  expect(fault(newer)[0]).toBe(400);
  const made = await cloud.child('pools', 'pool', pool);
  const path = `pools/${made}/members?additive_only=true`;
  const batch = await cloud.octavia('PUT', path, { members: [] });
  expect(fault(batch)).toEqual([400, 'Unknown argument: "additive_only"']);
});

it('is an ovn cloud: layer 4, one algorithm, no ranges, no policies', async () => {
  const cloud = await open({ provider: 'ovn' });
  const made = at((await cloud.postBalancer()).body, 'loadbalancer');
  expect(at(made, 'provider')).toBe('ovn');
  const on = { loadbalancer_id: textAt(made, 'id'), protocol: 'TCP' };
  const post = (path: string, body: object): Promise<Reply> => cloud.octavia('POST', path, body);
  const listener = (more: object) => post('listeners', { listener: { ...on, protocol_port: 80, ...more } });
  const pool = (more: object) => post('pools', { pool: { ...on, lb_algorithm: 'SOURCE_IP_PORT', ...more } });
  const option = "Provider 'ovn' does not support a requested option: OVN provider does not support";
  for (const [asked, what] of [
    [listener({ protocol: 'HTTP' }), 'HTTP protocol'],
    [listener({ allowed_cidrs: ['10.0.0.0/8'] }), 'allowed_cidrs option'],
    [pool({ lb_algorithm: 'ROUND_ROBIN' }), 'ROUND_ROBIN algorithm'],
  ] as const)
    expect(fault(await asked)).toEqual([501, `${option} ${what}`]);
  const pool_id = textAt((await pool({})).body, 'pool.id');
  const member = { address: '10.0.0.251', protocol_port: 80, monitor_port: 81 };
  const monitored = await post(`pools/${pool_id}/members`, { member });
  expect(fault(monitored)[1]).toMatch(/does not support different member monitor address or port\.$/);
  const healthmonitor = { pool_id, type: 'HTTP', delay: 5, timeout: 3, max_retries: 2 };
  const http = /does not support HTTP health monitor type\. Supported types: UDP-CONNECT, TCP$/;
  expect(fault(await post('healthmonitors', { healthmonitor }))[1]).toMatch(http);
  const l7policy = { listener_id: textAt((await listener({})).body, 'listener.id'), action: 'REJECT' };
  const text =
    "Provider 'ovn' does not support a requested action: This provider does not support creating l7policies.";
  expect(fault(await post('l7policies', { l7policy }))).toEqual([501, text]);
  expect((await cloud.octavia('GET', 'providers')).body).toMatchObject({ providers: { length: 3 } });
});
