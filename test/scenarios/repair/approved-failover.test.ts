/** A failover that a person approves, where a load balancer in ERROR cannot be rebuilt (decision 310). */
import { expect, test } from 'vitest';
import type { OctaviaOptions } from '../../../infra/sandbox/openstack/octavia/traits.ts';
import type { Config } from '../../../shared/config/config.ts';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { aService } from '../../support/service.ts';
import { readyOf } from '../../support/told.ts';

const DAY_MS = 24 * 3_600_000;
const OWN = 'levelset.openstack.org/';

interface SharedCluster extends Cluster {
  /** Applies the Service with these approvals. */
  readonly approve: (name: string, approvals?: string) => void;
  readonly breaks: () => void;
  readonly allow: (failover: OctaviaOptions['failover']) => void;
  readonly failovers: () => number;
}

/** Services `web`, for which the load balancer was made, and `api` share one. */
async function shared(
  failover: OctaviaOptions['failover'],
  config: Partial<Config> = {},
): Promise<SharedCluster> {
  const cluster = startCluster(config, undefined, { failover });
  const { cloud, kube, requests } = cluster.inside;
  const approve = (name: string, approvals?: string): void => {
    const annotations = {
      [`${OWN}load-balancer-name`]: 'edge',
      ...(approvals === undefined ? {} : { [`${OWN}approve`]: approvals }),
    };
    kube.apply(aService({ name, annotations, spec: { ports: [{ port: name === 'web' ? 80 : 81 }] } }));
  };
  const it = {
    ...cluster,
    approve,
    breaks: () => {
      for (const lb of cloud.loadbalancers) {
        cloud.setStatus(lb.id, 'ERROR');
        lb.operating_status = 'ERROR';
      }
    },
    allow: (way: OctaviaOptions['failover']) => {
      Object.assign(cloud.octaviaTraits, { failover: way });
    },
    failovers: () =>
      requests.filter(({ method, path }) => method === 'PUT' && path.endsWith('/failover')).length,
  };
  for (const name of ['web', 'api']) {
    approve(name);
    await it.run({ key: `service/default/${name}`, trigger: 'audit' });
  }
  await it.sweep();
  expect(cloud.loadbalancers).toHaveLength(1);
  return it;
}

const told = ({ inside }: Cluster, name: string): string => readyOf(inside, name)?.message ?? '';
const approvalOf = (it: Cluster, name = 'web'): string =>
  /approve: ([0-9a-f]{12})$/m.exec(told(it, name))?.[1] ?? '';
const states = ({ inside }: Cluster): readonly (string | undefined)[] =>
  ['web', 'api'].map((name) => readyOf(inside, name)?.status);

test('of a shared load balancer is offered to each Service on it, and mends it for all', async () => {
  const it = await shared('forbidden');
  const [{ id } = { id: '' }] = it.inside.cloud.loadbalancers;
  const listeners = it.inside.cloud.listeners.map((listener) => listener.id);
  it.breaks();
  await it.sweep();
  await it.sweep();
  expect(it.failovers()).toBe(1);
  expect(told(it, 'web')).toContain('default/api share it; the cloud refused a failover within the last day');
  expect(told(it, 'web')).toContain(`openstack loadbalancer failover ${id})`);
  expect(approvalOf(it, 'api')).not.toBe(approvalOf(it));

  it.allow('mends');
  const approval = approvalOf(it, 'api');
  it.approve('web', approval);
  await it.sweep();
  expect(it.failovers()).toBe(1);
  it.approve('api', approval);
  await it.sweep();
  await it.sweep();
  expect(it.failovers()).toBe(2);
  expect(states(it)).toEqual(['True', 'True']);
  expect(it.inside.cloud.loadbalancers.map((lb) => lb.id)).toEqual([id]);
  expect(it.inside.cloud.listeners.map((listener) => listener.id)).toEqual(listeners);

  it.breaks();
  await it.sweep();
  await it.sweep();
  expect(it.failovers()).toBe(2);
  expect(approvalOf(it, 'api')).not.toBe(approval);
});

test('that the cloud refuses uses up its approval', async () => {
  const it = await shared('forbidden');
  it.breaks();
  await it.sweep();
  const approval = approvalOf(it);
  it.approve('web', approval);
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await it.sweep();
  expect(it.failovers()).toBe(2);
  expect(approvalOf(it)).toMatch(/^[0-9a-f]{12}$/);
  expect(approvalOf(it)).not.toBe(approval);
});

test('that Octavia was away for is made by the next run', async () => {
  const it = await shared('forbidden');
  it.breaks();
  await it.sweep();
  it.allow('mends');
  it.inside.fault({ match: { path: /\/failover$/ }, times: 1, kind: 'fail-before', status: 503 });
  it.approve('web', approvalOf(it));
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await it.sweep();
  expect(it.failovers()).toBe(3);
  expect(states(it)).toEqual(['True', 'True']);
});

test('is the only one with --deletion-share=0%, and good for one time, however long ago', async () => {
  const it = await shared('mends', { deletionPercent: 0 });
  it.breaks();
  await it.sweep();
  expect(it.failovers()).toBe(0);
  expect(told(it, 'web')).toContain('--deletion-share=0% allows no failover');
  it.approve('web', approvalOf(it));
  await it.sweep();
  await it.sweep();
  expect(states(it)).toEqual(['True', 'True']);

  it.inside.advanceClock(2 * DAY_MS);
  it.breaks();
  await it.sweep();
  expect(it.failovers()).toBe(1);
  expect(states(it)).toEqual(['False', 'False']);
});

test('is for whoever is left to approve when the owner has gone', async () => {
  const it = await shared('forbidden');
  it.inside.kube.delete('Service', 'default', 'web');
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await it.sweep();
  it.breaks();
  await it.sweep();
  expect(told(it, 'api')).toContain('which left it to this one; the cloud refused a failover');
  it.allow('mends');
  it.approve('api', approvalOf(it, 'api'));
  await it.sweep();
  await it.sweep();
  expect(readyOf(it.inside, 'api')).toMatchObject({ status: 'True' });
});
