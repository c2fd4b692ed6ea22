import { markup, type Html } from './markup.ts';
import { EVERYTHING, type PageQuestion } from './question.ts';
import { PAGE_STYLE } from './style.ts';

export interface Frame {
  /** Where the page is, such as `/` or `/clusters/prod-a`. */
  readonly path: string;
  /** Whether objects have pages of their own, below the path. */
  readonly hasObjects: boolean;
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

export function pageOfObject(path: string, object: string): string {
  return `${path.replace(/\/$/, '')}${OBJECTS}${object}`;
}

export function pathAbove(path: string): string {
  return path.slice(0, path.indexOf(OBJECTS)) || '/';
}

const OBJECTS = '/objects/';

interface Parts {
  readonly title: string;
  readonly generatedAt: string;
  readonly header: Html;
  readonly main: Html;
}

/** One HTML document that loads nothing else, with the style and script that a Content-Security-Policy names by their hashes. */
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
