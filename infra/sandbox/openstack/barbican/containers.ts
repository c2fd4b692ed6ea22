import { asJson, asList, asText, type Json } from '../../json.ts';
import { barbicanError, containerRef, schemaError } from './views.ts';
import type { CloudState } from '../cloud-state.ts';
import type { Caller } from '../keystone/keystone.ts';

const types = ['generic', 'rsa', 'certificate'];
const parts = ['certificate', 'private_key', 'private_key_passphrase', 'intermediates'];

/** POST /v1/containers: a certificate's parts have fixed names and must exist in the project. */
export function createContainer(world: CloudState, caller: Caller, body: Json, base: string): string {
  const type = asText(body['type']);
  const list = types.map((one) => `'${one}'`).join(', ');
  if (!types.includes(type)) throw schemaError('Container', `'${type}' is not one of [${list}]`, 'type');
  const refs = asList(body['secret_refs']).map(asJson);
  const named = refs.map((one) => ({
    name: asText(one['name']),
    secret_ref: asText(one['secret_ref']),
  }));
  if (type === 'certificate') checkNames(named.map((one) => one.name));
  for (const { name, secret_ref: reference } of named) {
    const id = /\/secrets\/([^/]+)$/.exec(reference)?.[1];
    if (world.secrets.byId(id)?.project_id !== caller.projectId)
      throw barbicanError(404, `Secret provided for '${name}' doesn't exist.`);
  }
  const at = world.octaviaTime();
  const id = world.newId();
  world.secretContainers.push({
    ...{ id, project_id: caller.projectId, creator_id: caller.userId, created: at, updated: at },
    ...{ name: asText(body['name']), type, secret_refs: named, acl: undefined },
    container_ref: containerRef(base, id),
  });
  return containerRef(base, id);
}

function checkNames(names: readonly string[]): void {
  if (names.some((name) => !parts.includes(name))) {
    const reason =
      "only 'private_key', 'certificate' , 'private_key_passphrase',  or 'intermediates' reference names are allowed for Certificate type";
    throw schemaError('Container', reason, 'secret_refs');
  }
  if (names.includes('certificate')) return;
  const reason = "The minimum required reference name is 'certificate' for Certificate type";
  throw schemaError('Container', reason, 'secret_refs');
}
