import { expect, test } from 'vitest';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { LOAD_BALANCER_ID } from '../../support/shared-world.ts';
import { forceDelete, leftovers, readyOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld({}, { manageSecurityGroups: true }));

const nodePorts = () =>
  it.sandbox.cloud.ports.filter(({ device_owner }) => device_owner.startsWith('compute'));
const groups = () => it.sandbox.cloud.securityGroups.filter(({ name }) => name.startsWith('lb-sg-'));
const groupOf = (name: string) => groups().find((group) => group.name.endsWith(`-default-${name}`));
const rulesOf = (name: string) =>
  it.sandbox.cloud.securityGroupRules
    .filter((rule) => rule.security_group_id === groupOf(name)?.id)
    .map((rule) =>
      [rule['direction'], rule['protocol'], rule['port_range_min'], rule['remote_ip_prefix']].join(' '),
    )
    .sort();
const others = () => {
  const ours = groups().map(({ id }) => id);
  return nodePorts().map((port) => port.security_groups.filter((id) => !ours.includes(id)));
};

test('the security group of a Service opens nothing for a port that another Service has on the same load balancer, at no moment', async () => {
  const spec = (...ports: readonly number[]) => ({
    ports: ports.map((nodePort) => ({ name: `p${nodePort}`, port: nodePort % 1000, nodePort })),
  });
  it.sandbox.kube.apply(aService({ spec: spec(31_080) }));
  await it.settle('web');
  const annotations = { [LOAD_BALANCER_ID]: it.sandbox.cloud.loadbalancers[0]?.id ?? '' };
  const from = it.sandbox.requests.length;
  const [lb] = it.sandbox.cloud.loadbalancers;
  it.sandbox.kube.apply(aService({ name: 'api', annotations, spec: spec(30_080, 30_081) }));
  await run({ key: 'service/default/api', trigger: 'audit' }, it.world);
  it.sandbox.cloud.setStatus(lb?.id ?? '', 'PENDING_UPDATE');
  await run({ key: 'service/default/api', trigger: 'audit' }, it.world);
  it.sandbox.cloud.setStatus(lb?.id ?? '', 'ACTIVE');
  expect(rulesOf('api')).toEqual(['ingress tcp 30081 10.0.0.0/24']);
  await it.settle('api');
  await it.sweepUntilSettled();

  expect(rulesOf('api')).toEqual(['ingress tcp 30081 10.0.0.0/24']);
  const removed = it.sandbox.requests
    .slice(from)
    .filter(({ method, path }) => method === 'DELETE' && path.includes('rules'));
  expect(removed).toHaveLength(2);

  await it.remove('web');
  await it.sweepUntilSettled();
  expect(rulesOf('api')).toEqual(['ingress tcp 30080 10.0.0.0/24', 'ingress tcp 30081 10.0.0.0/24']);
});

test('a sweep finds a group whose Service is gone, even when nothing else is left of it', async () => {
  const before = others();
  for (const name of ['web', 'other']) it.sandbox.kube.apply(aService({ name }));
  await it.sweepUntilSettled();
  forceDelete(it.sandbox);
  const lb = it.sandbox.cloud.loadbalancers.find(({ name }) => name.endsWith('_web'));
  const ip = it.sandbox.cloud.floatingips.findIndex(({ port_id }) => port_id === lb?.vip_port_id);
  it.sandbox.cloud.floatingips.splice(ip, 1);
  it.sandbox.cloud.removeLoadBalancer(lb?.id ?? '');

  await it.sweepUntilSettled();

  expect(it.sandbox.requests.filter(({ path }) => path.includes('levelset-unknown'))).toEqual([]);
  expect(groups().map(({ name }) => name.endsWith('-other'))).toEqual([true]);
  it.sandbox.kube.delete('Service', 'default', 'other');
  await it.sweepUntilSettled();
  expect([groups(), others()]).toEqual([[], before]);
  expect(leftovers(it.sandbox)).toEqual({});
});

test('when Neutron refuses a port that changed meanwhile is read again, and the Service has no failure', async () => {
  const match = { side: 'openstack', method: 'PUT', path: /\/ports\// } as const;
  const error = { type: 'RevisionNumberConstraintFailed', message: 'Constrained to 1', detail: '' };
  it.sandbox.fault({ match, kind: 'fail-before', status: 412, body: { NeutronError: error } });
  it.sandbox.kube.apply(aService());

  const first = await run({ key: 'service/default/web', trigger: 'audit' }, it.world);
  expect(first.outcome).toMatchObject({ status: 'progressing' });
  await it.settle('web');

  const { id = '' } = groupOf('web') ?? {};
  expect(nodePorts().filter((port) => !port.security_groups.includes(id))).toEqual([]);
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
});
