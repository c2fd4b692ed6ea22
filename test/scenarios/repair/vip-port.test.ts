/** A VIP port that somebody deleted in Neutron: Octavia says nothing of it, so a sweep looks (decision 320). */
import { describe, expect, test } from 'vitest';
import { createPort } from '../../../infra/sandbox/openstack/neutron/ports.ts';
import { leftovers, readyOf } from '../../support/told.ts';
import { DRIFT, eventsIn, INTERNAL, served, type SweptService } from './swept-service.ts';

const DAY_MS = 24 * 3_600_000;

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
    expect(it.failovers()).toBe(1);
    expect(it.lb()).toMatchObject({ id, vip_address: vip });
    expect(it.lb().vip_port_id).not.toBe(port);
    expect(it.inside.cloud.floatingips.map(({ port_id: on }) => on)).toEqual(
      annotations === INTERNAL ? [] : [it.lb().vip_port_id],
    );
    expect(readyOf(it.inside)?.message).toBe(address);
    expect(eventsIn(it.inside)).toContain('~ lb failover');
    expect((await it.sweepOnce()).requests).toEqual([]);
  });

  test('is mended by a failover before anything else of the load balancer changes', async () => {
    const it = await served('mends');
    const { id } = it.lb();
    it.deletePort();
    it.inside.kube.addNode('node-9');

    await it.sweepOnce();

    expect(it.failovers()).toBe(1);
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
      const { outcome } = await it.runElsewhere({ trigger: runs === 0 ? 'sweep' : 'audit' });
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

  test('with drift: report is mended, too, while other drift stays', async () => {
    const it = await served('mends', () => ({ ...INTERNAL, [DRIFT]: 'report' }));
    it.changePool();
    await it.sweepOnce();
    expect(readyOf(it.inside)?.message).toContain('lb_algorithm: "LEAST_CONNECTIONS" -> ');
    it.deletePort();
    const { plan } = await it.runElsewhere({ trigger: 'command', dryRun: true });
    expect(plan?.drift?.map(({ verb, address }) => `${verb} ${address}`)).toEqual(['failover lb']);
    await it.sweepOnce();
    expect(it.failovers()).toBe(1);
    expect(readyOf(it.inside)?.message).toContain('lb_algorithm: "LEAST_CONNECTIONS" -> ');
    expect(it.inside.cloud.pools[0]?.['lb_algorithm']).toBe('LEAST_CONNECTIONS');
  });

  test('is told of together with what somebody else changed beside it, which is put back after it', async () => {
    const it = await served('mends');
    it.changePool();
    it.deletePort();
    await it.sweepOnce();
    expect(it.failovers()).toBe(1);
    expect(it.inside.cloud.pools[0]?.['lb_algorithm']).toBe('ROUND_ROBIN');
    expect(eventsIn(it.inside)).toContain('~ lb failover');
    expect(eventsIn(it.inside)).toContain('pool/tcp/80: lb_algorithm: ');
  });
});

describe('a VIP port that is there', () => {
  test('is one list in a sweep, none where a floating IP is on it, and is found where a person made it, too', async () => {
    const lists = (it: SweptService): readonly string[] =>
      it.inside.requests
        .map(({ path }) => path)
        .filter((path) => path.includes('/ports?') && path.endsWith('fields=id'));
    const listsIn = async (it: SweptService): Promise<number> => {
      const before = lists(it).length;
      expect((await it.sweepOnce()).requests).toEqual([]);
      return lists(it).length - before;
    };
    expect(await listsIn(await served('forbidden'))).toBe(0);
    expect(await listsIn(await served('forbidden', () => INTERNAL))).toBe(1);

    const made = await served('forbidden', ({ cloud }) => {
      const id = cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id ?? '';
      const nobodys = { name: 'mine', deviceId: '', deviceOwner: '', subnets: [{ id }], up: true };
      const port = createPort(cloud, { ...nobodys, projectId: cloud.projectId });
      Object.assign(port, { fixed_ips: port.fixed_ips.slice(0, 1) });
      return { ...INTERNAL, 'loadbalancer.openstack.org/port-id': port.id };
    });
    expect(await listsIn(made)).toBe(2);
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

  test('of another project is not called gone: the floating IP is on it', async () => {
    const it = await served('mends');
    const before = it.writes().length;
    it.hidePort();
    await it.sweepOnce();
    expect(it.writes().slice(before)).toEqual([]);
    expect(readyOf(it.inside)).toMatchObject({ status: 'True' });
  });

  test('of another project, without a floating IP, is failed over once, and then known to be there', async () => {
    const it = await served('mends', () => INTERNAL);
    const { vip_port_id: port } = it.lb();
    it.hidePort();
    await it.sweepOnce();
    expect([it.failovers(), it.lb().vip_port_id]).toEqual([1, port]);
    await it.sweepOnce();
    expect(readyOf(it.inside)).toMatchObject({ status: 'True' });
    for (let days = 0; days < 3; days += 1) {
      it.inside.clock.advance(DAY_MS);
      expect((await it.sweepOnce()).requests).toEqual([]);
      expect((await it.runElsewhere()).outcome.status).toBe('settled');
    }
    expect(it.failovers()).toBe(1);

    // a port that is made anew and goes is another finding
    it.showPort();
    it.deletePort();
    it.inside.cloud.setStatus(it.lb().id, 'ERROR');
    await it.sweepOnce();
    expect(it.failovers()).toBe(2);
    expect(it.lb().vip_port_id).not.toBe(port);
    it.deletePort();
    it.inside.clock.advance(DAY_MS);
    await it.sweepOnce();
    expect(it.failovers()).toBe(3);
    expect(readyOf(it.inside)).toMatchObject({ status: 'True' });
  });

  test('of another project is failed over once a day where nobody could note that a failover was made', async () => {
    const it = await served('mends', () => INTERNAL);
    it.hidePort();
    const match = { side: 'kube', method: 'PATCH', path: /levelset-deletions/ } as const;
    const clear = it.inside.fault({ kind: 'fail-before', match, status: 503, times: Infinity });
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await it.sweepOnce();
    expect(it.failovers()).toBe(1);
    expect(readyOf(it.inside)?.message).toContain('has lost its VIP port');
    clear();
    it.inside.clock.advance(DAY_MS);
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await it.sweepOnce();
    expect(it.failovers()).toBe(2);
    expect(readyOf(it.inside)).toMatchObject({ status: 'True' });
  });

  test('is not called gone where Neutron says that it does not serve the path', async () => {
    const it = await served('mends', () => INTERNAL);
    const before = it.writes().length;
    const NeutronError = { type: 'HTTPNotFound', message: 'The resource could not be found.', detail: '' };
    const hidden = [
      { path: /v2\.0\/ports\/[0-9a-f]/, status: 404, body: { NeutronError } },
      { path: /v2\.0\/ports\?/, status: 200, body: { ports: [] } },
    ];
    for (const { path, ...answer } of hidden)
      it.inside.fault({ kind: 'fail-before', match: { method: 'GET', path }, times: Infinity, ...answer });
    expect((await it.sweepOnce()).requests).not.toEqual([]);
    expect(it.writes().slice(before)).toEqual([]);
    expect(readyOf(it.inside)).toMatchObject({ status: 'True' });
  });
});
