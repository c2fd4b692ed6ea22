import type { Route } from '../model/network/routes.ts';
import type { WireResource } from '../model/resources.ts';
import { objectPath } from './endpoints.ts';
import { refusal, unexpected } from './refusal.ts';
import { isRecord } from '../model/json.ts';
import { isWireResource } from './list-all.ts';
import type { Session } from './identity/session.ts';

/** Adds or removes routes and leaves others alone (extension extraroute-atomic). A route to remove must be spelled as it is there. */
export async function changeRoutes(
  session: Session,
  verb: 'add' | 'remove',
  router: string,
  routes: readonly Route[],
): Promise<WireResource> {
  const attempted = `${verb} ${routes.length} routes ${verb === 'add' ? 'to' : 'from'} router ${router}`;
  const answer = await session.send({
    service: 'network',
    method: 'PUT',
    path: `${objectPath('router', router)}/${verb}_extraroutes`,
    body: { router: { routes } },
    attempted,
  });
  if (answer.status !== 200) throw refusal(attempted, answer);
  const changed = isRecord(answer.body) ? answer.body['router'] : undefined;
  if (!isWireResource(changed)) throw unexpected(attempted, answer, 'router with an id');
  return changed;
}

export async function readNetworkExtensions(session: Session): Promise<ReadonlySet<string>> {
  const attempted = 'read the extensions of Neutron';
  const path = '/v2.0/extensions?fields=alias';
  const answer = await session.send({ service: 'network', method: 'GET', path, attempted });
  if (answer.status !== 200) throw refusal(attempted, answer);
  const listed = isRecord(answer.body) ? answer.body['extensions'] : undefined;
  if (!Array.isArray(listed)) throw unexpected(attempted, answer, 'list of extensions');
  return new Set(listed.filter(isRecord).flatMap(({ alias }) => (typeof alias === 'string' ? alias : [])));
}
