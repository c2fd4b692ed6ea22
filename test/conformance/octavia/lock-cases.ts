import { expect } from 'vitest';
import { webListener } from './balancer-cases.ts';
import { expectFault, type CloudCases } from '../cloud-case.ts';
import { at, textAt } from '../json-path.ts';

const tcp = (loadbalancer_id: string, protocol_port: number): unknown => ({
  listener: { loadbalancer_id, protocol: 'TCP', protocol_port },
});

export const lockCases: CloudCases = {
  'while PENDING a child is refused as immutable, the load balancer itself as in an invalid state': async (
    cloud,
  ) => {
    const id = textAt((await cloud.postBalancer()).body, 'loadbalancer.id');
    const immutable = `Load Balancer ${id} is immutable and cannot be updated.`;
    const state = `Invalid state PENDING_CREATE of loadbalancer resource ${id}`;
    expectFault(await cloud.octavia('POST', 'listeners', tcp(id, 80)), 409, immutable);
    const pool = { loadbalancer_id: id, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', name: 'p' };
    expectFault(await cloud.octavia('POST', 'pools', { pool }), 409, immutable);
    const loadbalancer = { description: 'x' };
    expectFault(await cloud.octavia('PUT', `loadbalancers/${id}`, { loadbalancer }), 409, state);
    expectFault(await cloud.octavia('DELETE', `loadbalancers/${id}?cascade=true`), 409, state);
  },
  'a new listener is PENDING_CREATE, its load balancer PENDING_UPDATE; both ACTIVE later, updated_at moved':
    async (cloud) => {
      const id = await cloud.balancer();
      const before = textAt(
        (await cloud.octavia('GET', `loadbalancers/${id}`)).body,
        'loadbalancer.updated_at',
      );
      await cloud.nextSecond();
      const made = await cloud.octavia('POST', 'listeners', tcp(id, 80));
      expect(made.status).toBe(201);
      expect(at(made.body, 'listener')).toMatchObject({
        provisioning_status: 'PENDING_CREATE',
        updated_at: null,
      });
      expect(at(made.body, 'listener.loadbalancers')).toEqual([{ id }]);
      const locked = await cloud.octavia('GET', `loadbalancers/${id}`);
      expect(at(locked.body, 'loadbalancer.provisioning_status')).toBe('PENDING_UPDATE');
      expectFault(
        await cloud.octavia('POST', 'listeners', tcp(id, 81)),
        409,
        /is immutable and cannot be updated/,
      );
      const after = await cloud.settled(id);
      expect(textAt(after, 'updated_at') > before).toBe(true);
      const listener = await cloud.octavia('GET', `listeners/${textAt(made.body, 'listener.id')}`);
      expect(at(listener.body, 'listener.provisioning_status')).toBe('ACTIVE');
    },
  'a new member locks load balancer, listener and pool': async (cloud) => {
    const id = await cloud.balancer({ listeners: [webListener(80)] });
    const lb = (await cloud.octavia('GET', `loadbalancers/${id}`)).body;
    const [pool, listener] = [
      textAt(lb, 'loadbalancer.pools.0.id'),
      textAt(lb, 'loadbalancer.listeners.0.id'),
    ];
    const member = { address: '10.0.0.252', protocol_port: 30080 };
    const made = await cloud.octavia('POST', `pools/${pool}/members`, { member });
    expect([made.status, at(made.body, 'member.provisioning_status')]).toEqual([201, 'PENDING_CREATE']);
    const tree = (await cloud.octavia('GET', `loadbalancers/${id}/status`)).body;
    expect(at(tree, 'statuses.loadbalancer.provisioning_status')).toBe('PENDING_UPDATE');
    expect(at(tree, 'statuses.loadbalancer.listeners.0')).toMatchObject({
      id: listener,
      provisioning_status: 'PENDING_UPDATE',
    });
    expect(at(tree, 'statuses.loadbalancer.listeners.0.pools.0.provisioning_status')).toBe('PENDING_UPDATE');
  },
  'a PUT that changes nothing still locks and moves updated_at': async (cloud) => {
    const id = await cloud.balancer({ name: 'same', listeners: [webListener(80)] });
    const first = await cloud.octavia('GET', `loadbalancers/${id}`);
    const listener = textAt(first.body, 'loadbalancer.listeners.0.id');
    const before = textAt(first.body, 'loadbalancer.updated_at');
    await new Promise((resolve) => setTimeout(resolve, cloud.target.real ? 1100 : 0));
    const put = await cloud.octavia('PUT', `listeners/${listener}`, {
      listener: { timeout_client_data: 50000 },
    });
    expect([put.status, at(put.body, 'listener.provisioning_status')]).toEqual([200, 'PENDING_UPDATE']);
    const locked = await cloud.octavia('GET', `loadbalancers/${id}`);
    expect(at(locked.body, 'loadbalancer.provisioning_status')).toBe('PENDING_UPDATE');
    expect(textAt(await cloud.settled(id), 'updated_at') > before).toBe(true);
  },
  'new values of a PUT are in its answer and in GET at once, null sets a default back': async (cloud) => {
    const id = await cloud.balancer({ listeners: [webListener(80)] });
    const listener = textAt(
      (await cloud.octavia('GET', `loadbalancers/${id}`)).body,
      'loadbalancer.listeners.0.id',
    );
    const changed = {
      connection_limit: 10,
      timeout_client_data: 60000,
      allowed_cidrs: ['10.0.0.0/8'],
      tags: ['x'],
    };
    const put = await cloud.octavia('PUT', `listeners/${listener}`, { listener: changed });
    expect(at(put.body, 'listener')).toMatchObject(changed);
    const seen = await cloud.octavia('GET', `listeners/${listener}`);
    expect(at(seen.body, 'listener')).toMatchObject({ ...changed, provisioning_status: 'PENDING_UPDATE' });
    await cloud.settled(id);
    const nothing = { connection_limit: null, timeout_client_data: null, allowed_cidrs: null };
    const reset = await cloud.octavia('PUT', `listeners/${listener}`, { listener: nothing });
    const defaults = { connection_limit: -1, timeout_client_data: 50000, allowed_cidrs: null };
    expect(at(reset.body, 'listener')).toMatchObject(defaults);
  },
  'reading never moves updated_at': async (cloud) => {
    const id = await cloud.balancer({ listeners: [webListener(80)] });
    await new Promise((resolve) => setTimeout(resolve, cloud.target.real ? 5000 : 0));
    const first = await cloud.octavia('GET', `loadbalancers/${id}`);
    await cloud.octavia('GET', `loadbalancers/${id}/status`);
    await new Promise((resolve) => setTimeout(resolve, cloud.target.real ? 3000 : 0));
    const second = await cloud.octavia('GET', `loadbalancers/${id}`);
    expect(at(second.body, 'loadbalancer.updated_at')).toBe(at(first.body, 'loadbalancer.updated_at'));
  },
};
