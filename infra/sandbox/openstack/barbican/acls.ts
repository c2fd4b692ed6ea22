import type { Answer, Call } from '../../exchange.ts';
import { asJson, asList, asText } from '../../json.ts';
import { barbicanError } from './views.ts';
import type { Secret, SecretContainer } from './objects.ts';
import type { CloudState } from '../cloud-state.ts';

/** Answers about the ACL of a secret or container: PUT replaces, PATCH changes, DELETE leaves the project alone. */
export function answerAcl(
  world: CloudState,
  call: Call,
  object: Secret | SecretContainer,
  self: string,
): Answer {
  if (call.method === 'GET') return { status: 200, body: { read: object.acl ?? { 'project-access': true } } };
  if (call.method === 'DELETE') {
    object.acl = undefined;
    return { status: 200, body: null };
  }
  if (call.method !== 'PUT' && call.method !== 'PATCH') throw barbicanError(405, '');
  const read = asJson(asJson(call.body)['read']);
  const at = world.octaviaTime();
  const old = object.acl;
  const kept = call.method === 'PATCH' ? old : undefined;
  const access = read['project-access'] ?? kept?.['project-access'] ?? true;
  const users = 'users' in read ? asList(read['users']).map(asText) : (kept?.users ?? []);
  object.acl = { 'project-access': access === true, users, created: old?.created ?? at, updated: at };
  return { status: 200, body: { acl_ref: self } };
}

/** Adds Octavia to those who may read, as Octavia does with the caller's token before it reads a certificate. */
export function letOctaviaRead(world: CloudState, object: Secret | SecretContainer): void {
  const at = world.octaviaTime();
  object.acl ??= { 'project-access': true, users: [], created: at, updated: at };
  if (object.acl.users.includes(world.octaviaUserId)) return;
  object.acl.users.push(world.octaviaUserId);
  object.acl.updated = at;
}
