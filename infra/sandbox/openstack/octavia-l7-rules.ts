import type { Answer } from '../exchange.ts';
import { asText, type Json } from '../json.ts';
import { octaviaFault } from '../refusal.ts';
import type { CloudState } from './cloud-state.ts';
import { readCreate, readUpdate } from './octavia-body.ts';
import { checkL7Rule } from './octavia-l7-checks.ts';
import { listenerOf, loadBalancerOf } from './octavia-lookup.ts';
import { change, forget, requireChildMutable, requireMutable } from './octavia-lock.ts';
import type { L7Policy, L7Rule, Listener, LoadBalancer } from './octavia-objects.ts';
import { stamp } from './octavia-stamp.ts';
import { checkQuota } from './octavia-pool-rules.ts';
import { l7RuleView } from './octavia-views.ts';

export function buildL7Rule(world: CloudState, policy: L7Policy, read: Json): L7Rule {
  checkL7Rule(read);
  const body = { ...read, l7policy_id: policy.id };
  const rule = stamp(world, policy.project_id, body) as L7Rule;
  world.l7rules.push(rule);
  return rule;
}

/** Policy and load balancer must be mutable, in this order (octavia/api/v2/controllers/l7rule.py). */
function lockable(world: CloudState, policy: L7Policy): { lb: LoadBalancer; listener: Listener } {
  const listener = listenerOf(world, policy.listener_id);
  const lb = loadBalancerOf(world, listener.loadbalancer_id);
  requireChildMutable('L7Policy', policy);
  requireMutable(lb);
  return { lb, listener };
}

export function createL7Rule(world: CloudState, policy: L7Policy, given: Json): Answer {
  const read = readCreate('rule', given);
  checkL7Rule(read);
  const siblings = world.l7rules.filter((one) => one.l7policy_id === policy.id);
  if (siblings.length >= 50) throw octaviaFault(409, `Too many rules on L7 policy ${policy.id}`);
  checkQuota(world.quotas.l7rule, 'L7 Rule', world.l7rules, 1);
  const { lb, listener } = lockable(world, policy);
  const rule = buildL7Rule(world, policy, read);
  change(world, lb, { creating: [rule], updating: [listener, policy] });
  return { status: 201, body: { rule: l7RuleView(rule) } };
}

/** An update that says nothing is accepted, and takes the key off a rule that has no use for one. */
export function updateL7Rule(world: CloudState, policy: L7Policy, rule: L7Rule, given: Json): Answer {
  const body = readUpdate('rule', given);
  const next = { ...rule, ...body };
  checkL7Rule(next);
  const { lb, listener } = lockable(world, policy);
  if (['HOST_NAME', 'PATH', 'FILE_TYPE'].includes(asText(next['type']))) body['key'] = null;
  Object.assign(rule, body);
  change(world, lb, { updating: [rule, listener, policy] });
  return { status: 200, body: { rule: l7RuleView(rule) } };
}

export function deleteL7Rule(world: CloudState, policy: L7Policy, rule: L7Rule): Answer {
  const { lb, listener } = lockable(world, policy);
  change(world, lb, {
    deleting: [rule],
    updating: [listener, policy],
    whenDone: () => {
      forget(world, rule);
    },
  });
  return { status: 204 };
}
