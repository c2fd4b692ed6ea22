import type { Query, ReadKind } from '../ports.ts';
import type { WireResource } from '../model/resources.ts';
import { ENDPOINTS, listPath, queryText } from './endpoints.ts';
import { refusal, unexpected } from './refusal.ts';
import { ListPages } from '../http.ts';
import { isTooLong, ReconcileError } from '../model/errors.ts';
import { isRecord, stringAt } from '../model/json.ts';
import type { Session, SessionRequest } from './identity/session.ts';
import type { HttpAnswer } from './openstack-http.ts';

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
