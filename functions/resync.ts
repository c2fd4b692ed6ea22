/** POST /resync: one object now, or many, or (through the queue) all; a dry run answers with the plan. */
import { randomUUID } from 'node:crypto';
import { Router, type Request, type Response } from 'express';
import { ERRORS } from '../shared/model/errors.ts';
import type { Outcome, Report } from '../shared/model/outcome.ts';
import { renderPlan } from '../shared/plan/render-plan.ts';
import { requireMethod, requireToken } from './http/admit.ts';
import { HttpError } from './http/http-error.ts';
import { queue } from './http/queue.ts';
import { jsonBody, readBody, requireMediaType } from './http/read-json.ts';
import { readResync, type ResyncOrder } from './http/read-resync.ts';
import type { ServerOptions } from './http/server-options.ts';

type Options = Pick<ServerOptions, 'resyncTokens' | 'enqueue' | 'reconcile'>;

export function resync(options: Options): Router {
  return Router().all(
    '/resync',
    requireMethod('POST'),
    requireToken(options.resyncTokens),
    requireMediaType('application/json'),
    readBody,
    async (request, response) => {
      const order = orderOf(request);
      const cause = randomUUID();
      response.set('X-Request-Id', cause);
      if (order.all) {
        await queue([{ key: 'all', trigger: 'resync', cause }], options);
        response.status(202).json({ queued: ['all'] });
        return;
      }
      const { dryRun } = order;
      const reports = await Promise.all(
        order.objects.map((key) => options.reconcile({ key, trigger: 'resync', cause, dryRun })),
      );
      answer(request, response, reports, dryRun);
    },
  );
}

function orderOf(request: Request): ResyncOrder {
  const order = readResync(jsonBody(request));
  if ('objects' in order) return order;
  const lines = order.map(({ field, value, message }) => `${field}${value && ` ${value}`}: ${message}`);
  throw new HttpError(422, lines.join('; '), { details: { problems: order } });
}

/** One object is answered by its outcome, several by a list; a dry run by what it would do. */
function answer(request: Request, response: Response, reports: readonly Report[], dryRun: boolean): void {
  const plans = reports.map(({ plan }) => plan).filter((plan) => plan !== undefined);
  const [only, ...others] = reports;
  if (dryRun && plans.length === reports.length && request.accepts(['json', 'text']) === 'text') {
    response.type('text').send(plans.map(renderPlan).join('\n'));
  } else if (only === undefined || others.length > 0) {
    response.json({ reports });
  } else if (dryRun && only.plan !== undefined) {
    response.json(only.plan);
  } else {
    response.status(httpStatus(only.outcome)).set(retryAfter(only.outcome)).json(only);
  }
}

function httpStatus(outcome: Outcome): number {
  switch (outcome.status) {
    case 'settled':
      return 200;
    case 'progressing':
      return 202;
    case 'blocked':
      return 422;
    case 'failed':
      return ERRORS[outcome.code].status;
  }
}

/** Seconds, rounded up (RFC 9110, 10.2.3). */
function retryAfter(outcome: Outcome): Readonly<Record<string, string>> {
  return 'retryAfterMs' in outcome ? { 'Retry-After': String(Math.ceil(outcome.retryAfterMs / 1000)) } : {};
}
