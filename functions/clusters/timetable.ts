import { createHash } from 'node:crypto';
import type { SweepTurns } from '../serve/sweeper.ts';

interface Waiting {
  readonly lastMs: number;
  /** By now: it may be asked for while it waits. */
  readonly isAsked: () => boolean;
  readonly begin: () => void;
}

const AT_ONCE = 8;
/** A sweep that takes longer goes on without its place. So a thousand clusters have a turn in an interval of five minutes, whatever hangs. */
export const PLACE_MS = 2_000;
/** So much too early a timer may end, which goes by another clock: the moment that is so near was that one. */
const EARLY_MS = 1_000;

/**
 * When the clusters of one process are swept: at moments by the hashes of their names, which no restart and no other cluster moves.
 * Eight are swept at once; of those that wait, what somebody asked for goes first, then the longest unswept.
 */
export class Timetable {
  readonly #waiting = new Set<Waiting>();
  #running = 0;

  of(name: string, now: () => number = () => Date.now()): SweepTurns {
    const share = createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32;
    let lastMs = -Infinity;
    return {
      untilNextMs: (everyMs) => {
        const sinceMoment = (now() - share * everyMs) % everyMs;
        const leftMs = Math.ceil(everyMs - ((sinceMoment + everyMs) % everyMs));
        return leftMs > Math.min(EARLY_MS, everyMs / 2) ? leftMs : leftMs + everyMs;
      },
      take: async (run, stopping, isAsked) => {
        const leave = await this.#place({ lastMs, isAsked }, stopping);
        lastMs = now();
        try {
          return await run();
        } finally {
          leave();
        }
      },
    };
  }

  /** Resolves when it is the turn of who waits, to what gives the place up. That happens by itself after a while. */
  async #place(who: Pick<Waiting, 'lastMs' | 'isAsked'>, stopping: AbortSignal): Promise<() => void> {
    let hasPlace = await this.#turn(who, stopping);
    const leave = (): void => {
      clearTimeout(timer);
      if (hasPlace) this.#leave();
      hasPlace = false;
    };
    const timer = setTimeout(leave, PLACE_MS).unref();
    return leave;
  }

  #turn(who: Pick<Waiting, 'lastMs' | 'isAsked'>, stopping: AbortSignal): Promise<boolean> {
    if (stopping.aborted) return Promise.resolve(false);
    if (this.#running < AT_ONCE) {
      this.#running += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const end = (hasPlace: boolean): void => {
        stopping.removeEventListener('abort', leave);
        this.#waiting.delete(waiting);
        resolve(hasPlace);
      };
      const waiting: Waiting = {
        ...who,
        begin: () => {
          end(true);
        },
      };
      const leave = (): void => {
        end(false);
      };
      this.#waiting.add(waiting);
      stopping.addEventListener('abort', leave);
    });
  }

  #leave(): void {
    const asked = [...this.#waiting].filter((one) => one.isAsked());
    const first = asked.length > 0 ? asked : [...this.#waiting];
    const longestMs = Math.min(...first.map(({ lastMs }) => lastMs));
    const next = first.find(({ lastMs }) => lastMs === longestMs);
    if (next) next.begin();
    else this.#running -= 1;
  }
}
