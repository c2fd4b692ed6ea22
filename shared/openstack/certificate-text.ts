import { ENDPOINTS, objectPath } from './endpoints.ts';
import { refusal } from './errors.ts';
import type { Session } from './identity/session.ts';

/** Not ours to read, gone, or no text. */
const UNREADABLE: readonly number[] = [403, 404, 406];

/** The payload of a secret of Barbican as text; undefined where that cannot be had (Key Manager API, secret payload). */
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
