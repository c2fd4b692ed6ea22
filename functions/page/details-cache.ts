import { valueWithin } from '../../shared/deadline.ts';
import { BoundedMap } from '../../shared/memory/bounded-map.ts';
import { newMemory } from '../../shared/memory/memory.ts';
import { errorText } from '../../shared/model/errors.ts';
import type { Key } from '../../shared/model/request.ts';
import type { World } from '../../shared/ports.ts';
import type { ObjectView } from '../../shared/report/page/object-view.ts';
import { serviceDetails } from '../../shared/service/report/object-details.ts';

/** Details of an object for all its readers in this time. */
const AGE_MS = 15_000;
/** The page waits so long for details, and then shows the last ones. */
const PATIENCE_MS = 3_000;
/** So many are read at once, so that readers take no room from the work. */
const MOST_UNDER_WAY = 2;
const MOST_KEPT = 50;

type ReadDetails = Pick<ObjectView, 'details' | 'notRead'>;

interface Kept {
  readonly atMs: number;
  readonly last: ReadDetails;
  readonly underWay?: Promise<ReadDetails>;
}

export class DetailsCache {
  readonly #world: World;
  readonly #kept = new BoundedMap<Key, Kept>(MOST_KEPT);
  #underWay = 0;

  /** It remembers for itself: what runs expect after their own writes is not what is there. */
  constructor(world: World) {
    this.#world = { ...world, memory: newMemory() };
  }

  /** The last details, at most 15 s old while OpenStack answers soon. Never throws. */
  async at(key: Key): Promise<ReadDetails> {
    const now = this.#world.clock.now();
    const kept = this.#kept.get(key);
    if (kept?.underWay === undefined && (kept === undefined || now - kept.atMs >= AGE_MS)) {
      if (this.#underWay >= MOST_UNDER_WAY)
        return {
          ...kept?.last,
          notRead: 'levelset reads other objects at the moment',
        };
      this.#begin(key, now, kept?.last ?? {});
    }
    const { underWay, last = {} } = this.#kept.get(key) ?? {};
    if (!underWay) return last;
    const read = await valueWithin(PATIENCE_MS, underWay);
    return read ?? { ...last, notRead: `OpenStack has not answered for ${PATIENCE_MS / 1_000} s` };
  }

  #begin(key: Key, atMs: number, last: ReadDetails): void {
    this.#underWay += 1;
    const underWay = this.#read(key, last).then((read) => {
      this.#underWay -= 1;
      this.#kept.set(key, { atMs, last: read });
      return read;
    });
    this.#kept.set(key, { atMs, last, underWay });
  }

  async #read(key: Key, last: ReadDetails): Promise<ReadDetails> {
    try {
      const details = await serviceDetails(key, this.#world);
      return details ? { details } : {};
    } catch (error) {
      return { ...(last.details && { details: last.details }), notRead: errorText(error) };
    }
  }
}
