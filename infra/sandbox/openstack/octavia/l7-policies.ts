import type { Answer } from '../../exchange.ts';
import { type Json, asJson, asList, asText } from '../../json.ts';
import { octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { readCreate, readUpdate } from './rules/body.ts';
import { stamp } from './build.ts';
import { lastPosition } from './rules/attributes.ts';
import { checkL7Rule, sanitizePolicy } from './rules/l7-checks.ts';
import { checkMayHaveChildren, checkPoolFitsListener } from './rules/listener-rules.ts';
import { change, requireChildMutable, requireMutable } from './lock.ts';
import { listenerOf, loadBalancerOf, poolOf } from './lookup.ts';
import type { L7Policy, L7Rule, Listener, LoadBalancer } from './objects.ts';
import { checkQuota } from './rules/pool-rules.ts';
import { checkPolicyOfProvider } from './rules/providers.ts';
import { l7PolicyView, l7RuleView } from './views.ts';

/** The 500 for nested objects in a POST: octavia/common/repositories.py hands them on, which SQLAlchemy refuses. */
export const nestedInVain = (): Error =>
  octaviaFault(500, "'dict' object has no attribute '_sa_instance_state'");

const redirects: Record<string, readonly string[]> = {
  REJECT: ['redirect_url', 'redirect_pool_id', 'redirect_prefix', 'redirect_http_code'],
  REDIRECT_TO_URL: ['redirect_pool_id', 'redirect_prefix'],
  REDIRECT_TO_POOL: ['redirect_url', 'redirect_prefix', 'redirect_http_code'],
  REDIRECT_PREFIX: ['redirect_url', 'redirect_pool_id'],
};

/** Makes a policy in its place among those of the listener: the others move up. */
export function buildL7Policy(world: CloudState, listener: Listener, body: Json): L7Policy {
  const { position, rules, ...rest } = sanitizePolicy(body);
  const own = { ...rest, listener_id: listener.id, position: lastPosition };
  Reflect.deleteProperty(own, 'redirect_pool');
  const policy = stamp(world, listener.project_id, own) as L7Policy;
  world.l7policies.push(policy);
  place(world, policy, typeof position === 'number' ? position : lastPosition);
  for (const rule of asList(rules)) buildL7Rule(world, policy, readCreate('rule', asJson(rule)));
  return policy;
}

/** Numbers a listener's policies 1, 2, 3 ... with `policy` at `position`. Others that move count as updated. */
function place(world: CloudState, policy: L7Policy | undefined, position: number, listenerId = ''): void {
  const of = policy?.listener_id ?? listenerId;
  const others = world.l7policies.of('listener_id', of).filter((one) => one !== policy);
  others.sort((a, b) => a.position - b.position);
  if (policy) others.splice(position - 1, 0, policy);
  others.forEach((one, index) => {
    if (one.position === index + 1) return;
    if (one !== policy) one.updated_at = world.octaviaTime();
    one.position = index + 1;
  });
}

export function createL7Policy(world: CloudState, given: Json): Answer {
  const read = readCreate('l7policy', given);
  const listener = listenerOf(world, read['listener_id']);
  const lb = loadBalancerOf(world, listener.loadbalancer_id);
  checkMayHaveChildren(listener.protocol);
  checkRedirectPool(world, listener, read['redirect_pool_id']);
  checkQuota(world, 'l7policy', lb.project_id);
  sanitizePolicy(read);
  requireMutable(lb);
  if (asList(read['rules']).length > 0) throw nestedInVain();
  checkPolicyOfProvider(lb, listener.protocol, 'creating');
  const policy = buildL7Policy(world, listener, read);
  change(world, lb, { creating: [policy], updating: [listener] });
  return { status: 201, body: { l7policy: l7PolicyView(world, policy) } };
}

function checkRedirectPool(world: CloudState, listener: Listener, id: unknown): void {
  if (typeof id !== 'string') return;
  const pool = poolOf(world, id);
  checkPoolFitsListener(listener.protocol, pool.protocol);
  if (pool.loadbalancer_id !== listener.loadbalancer_id) throw octaviaFault(404, `Pool ${id} not found.`);
}

/** PUT: the redirects of other actions become null. A redirect may be set to null without another (tried on the lab). */
export function updateL7Policy(world: CloudState, policy: L7Policy, given: Json): Answer {
  readUpdate('l7policy', given);
  const { position, ...body } = readUpdate('l7policy', sanitizePolicy(given));
  const listener = listenerOf(world, policy.listener_id);
  const lb = loadBalancerOf(world, listener.loadbalancer_id);
  checkRedirectPool(world, listener, body['redirect_pool_id']);
  requireMutable(lb);
  checkPolicyOfProvider(lb, listener.protocol, 'updating');
  const gone = redirects[asText(body['action'])] ?? [];
  Object.assign(policy, body, Object.fromEntries(gone.map((name) => [name, null])));
  if (typeof position === 'number') place(world, policy, position);
  change(world, lb, { updating: [policy, listener] });
  return { status: 200, body: { l7policy: l7PolicyView(world, policy) } };
}

export function deleteL7Policy(world: CloudState, policy: L7Policy): Answer {
  const listener = listenerOf(world, policy.listener_id);
  const lb = loadBalancerOf(world, listener.loadbalancer_id);
  requireMutable(lb);
  change(world, lb, {
    deleting: [policy],
    updating: [listener],
    whenDone: () => {
      place(world, undefined, 0, listener.id);
    },
  });
  return { status: 204 };
}

function buildL7Rule(world: CloudState, policy: L7Policy, read: Json): L7Rule {
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
  if (world.l7rules.count('l7policy_id', policy.id) >= 50)
    throw octaviaFault(409, `Too many rules on L7 policy ${policy.id}`);
  checkQuota(world, 'l7rule', policy.project_id);
  const { lb, listener } = lockable(world, policy);
  const rule = buildL7Rule(world, policy, read);
  change(world, lb, { creating: [rule], updating: [listener, policy] });
  return { status: 201, body: { rule: l7RuleView(rule) } };
}

/** PUT: an empty update is accepted, and removes the key of a rule whose type has no use for one. */
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
  change(world, lb, { deleting: [rule], updating: [listener, policy] });
  return { status: 204 };
}
