/** A VIP port that somebody deleted in Neutron: Octavia says nothing of it, so a sweep looks (decision 320). */
import { describe, expect, test } from 'vitest';
import { countedLots } from '../../../infra/sandbox/lots.ts';
import type { OctaviaOptions } from '../../../infra/sandbox/openstack/octavia/traits.ts';
import { createPort, deletePort } from '../../../infra/sandbox/openstack/neutron/ports.ts';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { createSandbox, type SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { LoadBalancer } from '../../../infra/sandbox/openstack/octavia/objects.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep, type Sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { aService } from '../../support/service.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { leftovers, readyOf } from '../../support/told.ts';

const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
const DRIFT = 'levelset.openstack.org/drift';

interface It {
  readonly inside: SandboxInside;
  lb(): LoadBalancer;
  apply(annotations?: Record<string, string>): void;
  /** A sweep, and the runs that it asks for until they rest. */
  sweepOnce(): Promise<Sweep & { readonly reports: readonly Report[] }>;
  deletePort(): void;
  /** Writes to OpenStack. */
  writes(): readonly string[];
}

async function served(
  failover: OctaviaOptions['failover'],
  annotations: (inside: SandboxInside) => Record<string, string> = () => ({}),
): Promise<It> {
  const inside = createSandbox(
    { nodes: 2, pendingMs: 1, octavia: { failover } },
    new VirtualClock(),
    countedLots(),
  );
  const { cloud, kube, clock, requests } = inside;
  const world = inProcessWorld(inside, aConfig(AUTH_URL), SILENT);
  const asked = annotations(inside);
  const it: It = {
    inside,
    lb: () => {
      const [lb] = cloud.loadbalancers;
      if (!lb) throw new Error('there is no load balancer');
      return lb;
    },
    apply: (more = {}) => {
      kube.apply(aService({ annotations: { ...asked, ...more } }));
    },
    sweepOnce: async () => {
      const found = await sweep(world);
      const reports: Report[] = [];
      for (const request of found.requests)
        for (let runs = 0; runs < 20; runs += 1) {
          const report = await reconcile(request, world, { remainingMs: () => 60_000 });
          reports.push(report);
          if (report.outcome.status !== 'progressing') break;
          clock.advance(1_500);
        }
      clock.advance(300_000);
      return { ...found, reports };
    },
    deletePort: () => {
      const port = cloud.ports.byId(it.lb().vip_port_id);
      if (port) deletePort(cloud, port);
    },
    writes: () =>
      requests
        .filter(({ side, write, path }) => side === 'openstack' && write && !path.includes('/auth/tokens'))
        .map(({ method, path }) => `${method} ${path}`),
  };
  it.apply();
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await it.sweepOnce();
  expect((await it.sweepOnce()).requests).toEqual([]);
  return it;
}

const eventsIn = ({ kube }: SandboxInside): string =>
  JSON.stringify(kube.list('Event', 'default').map(({ reason, message }) => [reason, message]));

describe('a VIP port that is gone', () => {
  test.each([
    ['of an external Service', {}],
    ['of an internal one', INTERNAL],
  ])('%s comes back with its address by a failover, where the cloud allows one', async (_, annotations) => {
    const it = await served('mends', () => annotations);
    const { id, vip_port_id: port, vip_address: vip } = it.lb();
    const address = readyOf(it.inside)?.message;
    it.deletePort();

    const { reports } = await it.sweepOnce();

    expect(reports.at(-1)?.outcome.status).toBe('settled');
    expect(it.writes().filter((write) => write.endsWith('/failover'))).toHaveLength(1);
    expect(it.lb()).toMatchObject({ id, vip_address: vip });
    expect(it.lb().vip_port_id).not.toBe(port);
    expect(it.inside.cloud.floatingips.map(({ port_id: on }) => on)).toEqual(
      annotations === INTERNAL ? [] : [it.lb().vip_port_id],
    );
    expect(readyOf(it.inside)?.message).toBe(address);
    expect(eventsIn(it.inside)).toContain(`port/${vip} is missing`);
    expect((await it.sweepOnce()).requests).toEqual([]);
  });

  test('is mended by a failover before anything else of the load balancer changes', async () => {
    const it = await served('mends');
    const { id } = it.lb();
    it.deletePort();
    it.inside.kube.addNode('node-9');

    await it.sweepOnce();

    expect(it.writes().filter((write) => write.endsWith('/failover'))).toHaveLength(1);
    expect(it.lb().id).toBe(id);
    expect(it.inside.cloud.members.map(({ name }) => name)).toContain('node-9');
    expect(readyOf(it.inside)).toMatchObject({ status: 'True' });
  });

  test('is rebuilt beside with its floating IP where no failover is allowed, though Octavia says ONLINE', async () => {
    const it = await served('forbidden');
    const { id, operating_status: operating } = it.lb();
    const [floating] = it.inside.cloud.floatingips;
    expect(operating).toBe('ONLINE');
    it.deletePort();

    const { reports } = await it.sweepOnce();

    expect(reports.at(-1)?.outcome.status).toBe('settled');
    expect(it.lb().id).not.toBe(id);
    expect([...it.inside.cloud.floatingips]).toEqual([floating]);
    expect(floating?.port_id).toBe(it.lb().vip_port_id);
    expect(leftovers(it.inside)).toMatchObject({ loadbalancers: 1, listeners: 1, pools: 1, vipPorts: 1 });
    expect(reports.map(({ outcome }) => outcome.status)).not.toContain('failed');
    expect((await it.sweepOnce()).requests).toEqual([]);
  });

  test('is mended by processes that know nothing, and that a hint wakes in the middle', async () => {
    const it = await served('forbidden');
    const [{ id }, [floating]] = [it.lb(), it.inside.cloud.floatingips];
    it.deletePort();
    const statuses: string[] = [];
    for (let runs = 0; runs < 40 && statuses.at(-1) !== 'settled'; runs += 1) {
      const another = inProcessWorld(it.inside, aConfig(AUTH_URL), SILENT);
      const request = { key: 'service/default/web', trigger: runs === 0 ? 'sweep' : 'audit' } as const;
      const { outcome } = await reconcile(request, another, { remainingMs: () => 60_000 });
      statuses.push(outcome.status);
      it.inside.clock.advance(16_000);
    }
    expect(statuses.at(-1)).toBe('settled');
    expect(statuses.length).toBeLessThan(8);
    expect(
      it.writes().filter((write) => write === 'POST /load-balancer/v2.0/lbaas/loadbalancers'),
    ).toHaveLength(2);
    expect(it.inside.cloud.loadbalancers.map((lb) => lb.id)).toEqual([expect.not.stringContaining(id)]);
    expect(floating?.port_id).toBe(it.lb().vip_port_id);
  });

  test('of an internal Service waits for a person, who reads why; Nodes that join are members meanwhile', async () => {
    const it = await served('forbidden', () => INTERNAL);
    const { id, vip_port_id: port } = it.lb();
    it.deletePort();
    await it.sweepOnce();
    const message = readyOf(it.inside)?.message ?? '';
    expect(message).toContain(
      `load balancer ${id} has lost its VIP port ${port}, which somebody deleted in Neutron`,
    );
    expect(message).toContain(
      'its VIP port is gone, and levelset does not rebuild it by itself: the Service would get another address',
    );
    const before = it.writes().length;
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await it.sweepOnce();
    expect(it.writes().slice(before)).toEqual([]);
    expect(readyOf(it.inside)).toMatchObject({ status: 'False', message });

    it.inside.kube.addNode('node-9');
    await it.sweepOnce();
    expect(it.inside.cloud.members.map(({ name }) => name)).toContain('node-9');

    const approval = /approve: ([0-9a-f]{12})/.exec(message)?.[1] ?? '';
    it.apply({ 'levelset.openstack.org/approve': approval });
    await it.sweepOnce();
    expect(it.lb().id).not.toBe(id);
    expect(readyOf(it.inside)).toMatchObject({ status: 'True' });
  });

  test('is only told of with drift: report', async () => {
    const it = await served('mends', () => ({ [DRIFT]: 'report' }));
    const before = it.writes().length;
    it.deletePort();
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await it.sweepOnce();
    expect(it.writes().slice(before)).toEqual([]);
    expect(readyOf(it.inside)?.message).toContain('has lost its VIP port');
    it.apply({ [DRIFT]: 'repair' });
    expect((await it.sweepOnce()).reports.at(-1)?.outcome.status).toBe('settled');
  });
});

describe('a VIP port that is there', () => {
  test('is one list in a sweep, and is found where a person made it, too', async () => {
    const lists = (it: It): readonly string[] =>
      it.inside.requests
        .map(({ path }) => path)
        .filter((path) => path.includes('/ports?') && path.endsWith('fields=id'));
    const own = await served('forbidden');
    const before = lists(own).length;
    expect((await own.sweepOnce()).requests).toEqual([]);
    expect(lists(own).length - before).toBe(1);

    const made = await served('forbidden', ({ cloud }) => {
      const id = cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id ?? '';
      const nobodys = { name: 'mine', deviceId: '', deviceOwner: '', subnets: [{ id }], up: true };
      const port = createPort(cloud, { ...nobodys, projectId: cloud.projectId });
      Object.assign(port, { fixed_ips: port.fixed_ips.slice(0, 1) });
      return { 'loadbalancer.openstack.org/port-id': port.id };
    });
    const then = lists(made).length;
    expect((await made.sweepOnce()).requests).toEqual([]);
    expect(lists(made).length - then).toBe(2);
  });

  test('is not called gone while Neutron does not answer', async () => {
    const it = await served('mends', () => INTERNAL);
    const before = it.writes().length;
    const clear = it.inside.fault({
      kind: 'fail-before',
      match: { path: /\/ports/ },
      status: 503,
      times: Infinity,
    });
    const { warnings } = await it.sweepOnce();
    expect(warnings.join()).toContain('goes without a list');
    clear();
    expect(it.writes().slice(before)).toEqual([]);
    expect((await it.sweepOnce()).reports.flatMap(({ applied }) => applied)).toEqual([]);
  });
});
