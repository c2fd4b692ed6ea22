import { expect } from 'vitest';
import { expectFault, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

/** An HTTP listener with a policy, and calls on the policy's rules. */
async function policy(cloud: CloudSession): Promise<{
  id: string;
  listener: string;
  policy: string;
  call: (method: string, path: string, rule?: Record<string, unknown>) => Promise<Reply>;
}> {
  const l7policies = [{ action: 'REJECT' }];
  const id = await cloud.balancer({ listeners: [{ protocol: 'HTTP', protocol_port: 80, l7policies }] });
  const list = (await cloud.octavia('GET', 'l7policies')).body;
  const lb = (await cloud.octavia('GET', `loadbalancers/${id}`)).body;
  const listener = textAt(lb, 'loadbalancer.listeners.0.id');
  const found = listAt(list, 'l7policies').find((one) => at(one, 'listener_id') === listener);
  const own = textAt(found, 'id');
  const call = (method: string, path: string, rule?: Record<string, unknown>): Promise<Reply> =>
    cloud.octavia(method, `l7policies/${own}/rules${path}`, rule && { rule });
  return { id, listener, policy: own, call };
}

export const l7RuleCases: CloudCases = {
  'a rule locks its policy, the listener and the load balancer, and shows no parent': async (cloud) => {
    const { id, listener, policy: own, call } = await policy(cloud);
    const body = { type: 'PATH', compare_type: 'STARTS_WITH', value: '/', key: 'useless' };
    const made = await call('POST', '', body);
    expect([made.status, at(made.body, 'rule.l7policy_id')]).toEqual([201, undefined]);
    expect(at(made.body, 'rule')).toMatchObject({
      ...{ ...body, invert: false, admin_state_up: true, tags: [], updated_at: null },
      provisioning_status: 'PENDING_CREATE',
    });
    const state = async (path: string, one: string): Promise<unknown> =>
      at((await cloud.octavia('GET', path)).body, `${one}.provisioning_status`);
    expect(await state(`l7policies/${own}`, 'l7policy')).toBe('PENDING_UPDATE');
    expect(await state(`listeners/${listener}`, 'listener')).toBe('PENDING_UPDATE');
    expectFault(await call('POST', '', body), 409, `L7Policy ${own} is immutable and cannot be updated.`);
    await cloud.settled(id);
    const rule = textAt(made.body, 'rule.id');
    expect(listAt((await call('GET', '')).body, 'rules').map((one) => at(one, 'id'))).toEqual([rule]);
    expect((await call('DELETE', `/${rule}`)).status).toBe(204);
    await cloud.settled(id);
    expectFault(await call('GET', `/${rule}`), 404, `L7 Rule ${rule} not found.`);
  },
};
