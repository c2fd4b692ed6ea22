import { ago } from './ages.ts';
import { morph } from './morph.ts';

/** Longer than the server waits for a list. */
const TIMEOUT_MS = 15_000;

let answeredAt = Date.now();
let trouble: string | undefined;
let etag = '';
let skew = 0;
let asked = 0;

export function skewMs(): number {
  return skew;
}

/** Asks for the page at the address as it is now, and makes this one like it. Throws what `tell` is for. */
export async function poll(): Promise<void> {
  asked += 1;
  const turn = asked;
  const answer = await fetch(location.origin + location.pathname + location.search, {
    headers: { Accept: 'text/html', ...(etag !== '' && { 'If-None-Match': etag }) },
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await answer.text();
  if (turn !== asked) return;
  if (answer.ok) show(new DOMParser().parseFromString(text, 'text/html'));
  else if (answer.status !== 304) throw new Error(wordsFor(answer.status));
  answeredAt = Date.now();
  trouble = undefined;
  renewStale();
}

export function tell(error: unknown): void {
  trouble = error instanceof Error && error.name === 'Error' ? error.message : 'it does not answer';
  renewStale();
}

/** Throws if somebody else has answered, such as a proxy. */
function show(next: Document): void {
  const { page, script } = next.documentElement.dataset;
  if (page === undefined) throw new Error('something else answers in its place');
  if (script !== document.documentElement.dataset['script']) location.reload();
  document.title = next.title;
  keepingPlace(() => {
    morph(document.body, next.body);
  });
  readMarks(next.documentElement);
}

/** What is in view stays where it is on the screen, whatever comes or goes above it: what has the focus, else the first row. */
function keepingPlace(change: () => void): void {
  const topOf = (element: Element): number => element.getBoundingClientRect().top;
  const focused = document.activeElement?.closest('main *');
  const anchor = focused ?? [...document.querySelectorAll('tr[id]')].find((row) => topOf(row) >= 0);
  if (scrollY === 0 || !anchor) {
    change();
    return;
  }
  const before = topOf(anchor);
  change();
  if (anchor.isConnected) scrollBy(0, topOf(anchor) - before);
}

function readMarks(root: HTMLElement): void {
  const { etag: tag = '', at = '' } = root.dataset;
  etag = tag;
  skew = Date.parse(at) - Date.now();
}

function wordsFor(status: number): string {
  if (status === 401 || status === 403) return 'it asks for a token again: reload the page';
  if (status === 404) return 'it has no such object any more';
  return `it answers ${status}`;
}

export function renewStale(): void {
  const told =
    trouble === undefined
      ? ''
      : `Stale since ${new Date(answeredAt).toLocaleTimeString()}. levelset: ${trouble}. The page shows what was then, and asks again every 5 s.`;
  setText(document.getElementById('stale-told'), told);
  setText(document.getElementById('stale-age'), told && ago(Date.now() - answeredAt));
  document.title = (told && '(away) ') + document.title.replace('(away) ', '');
  document.body.classList.toggle('is-stale', told !== '');
}

/** Only what differs, since a live region reads what is set. */
function setText(element: Element | null, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}

export function begin(): void {
  readMarks(document.documentElement);
}
