/** POST /resync: queues objects, or everything. A dry run answers with the plan. */
import { randomUUID } from 'node:crypto';
import { Router, type Request, type Response } from 'express';
import { ERRORS } from '../shared/model/errors.ts';
import type { Report } from '../shared/model/outcome.ts';
import { isObjectKey, parseObject, type Key } from '../shared/model/request.ts';
import { clip } from '../shared/model/text/text.ts';
import { renderPlan } from '../shared/plan/render-plan.ts';
import { requireMethod, requireToken, type ServerOptions } from './http/admit.ts';
import { HttpError } from './http/exchange.ts';
import { admitting, receivedRequest } from './http/on-express.ts';
import { readBody, parseBody, requireMediaType } from './http/read-body.ts';
import { queueRequests } from './http/receiver.ts';

type Options = Pick<ServerOptions, 'resyncTokens' | 'enqueue' | 'dryRun'>;

/**
 * Who may call is asked before the body is read.
 * @param page shows what becomes of what is queued
 * @param path with `:cluster` where there are several
 */
export function resync(options: Options, page = '/', path = '/resync'): Router {
  const { resyncTokens } = options;
  return Router().all(
    path,
    admitting(requireToken(resyncTokens), requireMethod('POST'), requireMediaType('application/json')),
    async (request, response) => {
      const [unknown] = Object.keys(request.query);
      if (unknown !== undefined)
        throw new HttpError(
          400,
          `${clip(unknown, 100)} in the query means nothing here: it stands in the body`,
        );
      const order = await readBody(receivedRequest(request), { limit: LONGEST_ORDER }, (body) =>
        readResync(parseBody(body)),
      );
      const cause = randomUUID();
      response.set('X-Request-Id', cause);
      if (order.dryRun) {
        const asked = order.objects.map((key) => ({ key, trigger: 'resync', cause, dryRun: true }) as const);
        answer(request, response, await options.dryRun(asked));
        return;
      }
      const queued: readonly Key[] = order.all ? ['all'] : order.objects;
      await queueRequests(
        queued.map((key) => ({ key, trigger: 'resync', cause })),
        options,
      );
      response.status(202).json({ queued, page });
    },
  );
}

/** Answers with the plan of one object or a list of reports, and with all plans as text if the client prefers text. */
function answer(request: Request, response: Response, reports: readonly Report[]): void {
  const plans = reports.map(({ plan }) => plan).filter((plan) => plan !== undefined);
  const [only, ...others] = reports;
  const isAway = ({ outcome, missing }: Report): boolean => missing === true && outcome.status === 'settled';
  const away = reports.filter(isAway).map(({ request: { key } }) => `${key} not found`);
  if (only && others.length === 0 && away.length > 0) {
    response.status(404).json({ error: away[0], ...only });
  } else if (
    away.length === 0 &&
    plans.length === reports.length &&
    request.accepts(['json', 'text']) === 'text'
  ) {
    response.type('text').send(plans.map((plan) => renderPlan(plan)).join('\n'));
  } else if (only === undefined || others.length > 0) {
    response.json({ reports });
  } else if (only.plan !== undefined) {
    response.json(only.plan);
  } else {
    const { outcome } = only;
    response.status(outcome.status === 'failed' ? ERRORS[outcome.code].status : 200).json(only);
  }
}

interface ResyncOrder {
  /** Without repetitions. Empty: `all`. */
  readonly objects: readonly Key[];
  readonly all: boolean;
  readonly dryRun: boolean;
}

/** More objects at once are the work of a sweep. */
const MOST_OBJECTS = 100;
const ALLOWED = 'must be service/NAMESPACE/NAME, svc/NAME of the namespace default, node/NAME or routes';
/** In bytes: a hundred objects with the longest names need half of it. */
const LONGEST_ORDER = 64 * 2 ** 10;

/** Throws HttpError 422 that names the first thing that is wrong. */
export function readResync(body: unknown): ResyncOrder {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw wrong('the body', 'must be an object with "objects" or "all"');
  const { objects, all, dryRun = false, ...unknown } = body as Partial<Record<string, unknown>>;
  const [other] = Object.keys(unknown);
  if (other !== undefined)
    throw wrong(clip(other, 100), 'is not known; known are "objects", "all" and "dryRun"');
  if ((objects === undefined) === (all === undefined))
    throw wrong('objects', 'must be given, or "all" instead');
  if (all !== undefined && all !== true) throw wrong('all', 'can only be true');
  if (typeof dryRun !== 'boolean') throw wrong('dryRun', 'must be true or false');
  if (dryRun && all) throw wrong('dryRun', 'needs "objects"; `levelset sweep --dry-run` shows everything');
  if (all) return { objects: [], all, dryRun };
  if (!Array.isArray(objects) || objects.length === 0 || objects.length > MOST_OBJECTS)
    throw wrong('objects', `must be a list of 1 to ${MOST_OBJECTS} objects`);
  const keys = objects.map((object: unknown, at): Key => {
    const key = typeof object === 'string' ? parseObject(object) : undefined;
    if (key !== undefined && isObjectKey(key)) return key;
    throw wrong(`objects[${at}] ${clip(JSON.stringify(object), 100)}`, ALLOWED);
  });
  return { objects: [...new Set(keys)], all: false, dryRun };
}

function wrong(field: string, message: string): HttpError {
  return new HttpError(422, `${field}: ${message}`);
}
