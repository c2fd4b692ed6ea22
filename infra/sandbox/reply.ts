import type { Answer } from './exchange.ts';
import type { SandboxClock } from './sandbox-clock.ts';

/** The headers of an answer as they go out. */
export function headersOf({ headers, body }: Answer, clock: SandboxClock): Record<string, string> {
  const type =
    typeof body === 'string'
      ? 'text/plain'
      : Buffer.isBuffer(body)
        ? 'application/octet-stream'
        : 'application/json';
  return {
    Date: clock.now().toUTCString(),
    ...(body === undefined ? {} : { 'Content-Type': type }),
    ...headers,
  };
}

/** The body of an answer as text; undefined if there is none. */
export function textOf({ body }: Answer): string | undefined {
  if (body === undefined || typeof body === 'string') return body;
  return Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body);
}

/** The answer with the first half of its JSON. */
export function truncated(answer: Answer): Answer {
  const text = textOf(answer);
  if (text === undefined) return answer;
  const headers = { ...answer.headers, 'Content-Type': 'application/json' };
  return { ...answer, headers, body: text.slice(0, text.length / 2) };
}
