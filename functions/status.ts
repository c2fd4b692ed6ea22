/** GET / (the page, or JSON), /healthz, /readyz and /metrics. */
import { createHash } from 'node:crypto';
import { Router, type Request } from 'express';
import type { Frame } from '../shared/report/page/layout.ts';
import { renderPage } from '../shared/report/page/objects-page.ts';
import type { ObjectView } from '../shared/report/page/object-view.ts';
import { readQuestion } from '../shared/report/page/question.ts';
import { PAGE_STYLE } from '../shared/report/page/style.ts';
import { mayRead, requireMethod, requireReader, type ServerOptions } from './http/admit.ts';
import { admitting } from './http/on-express.ts';
import { pageScript } from './page/page-script.ts';

const READ = admitting(requireMethod('GET', 'HEAD'));

function safeHeaders(script: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src '${hash(PAGE_STYLE)}'`,
      `script-src '${hash(script)}'`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    Vary: 'Accept',
  };
}

export type ProbeOptions = Pick<ServerOptions, 'open' | 'pageTokens' | 'metrics' | 'ready' | 'notes'>;

export function status(options: ProbeOptions & Pick<ServerOptions, 'status' | 'object'>): Router {
  return Router().use(
    page('/', options, options.status, renderPage),
    objectPages('/objects/*names', options),
    probes(options),
  );
}

/** The pages of single objects at a path that ends with `*names`, such as those of /objects/service/shop/web. */
export function objectPages(
  at: string,
  { object, ...options }: Pick<ServerOptions, 'open' | 'pageTokens' | 'object'>,
): Router {
  const router = Router();
  if (!object) return router;
  return router.all(at, async (request, response, next) => {
    const { renderObjectPage } = await import('../shared/report/page/object-page.ts'); // functions on AWS have none
    const names = request.params['names'] as unknown as readonly string[];
    const view = (): Promise<ObjectView> => object(names.join('/'));
    page(at, options, view, renderObjectPage, request.path)(request, response, next);
  });
}

interface View {
  /** The time from which ages are counted. It alone makes no page a new one. */
  readonly generatedAt: string;
}

/** A page at a path, and the same as JSON. Who names the tag of what it has already gets 304 while nothing has changed. */
export function page<V extends View>(
  at: string,
  { open, pageTokens = [], object }: Pick<ServerOptions, 'open' | 'pageTokens' | 'object'>,
  viewOf: () => Promise<V>,
  render: (view: V, frame: Frame) => string,
  path = at,
): Router {
  const reader = admitting(requireReader(open, pageTokens));
  return Router().all(at, READ, reader, async (request, response) => {
    const [view, script] = await Promise.all([viewOf(), pageScript()]);
    const version = hash(PAGE_STYLE + script);
    const etag = `"${hash(JSON.stringify([version, request.query, { ...view, generatedAt: '' }]))}"`;
    response.set(safeHeaders(script)).set('ETag', etag);
    if (request.headers['if-none-match'] === etag) response.status(304).end();
    else if (wantsJson(request)) response.json(view);
    else
      response.type('html').send(
        render(view, {
          ...{ path, hasObjects: object !== undefined, question: readQuestion(request.query) },
          ...{ script, version, etag },
        }),
      );
  });
}

export function probes(options: ProbeOptions): Router {
  const { open, pageTokens = [] } = options;
  const reader = admitting(requireReader(open, pageTokens));
  const router = Router();
  router.all('/metrics', READ, reader, async (_request, response) => {
    const { contentType, body } = await options.metrics();
    response.set('Content-Type', contentType).send(body);
  });
  router.all('/healthz', READ, (_request, response) => {
    response.type('text').send('ok\n');
  });
  router.all('/readyz', READ, async (request, response) => {
    const missing = await options.ready();
    response.type('text');
    const mayKnow = mayRead(request, open, pageTokens);
    if (missing.length === 0) {
      const notes = mayKnow ? ((await options.notes?.()) ?? []) : [];
      response.send(['ok', ...notes, ''].join('\n'));
      return;
    }
    response.status(503).send(`${mayKnow ? missing.join('\n') : 'not ready'}\n`);
  });
  return router;
}

function wantsJson(request: Request): boolean {
  return request.query['format'] === 'json' || request.accepts(['html', 'json']) === 'json';
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
