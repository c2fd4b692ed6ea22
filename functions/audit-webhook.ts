/** POST /audit/:cluster: queues the keys that a batch of the kube-apiserver's audit webhook names, and answers at once. */
import { Router } from 'express';
import { readEventList } from '../shared/trigger/audit-schema.ts';
import { keysFromAudit } from '../shared/trigger/keys-from-audit.ts';
import { acceptEvents } from './http/accept-events.ts';
import { requireCluster, requireMethod, requireToken } from './http/admit.ts';
import { HttpError } from './http/http-error.ts';
import { jsonBody, readBody, requireMediaType } from './http/read-json.ts';
import type { ServerOptions } from './http/server-options.ts';

type Options = Pick<ServerOptions, 'clusters' | 'auditTokens' | 'self' | 'enqueue' | 'observeAudit' | 'log'>;

export function auditWebhook(options: Options): Router {
  return Router().all(
    '/audit/:cluster',
    requireToken(options.auditTokens),
    requireCluster(options.clusters),
    requireMethod('POST'),
    requireMediaType('application/json'),
    readBody(),
    (request, response) => {
      const list = readEventList(jsonBody(request));
      if (typeof list === 'string') throw new HttpError(422, list);
      return acceptEvents('audit', keysFromAudit(list.items ?? [], options.self), options, request, response);
    },
  );
}
