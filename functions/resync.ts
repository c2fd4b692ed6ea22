/** POST /resync: queues objects, or everything. A dry run answers with the plan. */
import { randomUUID } from 'node:crypto';
import { Router, type Request, type Response } from 'express';
import { ERRORS } from '../shared/model/errors.ts';
import type { Report } from '../shared/model/outcome.ts';
import type { Problem } from '../shared/model/plan.ts';
import { isUnit, parseObject, type Key } from '../shared/model/request.ts';
import { clip } from '../shared/model/text/text.ts';
import { renderPlan } from '../shared/plan/render-plan.ts';
import { requireMethod, requireToken } from './http/admit.ts';
import { HttpError } from './http/exchange.ts';
import { admitting, receivedRequest } from './http/on-express.ts';
import { readBody } from './http/read-body.ts';
import { parseBody, requireMediaType } from './http/read-json.ts';
import { queueRequests } from './http/receiver.ts';
import type { ServerOptions } from './http/server-options.ts';

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
      const order = await readBody(receivedRequest(request), { limit: LONGEST_ORDER }, orderOf);
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

function orderOf(body: Buffer): ResyncOrder {
  const order = readResync(parseBody(body));
  if ('objects' in order) return order;
  const lines = order.map(({ field, value, message }) => `${field}${value && ` ${value}`}: ${message}`);
  throw new HttpError(422, lines.join('; '), { details: { problems: order } });
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
const MOST_SHOWN = 20;

export function readResync(body: unknown): ResyncOrder | readonly Problem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return [problem('body', body, 'must be an object with "objects" or "all"')];
  }
  const { objects, all, dryRun, ...unknown } = body as Partial<Record<string, unknown>>;
  const list: readonly unknown[] = Array.isArray(objects) ? objects : [];
  const fields = Object.entries(unknown);
  const problems = fields
    .slice(0, MOST_SHOWN)
    .map(([field, value]) =>
      problem(clip(field, 100), value, 'is not known; known are "objects", "all" and "dryRun"'),
    );
  if (fields.length > MOST_SHOWN)
    problems.push(
      problem('body', undefined, `has ${fields.length - MOST_SHOWN} more fields that are not known`),
    );
  if ((objects === undefined) === (all === undefined)) {
    problems.push(problem('objects', objects, 'must be given, or "all" instead'));
  }
  if (objects !== undefined && (!Array.isArray(objects) || list.length === 0 || list.length > MOST_OBJECTS)) {
    problems.push(problem('objects', objects, `must be a list of 1 to ${MOST_OBJECTS} objects`));
  }
  list.slice(0, MOST_OBJECTS).forEach((object, i) => {
    if (objectKey(object) === undefined) problems.push(problem(`objects[${i}]`, object, ALLOWED));
  });
  if (all !== undefined && all !== true) problems.push(problem('all', all, 'can only be true'));
  if (dryRun !== undefined && typeof dryRun !== 'boolean') {
    problems.push(problem('dryRun', dryRun, 'must be true or false'));
  }
  if (dryRun === true && all !== undefined) {
    problems.push(problem('dryRun', dryRun, 'needs "objects"; `levelset sweep --dry-run` shows everything'));
  }
  if (problems.length > 0) return problems;
  const keys = list.map(objectKey).filter((key) => key !== undefined);
  return { objects: [...new Set(keys)], all: all === true, dryRun: dryRun === true };
}

function objectKey(object: unknown): Key | undefined {
  const key = typeof object === 'string' ? parseObject(object) : undefined;
  return key !== undefined && isUnit(key) ? key : undefined;
}

function problem(field: string, value: unknown, message: string): Problem {
  const text = value === undefined ? '' : JSON.stringify(value);
  return { field, value: clip(text, 100), message };
}
