/** POST /events/:cluster: queues the keys that CloudEvents 1.0 name (Knative's ApiServerSource and PingSource). */
import type { IncomingHttpHeaders } from 'node:http';
import { keysFromCloudEvents } from '../shared/trigger/keys-from-cloud-event.ts';
import type { Endpoint } from './http/exchange.ts';
import { HttpError } from './http/http-error.ts';
import { mediaType, parseJson } from './http/read-json.ts';
import { receiver, type ReceiverOptions } from './http/receiver.ts';
import { requireSender } from './http/require-sender.ts';
import type { ServerOptions } from './http/server-options.ts';

const STRUCTURED = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';

export function events(options: ReceiverOptions & Pick<ServerOptions, 'verifySender'>): Endpoint {
  const { auditTokens, verifySender } = options;
  const mediaTypes = [STRUCTURED, BATCH, 'application/json'];
  const read = (body: Buffer, headers: IncomingHttpHeaders) => keysFromCloudEvents(readEvents(body, headers));
  const identify = verifySender && { identify: requireSender(auditTokens, verifySender) };
  return receiver({ trigger: 'events', mediaTypes, read, ...identify }, options);
}

/** The three content modes of the HTTP binding of CloudEvents 1.0.2, section 3. */
function readEvents(body: Buffer, headers: IncomingHttpHeaders): readonly unknown[] {
  const type = mediaType({ headers });
  if (type === 'application/json') return [binaryEvent(body, headers)];
  const value = parseJson(body);
  if (type === STRUCTURED) {
    if (typeof value !== 'object' || value === null || !('specversion' in value)) {
      throw new HttpError(422, 'not a CloudEvent: the body must be an object with "specversion"');
    }
    return [value];
  }
  if (!Array.isArray(value)) throw new HttpError(422, 'not a batch of CloudEvents: the body must be a list');
  return value;
}

function binaryEvent(body: Buffer, headers: IncomingHttpHeaders): unknown {
  const attribute = (name: string) => headers[`ce-${name}`];
  const specversion = attribute('specversion');
  if (specversion === undefined) {
    throw new HttpError(
      422,
      'not a CloudEvent: application/json needs the headers ce-specversion, ce-type, ce-id',
    );
  }
  // a PingSource without data sends no body
  const data = body.length > 0 ? parseJson(body) : undefined;
  return { specversion, type: attribute('type'), id: attribute('id'), source: attribute('source'), data };
}
