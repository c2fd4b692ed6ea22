import type { Answer, Call } from '../../exchange.ts';
import { asJson, asList, type Json } from '../../json.ts';
import { octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { readCreate, readUpdate } from './rules/body.ts';
import { buildMember } from './build.ts';
import { change, lockablePool } from './lock.ts';
import { listenersOf, membersOf } from './lookup.ts';
import type { Member, Pool } from './objects.ts';
import { checkQuota } from './rules/pool-rules.ts';
import { checkMemberOfProvider } from './rules/providers.ts';
import { memberView } from './views.ts';

/** A batch is read as a create: what it leaves out of these gets this value, even on a member that exists. */
const batchDefaults = {
  weight: 1,
  backup: false,
  monitor_port: null,
  monitor_address: null,
  admin_state_up: true,
};

export function createMember(world: CloudState, pool: Pool, given: Json): Answer {
  readCreate('member', given);
  checkQuota(world, 'member', pool.project_id);
  const lb = lockablePool(world, pool);
  const member = buildMember(world, lb, pool, given);
  change(world, lb, { creating: [member], updating: [pool, ...listenersOf(world, pool)] });
  return { status: 201, body: { member: memberView(member) } };
}

export function updateMember(world: CloudState, pool: Pool, member: Member, given: Json): Answer {
  const body = readUpdate('member', given);
  const lb = lockablePool(world, pool);
  checkMemberOfProvider(lb, body);
  Object.assign(member, body);
  change(world, lb, { updating: [member, pool, ...listenersOf(world, pool)] });
  return { status: 200, body: { member: memberView(member) } };
}

export function deleteMember(world: CloudState, pool: Pool, member: Member): Answer {
  const lb = lockablePool(world, pool);
  change(world, lb, { deleting: [member], updating: [pool, ...listenersOf(world, pool)] });
  return { status: 204 };
}

/**
 * Batch PUT: the list is what should be there, matched by address and port. Members that are listed count as
 * updated even when they are equal. A member that exists and is listed twice kills the worker: PENDING for ever.
 */
export function replaceMembers(world: CloudState, pool: Pool, { body: given, query }: Call): Answer {
  if (query.has('additive_only') && world.octaviaTraits.minor < 11)
    throw octaviaFault(400, 'Unknown argument: "additive_only"');
  const additive = (query.get('additive_only') ?? '').toLowerCase() === 'true';
  const bodies = asList(asJson(given)['members']).map(asJson);
  const wanted = bodies.map((body) => ({ body, read: readCreate('member', body) }));
  const lb = lockablePool(world, pool);
  const key = (one: Json): string => `${String(one['address'])} ${String(one['protocol_port'])}`;
  const old = new Map(membersOf(world, pool).map((one) => [key(one), one]));
  const fresh = wanted.filter(({ read }) => !old.has(key(read)));
  const kept = wanted.filter(({ read }) => old.has(key(read)));
  const names = new Set(wanted.map(({ read }) => key(read)));
  const deleting = additive
    ? []
    : [...old.entries()].filter(([name]) => !names.has(name)).map(([, member]) => member);
  if (wanted.length === 0 && deleting.length === 0) return { status: 202 };
  const growth = fresh.length - deleting.length;
  if (growth > 0) checkQuota(world, 'member', pool.project_id, growth);
  const seen = new Set<string>();
  for (const { read } of fresh) {
    const where = `ip ${String(read['address'])} on protocol_port ${String(read['protocol_port'])}`;
    if (seen.has(key(read))) throw octaviaFault(409, `Another member on this pool is already using ${where}`);
    seen.add(key(read));
  }
  const creating = fresh.map(({ body }) => buildMember(world, lb, pool, body));
  for (const { read } of kept) checkMemberOfProvider(lb, read);
  const updating = kept.flatMap(({ body, read }) => {
    const member = old.get(key(read));
    return member ? [Object.assign(member, { ...batchDefaults, ...body })] : [];
  });
  change(world, lb, {
    creating,
    updating: [...updating, pool, ...listenersOf(world, pool)],
    deleting,
    stuck: new Set(updating).size !== updating.length,
  });
  return { status: 202 };
}
