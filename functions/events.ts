/** POST /events/:cluster: queues the keys that CloudEvents 1.0 name (Knative's ApiServerSource and PingSource). */
import { Router, type Request } from 'express';
import { keysFromCloudEvents } from '../shared/trigger/keys-from-cloud-event.ts';
import { acceptEvents } from './http/accept-events.ts';
import { requireCluster, requireMethod, requireToken } from './http/admit.ts';
import { HttpError } from './http/http-error.ts';
import { jsonBody, mediaType, readBody, requireMediaType } from './http/read-json.ts';
import type { ServerOptions } from './http/server-options.ts';

const STRUCTURED = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';

type Options = Pick<ServerOptions, 'clusters' | 'auditTokens' | 'enqueue' | 'observeAudit' | 'log'>;

export function events(options: Options): Router {
  return Router().all(
    '/events/:cluster',
    requireToken(options.auditTokens),
    requireCluster(options.clusters),
    requireMethod('POST'),
    requireMediaType(STRUCTURED, BATCH, 'application/json'),
    readBody(),
    (request, response) =>
      acceptEvents('events', keysFromCloudEvents(readEvents(request)), options, request, response),
  );
}

/** The three content modes of the HTTP binding of CloudEvents 1.0.2, section 3. */
function readEvents(request: Request<{ cluster: string }>): readonly unknown[] {
  const type = mediaType(request);
  if (type === 'application/json') return [binaryEvent(request)];
  const body = jsonBody(request);
  if (type === STRUCTURED) {
    if (typeof body !== 'object' || body === null || !('specversion' in body)) {
      throw new HttpError(422, 'not a CloudEvent: the body must be an object with "specversion"');
    }
    return [body];
  }
  if (!Array.isArray(body)) throw new HttpError(422, 'not a batch of CloudEvents: the body must be a list');
  return body;
}

function binaryEvent(request: Request<{ cluster: string }>): unknown {
  const attribute = (name: string) => request.get(`ce-${name}`);
  const specversion = attribute('specversion');
  if (specversion === undefined) {
    throw new HttpError(
      422,
      'not a CloudEvent: application/json needs the headers ce-specversion, ce-type, ce-id',
    );
  }
  const data = hasBody(request) ? jsonBody(request) : undefined;
  return { specversion, type: attribute('type'), id: attribute('id'), source: attribute('source'), data };
}

/** A PingSource without data sends no body. */
function hasBody(request: Request<{ cluster: string }>): boolean {
  return Buffer.isBuffer(request.body) && request.body.length > 0;
}
