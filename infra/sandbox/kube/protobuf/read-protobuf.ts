import { asJson, asText, type Json } from '../../json.ts';
import { messages, unknown, type Message } from './messages.ts';

const MAGIC = Buffer.from('k8s\0');
const [VARINT, BYTES] = [0, 2];

/** A body of type `application/vnd.kubernetes.protobuf` as JSON; undefined for a kind that is not in the table. */
export function readProtobuf(body: Buffer): Json | undefined {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const { typeMeta, raw } = read(unknown, body.subarray(MAGIC.length));
  const kind = asText(asJson(typeMeta)['kind']);
  const message = messages[kind];
  if (!message || !Buffer.isBuffer(raw)) return undefined;
  return { ...asJson(typeMeta), ...read(message, raw) };
}

/** Empty texts and zeros are what a field has that is not set: they are left away, as JSON does. */
function read(message: Message, bytes: Buffer): Json {
  const object: Json = {};
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const [name, type = ''] = message[tag >> 3] ?? [];
    let value: number | Buffer;
    if ((tag & 7) === VARINT) value = varint();
    else if ((tag & 7) === BYTES) {
      const length = varint();
      value = bytes.subarray(at, (at += length));
    } else return object;
    if (name !== undefined) add(object, name, type, value);
  }
  return object;
}

function add(object: Json, name: string, type: string, value: number | Buffer): void {
  const inner = type.slice(1, -1);
  if (type.startsWith('['))
    object[name] = [...((object[name] as unknown[] | undefined) ?? []), one(inner, value)];
  else if (type.startsWith('{')) object[name] = { ...asJson(object[name]), ...pair(inner, value) };
  else {
    const read = one(type, value);
    if (read !== '' && read !== 0) object[name] = read;
  }
}

function one(type: string, value: number | Buffer): unknown {
  if (typeof value === 'number') return type === 'boolean' ? value === 1 : value;
  if (type === 'string') return value.toString();
  if (type === 'bytes') return value.toString('base64');
  if (type === 'raw') return value;
  const object = read(messages[type] ?? {}, value);
  return type === 'IntOrString' ? (object['strVal'] ?? object['intVal'] ?? 0) : object;
}

/** A pair of a map: the key is field 1, the value field 2. */
function pair(type: string, value: number | Buffer): Json {
  if (typeof value === 'number') return {};
  const { key, value: held = '' } = read({ 1: ['key', 'string'], 2: ['value', type] }, value);
  return { [asText(key)]: held };
}
