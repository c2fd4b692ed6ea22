import type { Query, ReadKind, Cloud } from '../ports.ts';
import type { WireResource } from '../model/resources.ts';
import { ENDPOINTS, listPath, queryText, collectionPath } from './endpoints.ts';
import { refusal, unexpected } from './refusal.ts';
import { ListPages } from '../http.ts';
import { isTooLong, ReconcileError } from '../model/errors.ts';
import { isRecord, stringAt } from '../model/json.ts';
import type { Session, SessionRequest } from './session.ts';
import type { HttpAnswer, Transport } from './openstack-http.ts';
import { hasTag } from '../model/ownership.ts';
import { inTime, isSettledWithin, patienceMs, valueWithin, type RunContext } from '../deadline.ts';

/** Objects to ask for at once. Each service reduces it to its own maximum. */
const PAGE_SIZE = 1_000;

/**
 * A whole list, page by page. Only the marker of the link to the next page is used (decision 31). Throws
 * UNEXPECTED_RESPONSE rather than return a part.
 */
export async function listAll(
  session: Session,
  kind: ReadKind,
  query: Query,
  parent: string | undefined,
): Promise<readonly WireResource[]> {
  const { service, plural, title, named, has: every = [] } = ENDPOINTS[kind];
  const { fields } = query;
  const has = fields ? every.filter((name) => [fields].flat().includes(name)) : every;
  const path = listPath(kind, parent);
  const attempted = parent === undefined ? `list ${title}s` : `list ${title}s of ${parent}`;
  const found: WireResource[] = [];
  const markers = new Set<string>();
  let page = query;
  const pages = new ListPages(PAGE_SIZE);
  const ask = (limit: number): Promise<HttpAnswer> =>
    sendVersioned(session, kind, {
      service,
      method: 'GET',
      attempted,
      path: path + queryText({ limit, ...page }),
    });
  for (;;) {
    const answer = await pages.ask(ask, isTooLong);
    if (answer.status !== 200) throw refusal(attempted, answer);
    const listed = isRecord(answer.body) ? answer.body[plural] : undefined;
    const items = named && Array.isArray(listed) ? listed.map(withNameAsId) : listed;
    if (
      !isRecord(answer.body) ||
      !Array.isArray(items) ||
      !items.every((item) => isWireResource(item, has))
    ) {
      throw unexpected(attempted, answer, `list of ${plural} with ${['ids', ...has].join(', ')}`);
    }
    const why = pages.whyTooMuch(items);
    if (why !== undefined) throw new ReconcileError('UNEXPECTED_RESPONSE', `${attempted}: ${why}`);
    for (const item of items) found.push(item);
    const next = nextLink(answer.body[`${plural}_links`]);
    if (next === undefined) return found;
    const marker = URL.parse(next, 'http://any')?.searchParams.get('marker') ?? '';
    if (marker === '' || markers.has(marker)) throw unexpected(attempted, answer, 'page that leads on');
    markers.add(marker);
    page = { ...page, marker };
  }
}

function withNameAsId(item: unknown): unknown {
  return isRecord(item) ? { ...item, id: item['name'] } : item;
}

export function isWireResource(value: unknown, has: readonly string[] = []): value is WireResource {
  if (!isRecord(value) || typeof value['id'] !== 'string') return false;
  return has.every((name) => value[name] !== undefined && value[name] !== null);
}

function nextLink(links: unknown): string | undefined {
  const list: readonly unknown[] = Array.isArray(links) ? links : [];
  return stringAt(
    list.find((link) => stringAt(link, 'rel') === 'next'),
    'href',
  );
}

const NOT_ACCEPTABLE = 406;

/** With the microversion of its endpoint, and once more without it after a 406 (Compute API guide, "Microversions"). */
export async function sendVersioned(
  session: Session,
  kind: ReadKind,
  request: SessionRequest,
): Promise<HttpAnswer> {
  const { microversion } = ENDPOINTS[kind];
  if (microversion === undefined) return session.send(request);
  const answer = await session.send({ ...request, headers: { 'openstack-api-version': microversion } });
  return answer.status === NOT_ACCEPTABLE ? session.send(request) : answer;
}

type List = Cloud['list'];
type Time = Pick<Transport, 'pause' | 'now'>;

/** Of each kind: the filters by which objects look for what is theirs, and the same filter for several of them. */
const BATCHED: Partial<Record<ReadKind, Readonly<Record<string, (values: readonly string[]) => Query>>>> = {
  loadbalancer: { 'tags-any': (values) => ({ 'tags-any': values.join(',') }) },
  listener: { 'tags-any': (values) => ({ 'tags-any': values.join(',') }) },
  floatingip: {
    tags: (values) => ({ 'tags-any': values.join(',') }),
    port_id: (values) => ({ port_id: values }),
    description: (values) => ({ description: values }),
  },
};

/** Objects in one list: some servers take no URL of more than 4 kB. */
const AT_ONCE = 8;
/** Less than this after the last list, the next one waits so long for others: runs that begin together ask some milliseconds apart. */
const BUSY_MS = 1_000;
const COMPANY_MS = 10;
/** A list that takes longer keeps nobody else waiting. */
const PATIENCE_MS = 1_000;

/**
 * Lists that several runs ask for at a time as one: while one is on its way the others wait, and go together in the
 * next (group commit). A run that is alone waits for nothing. Where a list of several fails, each asks for itself.
 */
export function batchLists(time: Time): (list: List, run: RunContext) => List {
  const batches = new Map<string, ListBatch>();
  return (list, run) =>
    (kind, query = {}, parent) => {
      const [first, ...others] = Object.entries(query);
      const together = first && others.length === 0 ? BATCHED[kind]?.[first[0]] : undefined;
      if (!first || !together || typeof first[1] !== 'string') return list(kind, query, parent);
      const [name, value] = first;
      const key = `${kind} ${name}`;
      const batch = batches.get(key) ?? new ListBatch(time);
      batches.set(key, batch);
      return batch.list({
        value,
        run,
        one: () => list(kind, { [name]: value }),
        several: (values) => list(kind, together(values)),
        has: (wire) => isAmong(wire, name, value),
      });
    };
}

interface Asked {
  readonly value: string;
  readonly run: RunContext;
  one(): Promise<readonly WireResource[]>;
  several(values: readonly string[]): Promise<readonly WireResource[]>;
  has(wire: WireResource): boolean;
}

interface Begun {
  /** Undefined: each is to ask for itself. */
  readonly list: Promise<readonly WireResource[] | undefined>;
  readonly isOfSeveral: boolean;
}

interface Waiting extends Asked {
  readonly begin: (begun: Begun) => void;
}

class ListBatch {
  readonly #time: Time;
  #waiting: Waiting[] = [];
  #isOnItsWay = false;
  #sentMs = -Infinity;

  constructor(time: Time) {
    this.#time = time;
  }

  async list(asked: Asked): Promise<readonly WireResource[]> {
    const leftMs = (): number => asked.run.remainingMs();
    const begun = new Promise<Begun>((begin) => this.#waiting.push({ ...asked, begin }));
    this.#next();
    const { list, isOfSeveral } = await inTime(begun, 'wait for a list', leftMs());
    const found = isOfSeveral
      ? await valueWithin(patienceMs(leftMs()), list)
      : await inTime(list, 'wait for a list', leftMs());
    return found?.filter((wire) => asked.has(wire)) ?? asked.one();
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
    const asked = this.#waiting.slice(0, AT_ONCE);
    const [first] = asked;
    if (!first) return;
    this.#waiting = this.#waiting.slice(AT_ONCE);
    this.#sentMs = this.#time.now();
    const [value = '', ...others] = new Set(asked.map((one) => one.value));
    const isOfSeveral = asked.length > 1;
    const list = isOfSeveral ? first.several([value, ...others]).catch(() => undefined) : first.one();
    for (const { begin } of asked) begin({ list, isOfSeveral });
    this.#goOnAfter(list).catch(() => undefined);
  }

  async #goOnAfter(list: Promise<unknown>): Promise<void> {
    await isSettledWithin(list, PATIENCE_MS);
    this.#isOnItsWay = false;
    this.#next();
  }
}

/** What Octavia and Neutron find by one value of these filters. */
function isAmong(wire: WireResource, name: string, value: string): boolean {
  if (name !== 'tags' && name !== 'tags-any') return wire[name] === value;
  return value.split(',').some((tag) => hasTag(wire['tags'], tag));
}

/** Barbican's default maximum of a page (`max_limit_paging`). */
const BARBICAN_PAGE = 100;

/** A whole list of Barbican, which has pages by offset and says the total. Throws rather than return a part. */
export async function listByOffset(
  session: Session,
  kind: ReadKind,
  reference: 'secret_ref' | 'container_ref',
  query: Query,
): Promise<readonly WireResource[]> {
  const { service, plural, title } = ENDPOINTS[kind];
  const attempted = `list ${title}s`;
  const found: WireResource[] = [];
  for (;;) {
    const page = queryText({ limit: BARBICAN_PAGE, offset: found.length, ...query });
    const path = collectionPath(kind) + page;
    const answer = await session.send({ service, method: 'GET', path, attempted });
    if (answer.status !== 200) throw refusal(attempted, answer);
    const items = isRecord(answer.body) ? answer.body[plural] : undefined;
    const total = isRecord(answer.body) ? answer.body['total'] : undefined;
    const withIds = Array.isArray(items) ? items.map((item) => withIdOf(reference, item)) : [undefined];
    if (!withIds.every((one) => isWireResource(one)))
      throw unexpected(attempted, answer, `list of ${plural} with references`);
    found.push(...withIds);
    if (found.length >= Number(total)) return found;
    if (withIds.length === 0) throw unexpected(attempted, answer, 'page that leads on');
  }
}

/** An object of Barbican, with the id that its URL ends in. Nothing else of the URL is used (decision 31). */
export function withIdOf(reference: 'secret_ref' | 'container_ref', object: unknown): unknown {
  const id = stringAt(object, reference)?.split('/').at(-1);
  return isRecord(object) && id !== undefined && id !== '' ? { ...object, id } : undefined;
}
