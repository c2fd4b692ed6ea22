import { AsyncLocalStorage } from 'node:async_hooks';
import { hasTag } from '../model/ownership.ts';
import { inTime, isSettledWithin, patienceMs, valueWithin, withoutDeadline } from '../deadline.ts';
import type { WireResource } from '../model/resources.ts';
import type { Cloud, Query, ReadKind } from '../ports.ts';
import { sharedUrgency, type Urgency } from '../urgency.ts';
import type { Transport } from './openstack-http.ts';

type List = Cloud['list'];
/** The time by which a list waits for company: that of whatever sends the lists. */
type Time = Pick<Transport, 'pause' | 'now'>;

/** Of each kind: the filters by which units look for what is theirs, and the same filter for several of them. */
const GATHERED: Partial<Record<ReadKind, Readonly<Record<string, (values: readonly string[]) => Query>>>> = {
  loadbalancer: { 'tags-any': (values) => ({ 'tags-any': values.join(',') }) },
  listener: { 'tags-any': (values) => ({ 'tags-any': values.join(',') }) },
  floatingip: {
    tags: (values) => ({ 'tags-any': values.join(',') }),
    port_id: (values) => ({ port_id: values }),
    description: (values) => ({ description: values }),
  },
};

/** Units in one list: some servers take no URL of more than 4 kB. */
const AT_ONCE = 8;
/** Less than this after the last list, the next one waits so long for others: runs that begin together ask some milliseconds apart. */
const BUSY_MS = 1_000;
const COMPANY_MS = 10;
/** A list that takes longer keeps nobody else waiting. */
const PATIENCE_MS = 1_000;

/**
 * Lists that several runs ask for at a time as one. While a list is on its way the others wait, and go together in the next
 * one: so each list begins after all who get their answer from it have asked (group commit). A run that is alone waits for nothing, and
 * one of many for 10 ms. Where a list of several fails, each asks for itself, so that one unit's trouble stays its own.
 */
export function gatherLists(list: List, time: Time): List {
  const gatherings = new Map<string, Gathering>();
  return (kind, query = {}, parent) => {
    const [first, ...others] = Object.entries(query);
    const together = first && others.length === 0 ? GATHERED[kind]?.[first[0]] : undefined;
    if (!first || !together || typeof first[1] !== 'string') return list(kind, query, parent);
    const [name, value] = first;
    const key = `${kind} ${name}`;
    const gathering =
      gatherings.get(key) ??
      new Gathering(
        {
          one: (alone) => list(kind, { [name]: alone }),
          several: (values) => list(kind, together(values)),
          has: (wire, alone) => isAmong(wire, name, alone),
        },
        time,
      );
    gatherings.set(key, gathering);
    return gathering.list(value);
  };
}

interface Reads {
  one(value: string): Promise<readonly WireResource[]>;
  several(values: readonly string[]): Promise<readonly WireResource[]>;
  has(wire: WireResource, value: string): boolean;
}

interface Asked {
  readonly value: string;
  /** Runs in the time, and for the account, of who asked. */
  readonly inRun: <T>(run: () => T) => T;
  readonly begin: (begun: Begun) => void;
}

interface Begun {
  /** Undefined: each is to ask for itself. */
  readonly list: Promise<readonly WireResource[] | undefined>;
  readonly isOfSeveral: boolean;
}

class Gathering {
  readonly #reads: Reads;
  readonly #time: Time;
  #waiting: Asked[] = [];
  /** A list, or the wait for those who go together in it. */
  #isOnItsWay = false;
  #sentMs = -Infinity;
  /** That of the list on its way: of the most urgent who waits for it, or for the next one. */
  #urgency: Urgency | undefined;

  constructor(reads: Reads, time: Time) {
    this.#reads = reads;
    this.#time = time;
  }

  async list(value: string): Promise<readonly WireResource[]> {
    const begun = new Promise<Begun>((resolve) => {
      const inRun = AsyncLocalStorage.snapshot();
      this.#waiting.push({
        value,
        inRun,
        begin: resolve,
      });
    });
    this.#urgency?.raise();
    this.#next();
    const { list, isOfSeveral } = await inTime(begun, 'wait for a list');
    const found = isOfSeveral ? await valueWithin(patienceMs(), list) : await inTime(list, 'wait for a list');
    return found?.filter((wire) => this.#reads.has(wire, value)) ?? this.#reads.one(value);
  }

  #next(): void {
    if (this.#isOnItsWay || this.#waiting.length === 0) return;
    this.#isOnItsWay = true;
    const isBusy = this.#time.now() - this.#sentMs < BUSY_MS;
    const send = (): void => {
      this.#send();
    };
    if (isBusy && this.#waiting.length < AT_ONCE) this.#time.pause(COMPANY_MS).then(send, send);
    else send();
  }

  #send(): void {
    const [first, ...others] = this.#waiting;
    if (!first) return;
    const asked = [first, ...others].slice(0, AT_ONCE);
    this.#waiting = this.#waiting.slice(AT_ONCE);
    this.#sentMs = this.#time.now();
    const list = first.inRun(() => {
      const shared = (this.#urgency = sharedUrgency());
      for (const one of asked)
        one.inRun(() => {
          shared.raise();
        });
      return shared.run(() => this.#ask(asked.map(({ value }) => value)));
    });
    for (const { begin } of asked) begin({ list, isOfSeveral: asked.length > 1 });
    this.#goOnAfter(list, Math.min(PATIENCE_MS, first.inRun(patienceMs))).catch(() => undefined);
  }

  async #goOnAfter(list: Promise<unknown>, patientMs: number): Promise<void> {
    await isSettledWithin(list, patientMs);
    this.#isOnItsWay = false;
    this.#next();
  }

  /** Undefined: each is to ask for itself. */
  #ask(values: readonly string[]): Promise<readonly WireResource[] | undefined> {
    const [value = '', ...others] = new Set(values);
    if (values.length === 1) return this.#reads.one(value);
    const list = withoutDeadline(() => this.#reads.several([value, ...others]));
    return list.catch(() => undefined);
  }
}

/** What Octavia and Neutron find by one value of these filters. */
function isAmong(wire: WireResource, name: string, value: string): boolean {
  if (name !== 'tags' && name !== 'tags-any') return wire[name] === value;
  return value.split(',').some((tag) => hasTag(wire['tags'], tag));
}
