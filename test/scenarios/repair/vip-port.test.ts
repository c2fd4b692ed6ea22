/** A VIP port that somebody deleted in Neutron, which took the floating IP off it (decision 320). */
import { describe, expect, test } from 'vitest';
import { leftovers, readyOf } from '../../support/told.ts';
import { DRIFT, eventsIn, served } from './swept-service.ts';

describe('a VIP port that is gone', () => {
  test('comes back with its address by a failover, where the cloud allows one', async () => {
    const it = await served('mends');
    const { id, vip_port_id: port, vip_address: vip } = it.lb();
    const address = readyOf(it.inside)?.message;
    it.deletePort();

    const { reports } = await it.sweepOnce();

    expect(reports.at(-1)?.outcome.status).toBe('settled');
    expect(it.failovers()).toBe(1);
    expect(it.lb()).toMatchObject({ id, vip_address: vip });
    expect(it.lb().vip_port_id).not.toBe(port);
    expect(it.inside.cloud.floatingips.map(({ port_id: on }) => on)).toEqual([it.lb().vip_port_id]);
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

  test('with drift: report is mended, too, while other drift stays', async () => {
    const it = await served('mends', () => ({ [DRIFT]: 'report' }));
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
