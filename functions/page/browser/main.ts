import { renewAges } from './ages.ts';
import { followFilters } from './filters.ts';
import { begin, poll, renewStale, skewMs, tell } from './poll.ts';

const POLL_MS = 5_000;
/** A page that nobody sees only keeps its title true. */
const HIDDEN_MS = 30_000;

let askedAt = Date.now();

function ask(): void {
  askedAt = Date.now();
  poll().catch(tell);
}

setInterval(() => {
  renewAges(skewMs());
  renewStale();
  if (Date.now() - askedAt >= (document.hidden ? HIDDEN_MS : POLL_MS)) ask();
}, 1_000);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) ask();
});
followFilters(ask);
begin();
