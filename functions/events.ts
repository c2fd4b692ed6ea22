/** POST /events/:cluster: queues the keys that CloudEvents 1.0 name (Knative's ApiServerSource and PingSource). */
import type { IncomingHttpHeaders } from 'node:http';
import { fieldsOf } from '../shared/model/json.ts';
import { keysFromCloudEvents } from '../shared/trigger/keys-from-cloud-event.ts';
import { type Admission, requireSender, type ServerOptions } from './http/admit.ts';
import { type ServedEndpoint, HttpError } from './http/exchange.ts';
import { mediaType, parseBody, requireMediaType } from './http/read-body.ts';
import { receiver, type ReceiverOptions } from './http/receiver.ts';

const STRUCTURED = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';

export function events(options: ReceiverOptions & Pick<ServerOptions, 'verifySender'>): ServedEndpoint {
  const { auditTokens, verifySender } = options;
  const byType = requireMediaType(STRUCTURED, BATCH, 'application/json');
  const form: Admission = (request) => (isBinary(request.headers) ? undefined : byType(request));
  const read = (body: Buffer, headers: IncomingHttpHeaders) => keysFromCloudEvents(readEvents(body, headers));
  const identify = verifySender && { identify: requireSender(auditTokens, verifySender) };
  return receiver({ trigger: 'events', form, read, ...identify }, options);
}

/** The data of an event may be of any type, and none needs one (HTTP binding of CloudEvents 1.0.2, section 3.1). */
function isBinary(headers: IncomingHttpHeaders): boolean {
  return (
    headers['ce-specversion'] !== undefined && !mediaType({ headers }).startsWith('application/cloudevents')
  );
}

/** The three content modes of the HTTP binding, section 3. */
function readEvents(body: Buffer, headers: IncomingHttpHeaders): readonly unknown[] {
  const type = mediaType({ headers });
  if (isBinary(headers)) return [binaryEvent(body, type, headers)];
  if (type === 'application/json')
    throw new HttpError(
      422,
      'not a CloudEvent: application/json needs the headers ce-specversion, ce-type, ce-id',
    );
  const value = parseBody(body);
  if (type === STRUCTURED) {
    if (typeof value !== 'object' || value === null || !('specversion' in value)) {
      throw new HttpError(422, 'not a CloudEvent: the body must be an object with "specversion"');
    }
    return [withData(value)];
  }
  if (!Array.isArray(value)) throw new HttpError(422, 'not a batch of CloudEvents: the body must be a list');
  return value.map(withData);
}

function binaryEvent(body: Buffer, type: string, headers: IncomingHttpHeaders): unknown {
  const attribute = (name: string) => headers[`ce-${name}`];
  const isJson = body.length > 0 && /^$|[/+]json$/.test(type);
  return {
    ...{ specversion: attribute('specversion'), type: attribute('type'), id: attribute('id') },
    ...{ source: attribute('source'), data: isJson ? dataOf(body) : undefined },
  };
}

/** The JSON format of CloudEvents may have data in base64 (section 3.1.1). */
function withData(event: unknown): unknown {
  const { data_base64: packed } = fieldsOf(event);
  if (typeof packed !== 'string') return event;
  return { ...fieldsOf(event), data: dataOf(Buffer.from(packed, 'base64')) };
}

/** Undefined: data of another type, or without one (Knative's `contentType` may be left out). Who needs data skips such an event. */
function dataOf(body: Buffer): unknown {
  try {
    return parseBody(body);
  } catch {
    return undefined;
  }
}
