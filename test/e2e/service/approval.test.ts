/** A change that Octavia cannot make in place: refused, approved by its hash, and made without losing the address. */
import { expect, it, onTestFinished } from 'vitest';
import {
  addressOf,
  apply,
  aService,
  cloud,
  labResources,
  loadBalancersOf,
  loadBalancerTree,
  longestOutage,
  make,
  readyOf,
  startTraffic,
  uidOf,
  until,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const APPROVE = 'levelset.openstack.org/approve';

const world = labWorld({ nodes: ['e2e-approval-1', 'e2e-approval-2'] });

const deploy = (annotations: Record<string, string>): Promise<string> =>
  apply([aService(world.namespace, 'web', [{ port: 80 }], { annotations })]);

const messageOf = async (): Promise<string> => (await readyOf(world.namespace, 'web'))?.message ?? '';

/** A port of the project's own, which is to be the VIP; it goes after the load balancer. */
async function aPort(): Promise<string> {
  const { private_network: network_id, private_v4: subnet_id } = labResources();
  const attributes = { name: 'e2e-vip', network_id, fixed_ips: [{ subnet_id }] };
  const { id } = await make('network', 'port', attributes);
  onTestFinished(() => cloud().must('network', 'DELETE', `/v2.0/ports/${id}`));
  return id;
}

it('keeps the floating IP when another VIP port is approved', async () => {
  await deploy({});
  const address = await addressOf(world.namespace, 'web');
  const uid = await uidOf(world.namespace, 'web');
  const [old] = await loadBalancersOf(uid);
  const traffic = startTraffic(`http://${address}/`, 20);
  await until('an answer', () => traffic.answers.some(({ ok }) => ok));
  const port = await aPort();

  await deploy({ 'loadbalancer.openstack.org/port-id': port });
  const hash = await until('the refusal', async () =>
    /until ([0-9a-f]{12}) is approved/.exec(await messageOf())?.at(1),
  );
  expect(await loadBalancersOf(uid)).toMatchObject([{ id: old?.id }]);

  await deploy({ 'loadbalancer.openstack.org/port-id': port, [APPROVE]: hash });
  const now = await until(
    'the other load balancer alone',
    async () => {
      const [lb, ...others] = await loadBalancersOf(uid);
      return others.length === 0 && lb?.id !== old?.id && lb;
    },
    { timeoutMs: 90_000 },
  );
  await until('the Service to be told', async () => (await messageOf()).includes(now.id));

  const answers = await traffic.stop();
  expect(now['vip_port_id']).toBe(port);
  expect(await addressOf(world.namespace, 'web')).toBe(address);
  expect((await loadBalancerTree(now.id))?.floatingIP?.['floating_ip_address']).toBe(address);
  expect(answers.at(-1)).toMatchObject({ ok: true });
  expect(longestOutage('another VIP port', answers)).toBeLessThan(5_000);
});
