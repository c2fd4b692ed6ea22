import type { ObjectEvent } from '../model/kubernetes.ts';
import type { Key } from '../model/request.ts';
import { BoundedMap } from './bounded-map.ts';

/** An Event as this process wrote it. */
interface ToldEvent extends Pick<ObjectEvent, 'type' | 'reason' | 'message'> {
  /** When it was written last, RFC 3339. */
  readonly at: string;
  /** How often. */
  readonly count: number;
}

/** Of one object the newest are kept. */
const MOST_OF_ONE = 10;

/** The Events that this process wrote, the newest first: people read on the page what the kube-apiserver need not be asked for. */
export class ToldEvents {
  readonly #events: BoundedMap<Key, readonly ToldEvent[]>;

  constructor(most: number) {
    this.#events = new BoundedMap(most, ({ length }) => length);
  }

  add(key: Key, { type, reason, message }: ObjectEvent, at: string): void {
    const told = this.of(key);
    const isSame = (one: ToldEvent): boolean => one.reason === reason && one.message === message;
    const count = (told.find(isSame)?.count ?? 0) + 1;
    const others = told.filter((one) => !isSame(one));
    this.#events.set(key, [{ type, reason, message, at, count }, ...others].slice(0, MOST_OF_ONE));
  }

  of(key: Key): readonly ToldEvent[] {
    return this.#events.get(key) ?? [];
  }
}
