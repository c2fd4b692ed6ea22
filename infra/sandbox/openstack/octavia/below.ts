import type { Answer, Call } from '../../exchange.ts';
import { asJson, type Json } from '../../json.ts';
import { octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import * as rules from './l7-policies.ts';
import { listObjects } from './lists.ts';
import { poolOf } from './lookup.ts';
import * as members from './members.ts';
import { rebuildVip } from './vip.ts';
import { change, requireState } from './lock.ts';
import type { L7Policy, LoadBalancer, OctaviaObject, Pool } from './objects.ts';
import { bodyOf, notAllowed, notFound } from './rules/versions.ts';
import * as views from './views.ts';

interface Place {
  readonly collection: string;
  readonly object: OctaviaObject;
  readonly sub: string;
  readonly id: string | undefined;
  readonly self: string;
}

/** What hangs below one object: a load balancer's status tree, a pool's members, a policy's rules. */
export function answerBelow(world: CloudState, call: Call, place: Place): Answer {
  const { collection, object, sub } = place;
  if (collection === 'loadbalancers' && (sub === 'status' || sub === 'statuses')) {
    return { status: 200, body: { statuses: views.statusTree(world, object as never) } };
  }
  if (collection === 'loadbalancers' && sub === 'failover')
    return answerFailover(world, call, object as LoadBalancer);
  if (collection === 'pools' && sub === 'members')
    return answerMembers(world, call, place, poolOf(world, object.id));
  if (collection === 'l7policies' && sub === 'rules')
    return answerRules(world, call, place, object as L7Policy);
  throw notFound();
}

/**
 * PUT: the default policy keeps it for administrators. Refused unless ACTIVE or in ERROR. The answer has no body (Octavia API,
 * "Failover a load balancer"; not tried, since the lab has no amphorae).
 */
function answerFailover(world: CloudState, call: Call, lb: LoadBalancer): Answer {
  if (call.method !== 'PUT') throw notAllowed();
  const { failover } = world.octaviaTraits;
  if (failover === 'forbidden')
    throw octaviaFault(403, 'Policy does not allow this request to be performed.');
  if (lb['provider'] === 'ovn')
    throw octaviaFault(
      501,
      "Provider 'ovn' does not support a requested action: This provider does not support failing over load balancers.",
    );
  requireState(lb, ['ACTIVE', 'ERROR']);
  change(world, lb, {
    failing: failover === 'fails',
    whenDone: () => {
      rebuildVip(world, lb);
    },
  });
  return { status: 202 };
}

function answerMembers(world: CloudState, call: Call, { id, self }: Place, pool: Pool): Answer {
  const { minor } = world.octaviaTraits;
  if (id === undefined || id === '') {
    if (call.method === 'POST') return members.createMember(world, pool, bodyOf(call, 'member', minor));
    if (call.method === 'PUT') {
      if (call.query.has('additive_only') && minor < 11)
        throw octaviaFault(400, 'Unknown argument: "additive_only"');
      const additive = (call.query.get('additive_only') ?? '').toLowerCase() === 'true';
      return members.replaceMembers(world, pool, asJson(call.body)['members'], additive);
    }
    const view = (one: OctaviaObject): Json => views.memberView(one as never);
    const within = ['pool_id', pool.id] as const;
    const place = { one: 'member' as const, rows: world.members, within, view };
    return listObjects(world, 'members', place, call.query, self, pool.project_id);
  }
  const member = world.members.byId(id);
  if (member?.pool_id !== pool.id) throw octaviaFault(404, `Member ${id} not found.`);
  if (call.method === 'GET') return { status: 200, body: { member: views.memberView(member) } };
  if (call.method === 'PUT') return members.updateMember(world, pool, member, bodyOf(call, 'member', minor));
  if (call.method === 'DELETE') return members.deleteMember(world, pool, member);
  throw notAllowed();
}

/** A rule is found below any policy (tried on the lab). */
function answerRules(world: CloudState, call: Call, { id, self }: Place, policy: L7Policy): Answer {
  const { minor } = world.octaviaTraits;
  if (id === undefined || id === '') {
    if (call.method === 'POST') return rules.createL7Rule(world, policy, bodyOf(call, 'rule', minor));
    if (call.method !== 'GET') throw notAllowed();
    const within = ['l7policy_id', policy.id] as const;
    const view = (one: OctaviaObject): Json => views.l7RuleView(one as never);
    const place = { one: 'rule' as const, rows: world.l7rules, within, view };
    return listObjects(world, 'rules', place, call.query, self, policy.project_id);
  }
  const rule = world.l7rules.byId(id);
  if (!rule) throw octaviaFault(404, `L7 Rule ${id} not found.`);
  if (call.method === 'GET') return { status: 200, body: { rule: views.l7RuleView(rule) } };
  if (call.method === 'PUT') return rules.updateL7Rule(world, policy, rule, bodyOf(call, 'rule', minor));
  if (call.method === 'DELETE') return rules.deleteL7Rule(world, policy, rule);
  throw notAllowed();
}
