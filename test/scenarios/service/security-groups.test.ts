import { describe, expect, test } from 'vitest';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { failing } from '../../support/failing.ts';
import { aService } from '../../support/service.ts';
import { LOAD_BALANCER_ID } from '../../support/shared-world.ts';
import { forceDelete, leftovers, readyOf, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld({}, { manageSecurityGroups: true }));

const nodePorts = () => it.cloud.ports.filter(({ device_owner }) => device_owner.startsWith('compute'));
const groups = () => it.cloud.securityGroups.filter(({ name }) => name.startsWith('lb-sg-'));
const groupOf = (name = 'web') =>
  groups().find((group) => group.name.endsWith(`-default-${name}`) && group.tags.length === 3);
const rulesOf = (name = 'web') =>
  it.cloud.securityGroupRules
    .filter((rule) => rule.security_group_id === groupOf(name)?.id)
    .map((rule) =>
      [rule['direction'], rule['protocol'], rule['port_range_min'], rule['remote_ip_prefix']].join(' '),
    )
    .sort();
/** How many ports of nodes have the group. */
const placed = (name = 'web') =>
  nodePorts().filter((port) => port.security_groups.includes(groupOf(name)?.id ?? '')).length;
const others = () => {
  const ours = groups().map(({ id }) => id);
  return nodePorts().map((port) => port.security_groups.filter((id) => !ours.includes(id)));
};
const openstackSince = (from: number) => it.requests.slice(from).filter(({ side }) => side === 'openstack');

describe('the security group of a Service', () => {
  test('opens nothing for a port that another Service has on the same load balancer, at no moment', async () => {
    const spec = (...ports: readonly number[]) => ({
      ports: ports.map((nodePort) => ({ name: `p${nodePort}`, port: nodePort % 1000, nodePort })),
    });
    await it.make({ spec: spec(31_080) });
    const annotations = { [LOAD_BALANCER_ID]: it.cloud.loadbalancers[0]?.id ?? '' };
    const from = it.requests.length;
    const [lb] = it.cloud.loadbalancers;
    it.kube.apply(aService({ name: 'api', annotations, spec: spec(30_080, 30_081) }));
    await it.once({ key: 'service/default/api' });
    it.cloud.setStatus(lb?.id ?? '', 'PENDING_UPDATE');
    await it.once({ key: 'service/default/api' });
    it.cloud.setStatus(lb?.id ?? '', 'ACTIVE');
    expect(rulesOf('api')).toEqual(['ingress tcp 30081 10.0.0.0/24']);
    await it.settle('api');
    await it.sweepUntilSettled();

    expect(rulesOf('api')).toEqual(['ingress tcp 30081 10.0.0.0/24']);
    const removed = openstackSince(from).filter(
      ({ method, path }) => method === 'DELETE' && path.includes('rules'),
    );
    expect(removed).toHaveLength(2);

    await it.remove('web');
    await it.sweepUntilSettled();
    expect(rulesOf('api')).toEqual(['ingress tcp 30080 10.0.0.0/24', 'ingress tcp 30081 10.0.0.0/24']);
  });

  test('goes to the port of a node that joins, and leaves that of one that leaves, for a list of the Nodes’ ports, three calls and a look', async () => {
    await it.make();
    const count = nodePorts().length;
    it.kube.addNode('node-9');
    let from = it.requests.length;

    await it.settle('web');

    expect(placed()).toBe(count + 1);
    const about = /security-groups|\/ports/;
    const calls = () =>
      openstackSince(from)
        .filter(({ path }) => about.test(path))
        .map(({ method, path }) => `${method} ${path.replace(/^.*v2\.0\/([a-z-]+).*$/, '$1')}`);
    const look = ['GET security-groups', 'GET ports'];
    expect(calls()).toEqual(['GET ports', ...look, 'GET ports', 'PUT ports', ...look]);

    const server = it.cloud.servers.find(({ name }) => name === 'node-9');
    const labels = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
    it.kube.apply({ kind: 'Node', metadata: { name: 'node-9', labels } });
    from = it.requests.length;
    await it.settle('web');
    const port = nodePorts().find(({ device_id }) => device_id === server?.id);
    expect(port?.security_groups).not.toContain(groupOf()?.id);
    expect(calls()).toEqual([...look, 'PUT ports', ...look]);
  });

  test('#3096: names its cluster and Service, and is inherited by a namesake with another UID', async () => {
    await it.create('web');
    const { id } = groupOf() ?? {};
    forceDelete(it);

    await it.create('web');

    expect(groups().map((group) => group.id)).toEqual([id]);
    const uid = serviceOf(it)?.metadata.uid ?? '';
    const tags = [`levelset-cluster=${await it.world.kube.clusterId()}`, `levelset-service=${uid}`];
    expect(groupOf()?.tags).toEqual(expect.arrayContaining(tags));
  });
});

test('a sweep finds a group whose Service is gone, even when nothing else is left of it', async () => {
  const before = others();
  await it.create('web', 'other');
  forceDelete(it);
  const lb = it.cloud.loadbalancers.find(({ name }) => name.endsWith('_web'));
  const ip = it.cloud.floatingips.findIndex(({ port_id }) => port_id === lb?.vip_port_id);
  it.cloud.floatingips.splice(ip, 1);
  it.cloud.removeLoadBalancer(lb?.id ?? '');

  await it.sweepUntilSettled();

  expect(it.requests.filter(({ path }) => path.includes('levelset-unknown'))).toEqual([]);
  expect(groups().map(({ name }) => name.endsWith('-other'))).toEqual([true]);
  it.kube.delete('Service', 'default', 'other');
  await it.sweepUntilSettled();
  expect([groups(), others()]).toEqual([[], before]);
  expect(leftovers(it)).toEqual({});
});

test('when Neutron refuses a port that changed meanwhile is read again, and the Service has no failure', async () => {
  const error = { type: 'RevisionNumberConstraintFailed', message: 'Constrained to 1', detail: '' };
  failing(it, 'PUT', /\/ports\//, 412, { body: { NeutronError: error }, times: 1 });
  it.kube.apply(aService());

  expect((await it.once()).outcome).toMatchObject({ status: 'progressing' });
  await it.settle('web');

  expect(placed()).toBe(nodePorts().length);
  expect(readyOf(it)).toMatchObject({ status: 'True' });
});
