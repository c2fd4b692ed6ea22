import { markup, type Html } from './markup.ts';
import { EVERYTHING, type PageQuestion } from './question.ts';
import { PAGE_STYLE } from './style.ts';

/** What a page needs beside its view. */
export interface Frame {
  /** Where the page is, such as `/` or `/clusters/prod-a`. */
  readonly path: string;
  /** Whether objects have pages of their own, below the path. */
  readonly hasObjects: boolean;
  /** What its address asks for. */
  readonly question: PageQuestion;
  /** The text of the script, which the Content-Security-Policy names by its hash. */
  readonly script: string;
  /** What tells this style and script from those of another release. */
  readonly version: string;
  /** The tag of the view: who has it already needs no new page. */
  readonly etag: string;
}

/** Where a page is shown without its script. */
export const BARE: Frame = {
  ...{ path: '/', hasObjects: false, question: EVERYTHING },
  ...{ script: '', version: '', etag: '' },
};

/** The path of an object's page. `path` is that of the page with all objects. */
export function pageOfObject(path: string, object: string): string {
  return `${path.replace(/\/$/, '')}${OBJECTS}${object}`;
}

/** The path of the page with all objects, above that of one of them. */
export function pathAbove(path: string): string {
  return path.slice(0, path.indexOf(OBJECTS)) || '/';
}

const OBJECTS = '/objects/';

interface Parts {
  /** Of the browser's tab. */
  readonly title: string;
  /** RFC 3339. */
  readonly generatedAt: string;
  readonly header: Html;
  readonly main: Html;
}

/**
 * One HTML document that loads nothing else. Its style and script stand there byte by byte, so that a Content-Security-Policy can
 * name their hashes. Without script it comes anew every 5 s.
 */
export function renderDocument({ title, generatedAt, header, main }: Parts, frame: Frame): string {
  const { path, script, version, etag } = frame;
  return markup`<!doctype html>
    <html lang="en" data-page="levelset" data-etag="${etag}" data-at="${generatedAt}" data-script="${version}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <style>${{ html: PAGE_STYLE }}</style>
        <noscript><meta http-equiv="refresh" content="5" /></noscript>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <div id="stale" data-own><p role="status" id="stale-told"></p><p aria-hidden="true" id="stale-age"></p></div>
        <header>${header}</header>
        <main id="main" tabindex="-1">${main}</main>
        <footer>As of <time>${generatedAt}</time>, asked again every 5 s. The same data as <a href="${path}?format=json">JSON</a>.</footer>
        <script>${{ html: script }}</script>
      </body>
    </html>`.html;
}

export const DRY_RUN =
  'dry run: levelset shows what it would do, and writes nothing to Kubernetes or OpenStack';

export function warning(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : markup`<p class="warning">${text}</p>`;
}
