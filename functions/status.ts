/** GET / (the page, or JSON), /healthz, /readyz and /metrics. */
import { createHash } from 'node:crypto';
import { Router, type Request } from 'express';
import { PAGE_SCRIPT, PAGE_STYLE } from '../shared/report/page-assets.ts';
import { renderPage } from '../shared/report/page.ts';
import { mayRead, requireMethod, requireReader } from './http/admit.ts';
import { admitting } from './http/on-express.ts';
import type { ServerOptions } from './http/server-options.ts';

const READ = admitting(requireMethod('GET', 'HEAD'));

const SAFE = {
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src '${hash(PAGE_STYLE)}'`,
    `script-src '${hash(PAGE_SCRIPT)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  Vary: 'Accept',
};

export type ProbeOptions = Pick<ServerOptions, 'open' | 'pageTokens' | 'metrics' | 'ready' | 'notes'>;

export function status(options: ProbeOptions & Pick<ServerOptions, 'status'>): Router {
  return Router().use(page('/', options, options.status, renderPage), probes(options));
}

/** A page at a path, and the same as JSON. */
export function page<View>(
  path: string,
  { open, pageTokens = [] }: Pick<ServerOptions, 'open' | 'pageTokens'>,
  viewOf: () => Promise<View>,
  render: (view: View) => string,
): Router {
  const reader = admitting(requireReader(open, pageTokens));
  return Router().all(path, READ, reader, async (request, response) => {
    const view = await viewOf();
    response.set(SAFE);
    if (wantsJson(request)) response.json(view);
    else response.type('html').send(render(view));
  });
}

/** /healthz, /readyz and /metrics. */
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
