import { createHash } from 'node:crypto';
import type { SweepTurns } from '../serve/sweeper.ts';

const AT_ONCE = 8;
/** A sweep that takes longer goes on without its place. So a thousand clusters have a turn in an interval of five minutes, whatever hangs. */
export const PLACE_MS = 2_000;
/** So much too early a timer may end, which goes by another clock: the moment that is so near was that one. */
const EARLY_MS = 1_000;

/** When the clusters of one process are swept: at moments by the hashes of their names, which no restart and no other cluster moves. */
export class Timetable {
  readonly #waiting = new Set<() => void>();
  #running = 0;

  of(name: string, now: () => number = () => Date.now()): SweepTurns {
    const share = createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32;
    return {
      untilNextMs: (everyMs) => {
        const sinceMoment = (now() - share * everyMs) % everyMs;
        const leftMs = Math.ceil(everyMs - ((sinceMoment + everyMs) % everyMs));
        return leftMs > Math.min(EARLY_MS, everyMs / 2) ? leftMs : leftMs + everyMs;
      },
      take: async (run, stopping) => {
        let hasPlace = await this.#turn(stopping);
        const leave = (): void => {
          clearTimeout(timer);
          if (hasPlace) this.#leave();
          hasPlace = false;
        };
        const timer = setTimeout(leave, PLACE_MS).unref();
        try {
          return await run();
        } finally {
          leave();
        }
      },
    };
  }

  /** Whether there is a place by now; false when it is to stop. Who came first has it first. */
  #turn(stopping: AbortSignal): Promise<boolean> {
    if (stopping.aborted) return Promise.resolve(false);
    if (this.#running < AT_ONCE) {
      this.#running += 1;
      return Promise.resolve(true);
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const begin = (): void => {
      resolve(true);
    };
    const leave = (): void => {
      this.#waiting.delete(begin);
      resolve(false);
    };
    this.#waiting.add(begin);
    stopping.addEventListener('abort', leave);
    return promise.finally(() => {
      stopping.removeEventListener('abort', leave);
    });
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next();
    } else this.#running -= 1;
  }
}
