import { answerRequest, type Front } from './front.ts';
import { copyOf } from './json.ts';
import { headersOf, textOf } from './reply.ts';

export interface Asked {
  readonly method: string;
  readonly url: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What would be sent as JSON. */
  readonly body?: unknown;
  /** How long the client waits for an answer, by the sandbox's clock. */
  readonly timeoutMs: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** No answer came: the client's time was over, or the connection was cut. */
export class NoReply extends Error {
  readonly timedOut: boolean;

  constructor(timedOut: boolean) {
    super(timedOut ? 'the time for an answer is over' : 'the connection was cut');
    this.timedOut = timedOut;
  }
}

/** Asks a simulator without sockets: the same records, faults and answers as over HTTP. */
export async function ask(
  front: Front,
  { method, url, headers, body, timeoutMs }: Asked,
  isGone: () => boolean = () => false,
): Promise<Reply> {
  const { host, pathname, search } = new URL(url);
  const asked = { method, target: pathname + search, headers: { host, ...headers }, body: copyOf(body) };
  const answer = await answerRequest(front, asked, isGone);
  if (answer === 'reset') throw new NoReply(false);
  if (answer === 'hang') {
    await front.clock.pause(timeoutMs);
    throw new NoReply(true);
  }
  const shown = Object.entries(headersOf(answer, front.clock));
  return {
    status: answer.status,
    headers: Object.fromEntries(shown.map(([name, value]) => [name.toLowerCase(), value])),
    text: textOf(answer) ?? '',
  };
}
