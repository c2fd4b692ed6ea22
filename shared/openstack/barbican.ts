import type { Query, ReadKind } from '../ports.ts';
import type { WireResource } from '../model/resources.ts';
import { collectionPath, ENDPOINTS, queryText, objectPath } from './endpoints.ts';
import { refusal, unexpected } from './refusal.ts';
import { isRecord, stringAt } from '../model/json.ts';
import { isWireResource } from './list-all.ts';
import type { Session } from './identity/session.ts';

/** Barbican's default maximum of a page (`max_limit_paging`). */
const PAGE_SIZE = 100;

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
    const page = queryText({ limit: PAGE_SIZE, offset: found.length, ...query });
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

const UNREADABLE: readonly number[] = [403, 404, 406];

/** The payload of a secret as text; undefined if it cannot be read (Key Manager API, "Secrets", payload). */
export async function readCertificateText(session: Session, id: string): Promise<string | undefined> {
  const attempted = `read the certificate in secret ${id}`;
  const answer = await session.send({
    service: ENDPOINTS.secret.service,
    method: 'GET',
    path: `${objectPath('secret', id)}/payload`,
    headers: { accept: 'text/plain' },
    attempted,
  });
  if (UNREADABLE.includes(answer.status)) return undefined;
  if (answer.status !== 200) throw refusal(attempted, answer);
  return answer.text;
}
