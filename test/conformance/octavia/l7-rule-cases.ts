import { expect } from 'vitest';
import { expectFault, type CloudCase } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

const nobody = '00000000-0000-0000-0000-000000000001';

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

export const l7RuleCases: readonly CloudCase[] = [
  {
    name: 'a rule locks its policy, the listener and the load balancer, and shows no parent',
    run: async (cloud) => {
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
  },
  {
    name: 'what a rule may be',
    run: async (cloud) => {
      const { call } = await policy(cloud);
      const refused = async (rule: Record<string, unknown>, text: string | RegExp): Promise<void> => {
        expectFault(await call('POST', '', rule), 400, text);
      };
      const missing = (name: string): string =>
        `Invalid input for field/attribute ${name}. Value: 'None'. Mandatory field missing.`;
      await refused({ value: 'x' }, missing('type'));
      await refused({ type: 'PATH', value: 'x' }, missing('compare_type'));
      await refused({ type: 'PATH', compare_type: 'EQUAL_TO' }, missing('value'));
      const path = { type: 'PATH', compare_type: 'EQUAL_TO', value: 'x' };
      const wrong = 'Error parsing L7Rule: Invalid L7 Rule:';
      await refused({ ...path, value: null }, `${wrong} L7 rule type requires a value`);
      await refused({ ...path, value: '' }, `${wrong} L7 rule type requires a value`);
      await refused(
        { ...path, value: 'a b' },
        'Error parsing L7Rule: Invalid characters in comparison value',
      );
      await refused({ ...path, type: 'HEADER' }, `${wrong} L7 rule type requires a key`);
      const header = { ...path, type: 'HEADER', key: 'a b' };
      await refused(header, 'Error parsing L7Rule: Invalid characters in key');
      const cookie = { ...path, type: 'COOKIE', key: 'a', value: 'x y' };
      await refused(cookie, 'Error parsing L7Rule: Invalid characters in cookie value');
      const file = { ...path, type: 'FILE_TYPE', compare_type: 'CONTAINS' };
      await refused(file, `${wrong} invalid comparison type for rule type`);
      const regex = { ...path, compare_type: 'REGEX', value: '(' };
      await refused(regex, /^Error parsing L7Rule: Unable to parse regular expression: /);
      await refused({ ...path, value: 'x\ny' }, /Value should match the pattern \^\[\^\\r\\n\]\*\$$/);
      await refused({ ...path, type: 'X' }, /Value: 'X'. Value should be one of: /);
    },
  },
  {
    name: 'PUT of a rule may say nothing, and takes a useless key off; null is no value and no type',
    run: async (cloud) => {
      const { id, call } = await policy(cloud);
      const body = { type: 'PATH', compare_type: 'STARTS_WITH', value: '/', key: 'useless' };
      const rule = textAt((await call('POST', '', body)).body, 'rule.id');
      await cloud.settled(id);
      const empty = await call('PUT', `/${rule}`, {});
      expect(at(empty.body, 'rule')).toMatchObject({
        value: '/',
        key: null,
        provisioning_status: 'PENDING_UPDATE',
      });
      await cloud.settled(id);
      expect(at((await call('PUT', `/${rule}`, { value: '/b' })).body, 'rule.value')).toBe('/b');
      await cloud.settled(id);
      const wrong = 'Error parsing L7Rule: Invalid L7 Rule:';
      const none = await call('PUT', `/${rule}`, { value: null });
      expectFault(none, 400, `${wrong} L7 rule type requires a value`);
      const header = await call('PUT', `/${rule}`, { type: 'HEADER' });
      expectFault(header, 400, `${wrong} L7 rule type requires a key`);
    },
  },
  {
    name: 'a policy or pool that is not there is refused in two forms',
    run: async (cloud) => {
      const alone = await cloud.octavia('GET', `l7policies/${nobody}`);
      expectFault(alone, 404, `L7 Policy ${nobody} not found.`);
      const below = await cloud.octavia('GET', `l7policies/${nobody}/rules`);
      const odd = { code: 404, title: 'Bad Request', description: `L7Policy ${nobody} not found.` };
      expect([below.status, below.body]).toEqual([404, odd]);
      const members = await cloud.octavia('GET', `pools/${nobody}/members`);
      expect(members.body).toEqual({ ...odd, description: `Pool ${nobody} not found.` });
    },
  },
];
