import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../infra/sandbox/sandbox.ts';
import type { OpenStackConfig } from '../../../shared/config/config.ts';
import { connectCloud, type CloudConnection } from '../../../shared/openstack/connect-cloud.ts';
import { configFor } from './fake-openstack.ts';

/** The end of it comes when a case moves the clock, so that a slow machine sees the lock as well. */
const PENDING_MS = 60_000;

let sandbox: Sandbox;
let connection: CloudConnection;
beforeAll(async () => {
  sandbox = await startSandbox({ pendingMs: PENDING_MS });
  connection = connectCloud({ ...configFor(sandbox.authUrl), credentials: login('demo') });
});
afterAll(() => sandbox.close());

function login(password: string): OpenStackConfig['credentials'] {
  const domain = { name: 'Default' };
  return { type: 'password', user: { name: 'demo', domain }, password, project: { name: 'demo', domain } };
}

function settled(id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  sandbox.advanceClock(PENDING_MS);
  return connection.cloud.get('loadbalancer', id);
}

describe('connectCloud', () => {
  it('leads a load balancer and its floating IP through their life', async () => {
    const { cloud, calls, ready } = connection;
    await ready();
    expect(await cloud.octaviaVersion()).toMatchObject({ major: 2 });
    expect(await cloud.quota()).toMatchObject({ loadbalancer: expect.any(Number) as number });
    const networks = await cloud.list('network');
    const outside = networks.find((network) => network['router:external'] === true);
    const subnets = await cloud.list('subnet', { ip_version: 4 });
    const inside = subnets.find((subnet) => subnet['network_id'] !== outside?.id);
    const member = { address: '10.0.0.77', protocol_port: 30080, subnet_id: inside?.id };
    const pool = { name: 'p', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members: [member] };

    const { value: made } = await calls.record(() =>
      cloud.create('loadbalancer', {
        name: 'demo',
        vip_subnet_id: inside?.id,
        tags: ['a'],
        listeners: [{ name: 'l', protocol: 'TCP', protocol_port: 80, default_pool: pool }],
      }),
    );
    await expect(cloud.update('loadbalancer', made.id, { description: 'x' })).rejects.toMatchObject({
      code: 'LOAD_BALANCER_BUSY',
    });
    expect(await settled(made.id)).toMatchObject({ provisioning_status: 'ACTIVE' });

    const address = await cloud.create('floatingip', {
      floating_network_id: outside?.id,
      port_id: made['vip_port_id'],
      description: 'demo',
    });
    await cloud.update('floatingip', address.id, { description: 'other', tags: ['t'] });
    expect(await cloud.get('floatingip', address.id)).toMatchObject({ description: 'other', tags: ['t'] });

    const [found] = await cloud.list('pool', { loadbalancer_id: made.id });
    await cloud.putMembers(found?.id ?? '', [{ ...member, address: '10.0.0.78' }], true);
    await settled(made.id);
    expect(await cloud.list('member', {}, found?.id)).toHaveLength(2);

    await cloud.remove('floatingip', address.id);
    await cloud.remove('loadbalancer', made.id, { cascade: true });
    expect(await settled(made.id)).toBeUndefined();
    await cloud.remove('loadbalancer', made.id, { cascade: true });
  });

  it('lives through a token that the cloud forgot', async () => {
    sandbox.advanceClock(2 * 3_600_000);
    expect(await connection.cloud.list('loadbalancer')).toEqual([]);
  });

  it.each([
    [
      'a region that is none',
      { ...configFor(''), credentials: login('demo'), region: 'Nowhere' },
      'CONFIG_INVALID',
    ],
    ['a wrong password', { ...configFor(''), credentials: login('wrong') }, 'UNAUTHORIZED'],
  ])('is not ready with %s', async (_what, config, code) => {
    const { ready } = connectCloud({ ...config, authUrl: sandbox.authUrl });
    await expect(ready()).rejects.toMatchObject({ code });
  });
});
