/** What closes is refused by OpenStack: nothing opens before it, and nothing else keeps it from closing. */
import { afterEach, describe, expect, test } from 'vitest';
import type { SandboxOptions } from '../../../infra/sandbox/sandbox.ts';
import { aService } from '../../support/service.ts';
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';

const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';
const GROUPS = 'levelset.openstack.org/vip-sg-ids';
const PORT = { name: 'http', port: 80, nodePort: 31_380 };

let it: SandboxWorld;
afterEach(() => it.close());

const edit = (annotations: Readonly<Record<string, string | null>>, ...ports: readonly object[]): void => {
  const service = aService({ annotations: annotations as Record<string, string> });
  it.sandbox.kube.apply({ ...service, spec: { ...service.spec, ports: [PORT, ...ports] } });
};
const start = async (
  options: SandboxOptions,
  annotations: Readonly<Record<string, string>>,
): Promise<void> => {
  const ovn = { lbProvider: 'ovn', manageSecurityGroups: true, createMonitor: false } as const;
  it = await startSandboxWorld(options, options.octavia?.provider === 'ovn' ? ovn : {});
  edit(annotations);
  await it.settle('web');
};
const refuse = (method: string, path: RegExp, status = 400): (() => void) =>
  it.sandbox.fault({ match: { side: 'openstack', method, path }, times: 1e6, kind: 'fail-before', status });
/** As many runs as it would take; it never comes to rest. */
const runs = async (): Promise<void> => {
  for (let count = 0; count < 6; count += 1) {
    await run({ key: 'service/default/web', trigger: 'audit' }, it.world);
    await pause(5);
  }
};
const allowed = (): readonly unknown[] => it.sandbox.cloud.listeners.map((one) => one['allowed_cidrs']);
const attached = (): readonly unknown[] => it.sandbox.cloud.floatingips.filter(({ port_id: port }) => port);

describe.each([400, 403, 500])('while security groups on the VIP are refused with %s', (status) => {
  const refuseGroups = async (annotations: Readonly<Record<string, string>>): Promise<() => void> => {
    await start({ octavia: { release: '2026.2' } }, annotations);
    return refuse('PUT', /lbaas\/loadbalancers\//, status);
  };
  const groups = () => ({ [GROUPS]: it.sandbox.cloud.securityGroups[0]?.id ?? '' });
  const onVip = (): unknown => it.sandbox.cloud.loadbalancers[0]?.['vip_sg_ids'];

  test('the source ranges in their place stay, no port is added, and members follow the Nodes', async () => {
    const heal = await refuseGroups({ [RANGES]: '192.0.2.0/24' });
    edit({ [RANGES]: null, ...groups() }, { name: 'more', port: 81, nodePort: 31_381 });
    it.sandbox.kube.addNode('node-9');
    await runs();

    expect([onVip(), allowed()]).toEqual([[], [['192.0.2.0/24']]]);
    expect(it.sandbox.cloud.members.map(({ name }) => name)).toContain('node-9');

    heal();
    await it.settle('web');
    expect([onVip(), allowed()]).toEqual([Object.values(groups()), [null, null]]);
  });

  test('no floating IP comes to an internal Service', async () => {
    const heal = await refuseGroups({ [INTERNAL]: 'true' });
    edit({ [INTERNAL]: 'false', ...groups() });
    await runs();
    expect([onVip(), attached()]).toEqual([[], []]);

    heal();
    await it.settle('web');
    expect(attached()).toHaveLength(1);
  });
});

describe('where rules at the Nodes enforce source ranges', () => {
  const ovn = { octavia: { provider: 'ovn' } } as const;
  const opened = (): readonly string[] =>
    it.sandbox.cloud.securityGroupRules
      .filter((rule) => [31_380, 31_381].includes(Number(rule['port_range_min'])))
      .map((rule) => `${String(rule['port_range_min'])} ${String(rule['remote_ip_prefix'])}`)
      .sort();

  test('a port that the quota refuses keeps no old range open', async () => {
    await start(ovn, { [RANGES]: '192.0.2.0/24' });
    expect(opened()).toEqual(['31380 192.0.2.0/24']);
    it.sandbox.cloud.quotas.pool = 1;
    edit({ [RANGES]: '198.51.100.0/24' }, { name: 'more', port: 81, nodePort: 31_381 });
    await runs();

    expect(it.sandbox.cloud.pools).toHaveLength(1);
    expect(opened()).toEqual(['31380 198.51.100.0/24', '31381 198.51.100.0/24']);
  });

  test('the rule of a port that is not served any more waits for members that could not go', async () => {
    await start(ovn, { [RANGES]: '192.0.2.0/24' });
    const heal = refuse('PUT', /\/members/);
    const service = aService({ spec: { ports: [{ ...PORT, nodePort: 31_381 }] } });
    it.sandbox.kube.apply(service);
    await runs();
    expect(opened()).toEqual(['31380 192.0.2.0/24', '31381 192.0.2.0/24']);

    heal();
    await it.settle('web');
    expect(opened()).toEqual(['31381 192.0.2.0/24']);
  });

  test('no floating IP comes while a wider rule cannot go', async () => {
    await start(ovn, { [INTERNAL]: 'true' });
    const heal = refuse('DELETE', /security-group-rules/);
    edit({ [INTERNAL]: 'false', [RANGES]: '192.0.2.0/24' });
    await runs();
    expect([opened(), attached()]).toEqual([['31380 0.0.0.0/0', '31380 192.0.2.0/24'], []]);

    heal();
    await it.settle('web');
    expect([opened(), attached().length]).toEqual([['31380 192.0.2.0/24'], 1]);
  });
});
