import { markup, type Html } from './markup.ts';

/** A time as an age, or as the time until then, which the page's script keeps true. `at` is RFC 3339, `now` milliseconds since 1970. */
export function since(at: string, now: number): Html {
  return markup`<time datetime="${at}" title="${at}">${ago(at, now)}</time>`;
}

/** A time to come. Once it is there it is `now`, until the page knows better. */
export function due(at: string, now: number): Html {
  const text = Date.parse(at) - now <= 500 ? 'now' : ago(at, now);
  return markup`<time datetime="${at}" title="${at}" data-due>${text}</time>`;
}

function ago(at: string, now: number): string {
  const ms = now - Date.parse(at);
  return ms < -500 ? `in ${age(-ms)}` : `${age(ms)} ago`;
}

export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}
