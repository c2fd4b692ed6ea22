import type { ReadKind } from '../ports.ts';
import { ENDPOINTS } from './endpoints.ts';
import type { HttpAnswer } from './http.ts';
import type { Session, SessionRequest } from './identity/session.ts';

const NOT_ACCEPTABLE = 406;

/** In the version of the API that its endpoint asks for; in the oldest one where the service has not got that (Nova, "Microversions"). */
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
