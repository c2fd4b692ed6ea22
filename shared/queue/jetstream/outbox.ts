import type { ReconcileRequest } from '../../model/request.ts';
import { PRIORITIES, PRIORITY } from '../scheduling.ts';

/** So many messages are under way to NATS at once. */
const AT_ONCE = 64;

interface Outgoing {
  request: ReconcileRequest;
  readonly sent: Promise<void>;
  readonly tell: () => void;
}

/**
 * Keys on their way to a queue, each once. While the queue is away they stay here, so a key that changes a
 * thousand times takes one place. What the queue refuses closes the outbox until somebody opens it again.
 */
export class Outbox {
  readonly #send: (request: ReconcileRequest) => Promise<void>;
  /** By key and what else is queued apart. */
  readonly #waiting = new Map<string, Outgoing>();
  #sending = 0;
  #isOpen = false;

  /** `send` rejects where the queue has not got the key. */
  constructor(send: (request: ReconcileRequest) => Promise<void>) {
    this.#send = send;
  }

  get size(): number {
    return this.#waiting.size + this.#sending;
  }

  /** Resolves when the queue has the key, or at once while it is away: then the key is kept here. */
  async put(id: string, request: ReconcileRequest): Promise<void> {
    const outgoing = this.#keep(id, request);
    this.#pump();
    if (this.#isOpen) await outgoing.sent;
  }

  /** The queue answers: what was kept is sent. */
  open(): void {
    this.#isOpen = true;
    this.#pump();
  }

  /** The queue is away. */
  close(): void {
    this.#isOpen = false;
    for (const { tell } of this.#waiting.values()) tell();
  }

  #keep(id: string, request: ReconcileRequest): Outgoing {
    const known = this.#waiting.get(id);
    if (known) {
      known.request = merge(known.request, request);
      return known;
    }
    let tell = (): void => undefined;
    const sent = new Promise<void>((resolve) => (tell = resolve));
    const outgoing = { request, sent, tell };
    this.#waiting.set(id, outgoing);
    return outgoing;
  }

  #pump(): void {
    for (const [id, { request, tell }] of this.#waiting) {
      if (!this.#isOpen || this.#sending >= AT_ONCE) return;
      this.#waiting.delete(id);
      this.#sending += 1;
      const ended = (): void => {
        this.#sending -= 1;
        tell();
        this.#pump();
      };
      this.#send(request).then(ended, () => {
        this.close(); // or the key would be sent again at once, and nothing else would have its turn
        this.#keep(id, request);
        ended();
      });
    }
  }
}

/** What came for two causes is for neither of them: a queue that has had the one would drop both. */
function merge(one: ReconcileRequest, other: ReconcileRequest): ReconcileRequest {
  const { cause, ...merged } = isBefore(other, one) ? other : one;
  return cause !== undefined && one.cause === other.cause ? { ...merged, cause } : merged;
}

function isBefore(one: ReconcileRequest, other: ReconcileRequest): boolean {
  const rank = ({ trigger }: ReconcileRequest): number => PRIORITIES.indexOf(PRIORITY[trigger]);
  return rank(one) < rank(other);
}
