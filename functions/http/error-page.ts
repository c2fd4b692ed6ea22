import { markup } from '../../shared/report/page/markup.ts';
import type { SentAnswer } from './exchange.ts';

/** A refusal for people who look with a browser. One that may end by itself asks again every 5 s. */
export function errorPage({ status, headers, body }: SentAnswer): SentAnswer {
  const { error } = JSON.parse(body) as { readonly error: string };
  const again = status >= 500;
  const { html } = markup`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    ${again ? markup`<meta http-equiv="refresh" content="5" />` : undefined}
    <title>levelset: ${status}</title>
  </head>
  <body>
    <main>
      <h1>levelset cannot show this page</h1>
      <p>${status}: ${error}</p>
      ${again ? markup`<p>It asks again every 5 s.</p>` : undefined}
    </main>
  </body>
</html>`;
  const safe = { 'Content-Security-Policy': "default-src 'none'", 'Cache-Control': 'no-store' };
  return { status, headers: { ...headers, ...safe, 'Content-Type': 'text/html; charset=utf-8' }, body: html };
}
