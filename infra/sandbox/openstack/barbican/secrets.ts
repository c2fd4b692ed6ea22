import type { Answer, Call } from '../../exchange.ts';
import { asText, type Json } from '../../json.ts';
import { barbicanError, schemaError, secretRef } from './views.ts';
import type { Secret } from './objects.ts';
import type { CloudState } from '../cloud-state.ts';
import type { Caller } from '../keystone/keystone.ts';

const types = ['symmetric', 'passphrase', 'private', 'public', 'certificate', 'opaque'];
const plain = ['text/plain', 'text/plain;charset=utf-8', 'text/plain; charset=utf-8'];
const contents = [...plain, 'application/octet-stream', 'application/pkcs8'];
const quoted = (values: readonly string[]): string => `[${values.map((one) => `'${one}'`).join(', ')}]`;

/** POST /v1/secrets: unknown properties are ignored, a secret without payload is a secret (tried on the lab). */
export function createSecret(world: CloudState, caller: Caller, body: Json, base: string): string {
  const type = body['secret_type'];
  if (type !== undefined && !types.includes(asText(type)))
    throw schemaError('Secret', `'${asText(type)}' is not one of ${quoted(types)}`, 'secret_type');
  checkExpiration(world, body['expiration']);
  const contentType = body['payload_content_type'] ?? null;
  const payload = body['payload'] === undefined ? null : readPayload(body);
  if (payload === null && contentType !== null) {
    const reason = 'payload must be provided when payload_content_type is specified';
    throw schemaError('Secret', reason, 'payload');
  }
  const at = world.octaviaTime();
  const id = world.newId();
  world.secrets.push({
    ...{ id, project_id: caller.projectId, creator_id: caller.userId, created: at, updated: at },
    ...{ name: asText(body['name']).trim(), secret_type: asText(type ?? 'opaque') },
    expiration: typeof body['expiration'] === 'string' ? body['expiration'] : null,
    content_type: contentType === null ? null : asText(contentType).replace(/;.*/, ''),
    algorithm: typeof body['algorithm'] === 'string' ? body['algorithm'] : null,
    bit_length: typeof body['bit_length'] === 'number' ? body['bit_length'] : null,
    mode: typeof body['mode'] === 'string' ? body['mode'] : null,
    payload,
    acl: undefined,
  });
  return secretRef(base, id);
}

function checkExpiration(world: CloudState, expiration: unknown): void {
  if (typeof expiration !== 'string' || expiration.trim() === '') return;
  const at = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(expiration) ? expiration : `${expiration}Z`);
  if (Number.isNaN(at)) throw schemaError('Secret', "Invalid date for 'expiration'", 'expiration');
  if (at <= world.clock.millis())
    throw schemaError('Secret', "'expiration' is before current time", 'expiration');
}

function readPayload(body: Json): Buffer {
  const given = asText(body['payload']).trim();
  const contentType = body['payload_content_type'] ?? null;
  const encoding = body['payload_content_encoding'];
  if (contentType === null) {
    const reason = "If 'payload' is supplied, 'payload_content_type' must also be supplied.";
    throw schemaError('Secret', reason, 'payload_content_type');
  }
  if (!contents.includes(asText(contentType))) {
    const reason = `payload_content_type is not one of ${quoted(contents)}`;
    throw schemaError('Secret', reason, 'payload_content_type');
  }
  const isText = plain.includes(asText(contentType));
  if (isText ? encoding !== undefined : encoding !== 'base64') {
    const reason = `payload_content_encoding is not one of ${isText ? 'None' : quoted(['base64', 'binary'])}`;
    throw schemaError('Secret', reason, 'payload_content_encoding');
  }
  if (given.length > 20_000) throw barbicanError(413, 'Provided information too large to process');
  if (given === '') throw schemaError('Secret', "If 'payload' specified, must be non empty", 'payload');
  return Buffer.from(given, isText ? 'utf8' : 'base64');
}

/** GET .../payload: 406 if the request does not accept the payload's type, as with most clients, which accept JSON. */
export function payloadOf(call: Call, secret: Secret): Answer {
  if (call.method !== 'GET') throw barbicanError(405, '');
  if (!secret.payload) throw barbicanError(404, 'Not Found. Sorry but your secret has no payload.');
  const accepted = asText(call.headers.accept ?? '*/*');
  const type = secret.content_type ?? 'application/octet-stream';
  const fits = ['*/*', 'application/octet-stream', type].some((one) => accepted.includes(one));
  if (!fits) throw barbicanError(406, 'Secret payload retrieval issue seen - Wrong payload content-type.');
  const isText = type.startsWith('text/');
  return { status: 200, body: isText ? secret.payload.toString('utf8') : secret.payload };
}

/** PUT: stores the payload of a secret that was made without one. A second payload is refused. */
export function storePayload(world: CloudState, call: Call, secret: Secret): Answer {
  if (secret.payload) throw barbicanError(409, 'Secret already has data, cannot modify it.');
  secret.payload = Buffer.from(typeof call.body === 'string' ? call.body : JSON.stringify(call.body));
  secret.content_type = asText(call.headers['content-type']).split(';')[0] ?? null;
  secret.updated = world.octaviaTime();
  return { status: 204 };
}
