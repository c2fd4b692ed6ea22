import express from 'express';
import type { Express } from 'express';
import { auditWebhook } from './audit-webhook.ts';
import { events } from './events.ts';
import { answerErrors, notFound, onExpress } from './http/on-express.ts';
import type { ServerOptions } from './http/admit.ts';
import { resync } from './resync.ts';
import { status } from './status.ts';

export function createServer(options: ServerOptions): Express {
  const app = express().disable('x-powered-by').disable('etag');
  app.use(onExpress(auditWebhook(options)), onExpress(events(options)));
  app.use(resync(options), status(options), notFound, answerErrors(options.log));
  return app;
}
