import type { Answer, Call } from '../../exchange.ts';
import { asJson, asList, asText } from '../../json.ts';
import { neutronError } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import type { NeutronObject } from './objects.ts';

/** Tags are a resource of their own below the object: PUT replaces all or adds one, DELETE removes all or one. */
export function answerTags(
  world: CloudState,
  call: Call,
  object: NeutronObject,
  tag: string | undefined,
): Answer {
  const name = tag === undefined ? undefined : decodeURIComponent(tag);
  const tags = object.tags ?? [];
  const has = name !== undefined && tags.includes(name);
  if (call.method === 'GET') {
    if (name === undefined) return { status: 200, body: { tags } };
    if (has) return { status: 204 };
    throw neutronError(404, 'TagNotFound', `Tag ${name} could not be found.`);
  }
  if (call.method === 'DELETE' && name !== undefined && !has) {
    throw neutronError(404, 'TagNotFound', `Tag ${name} could not be found.`);
  }
  world.touch(object);
  if (call.method === 'DELETE') {
    object.tags = name === undefined ? [] : tags.filter((one) => one !== name);
    return { status: 204 };
  }
  if (name === undefined) {
    object.tags = [...new Set(asList(asJson(call.body)['tags']).map(asText))];
    return { status: 200, body: { tags: object.tags } };
  }
  if (!has) object.tags = [...tags, name];
  return { status: 201, body: null };
}
