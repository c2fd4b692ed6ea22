import { inTime, type RunContext } from '../deadline.ts';
import { once } from '../memory/answers.ts';
import type { StatusTree } from '../model/load-balancer/octavia.ts';
import { ReconcileError } from '../model/errors.ts';
import type { Attributes, WireResource } from '../model/resources.ts';
import type { Cloud, ReadKind } from '../ports.ts';
import { collectionPath, ENDPOINTS, objectPath, queryText } from './endpoints.ts';
import { readFault, refusal, unexpected, saysAbsent } from './refusal.ts';
import { batchLists, isWireResource, listAll, sendVersioned, listByOffset, withIdOf } from './lists.ts';
import type { HttpAnswer, HttpRequest, Transport } from './openstack-http.ts';
import { isRecord } from '../model/json.ts';
import { octaviaVersionOf, readQuota } from './octavia-limits.ts';
import type { Session } from './session.ts';
import type { Route } from '../model/network/routes.ts';

/** 403: for administrators alone, as Octavia's default policy has it. 401: no access rule of the credential. 501: the provider cannot. 404: an old Octavia. */
const FAILOVER_REFUSED = [401, 403, 404, 501];

/** What all runs of a process read together. It belongs to none of them. */
interface SharedReads {
  readonly networkExtensions: (run: RunContext) => ReturnType<Cloud['networkExtensions']>;
  readonly octaviaVersion: (run: RunContext) => ReturnType<Cloud['octaviaVersion']>;
  readonly batched: ReturnType<typeof batchLists>;
}

/** The Cloud port over HTTP, by the table of endpoints. Throws ReconcileError (refusal.ts). */
export function createCloud(session: Session, time: Pick<Transport, 'pause' | 'now'>): Cloud {
  return cloudDuring(session, {
    batched: batchLists(time),
    networkExtensions: once(() => readNetworkExtensions(session)),
    octaviaVersion: octaviaVersionOf(session, time),
  });
}

function cloudDuring(session: Session, shared: SharedReads): Cloud {
  const { run } = session;
  return {
    during: (part) => cloudDuring(session.during(part), shared),

    list: shared.batched((kind, query = {}, parent) => {
      const { reference } = ENDPOINTS[kind];
      return reference
        ? listByOffset(session, kind, reference, query)
        : listAll(session, kind, query, parent);
    }, run),

    async get(kind, id) {
      const attempted = attempt('read', kind, id);
      const answer = await send(session, kind, 'GET', objectPath(kind, id), attempted);
      if (saysAbsent(answer.status, answer.body) && !saysNothingOfPort(kind, answer.body)) return undefined;
      return readOne(kind, answer, attempted, ENDPOINTS[kind].has);
    },

    async create(kind, attributes, parent) {
      const attempted = `create ${nameOf(kind, attributes)}`;
      const path = collectionPath(kind, parent);
      return readOne(
        kind,
        await send(session, kind, 'POST', path, attempted, envelope(kind, attributes)),
        attempted,
      );
    },

    async update(kind, id, attributes, parent) {
      const path = objectPath(kind, id, parent);
      const attempted = attempt('update', kind, id);
      const { tags, ...rest } = attributes;
      const apart = ENDPOINTS[kind].tagsApart === true && tags !== undefined;
      const own = apart ? rest : attributes;
      if (Object.keys(own).length > 0) {
        expectSuccess(await send(session, kind, 'PUT', path, attempted, envelope(kind, own)), attempted);
      }
      if (apart)
        expectSuccess(await send(session, kind, 'PUT', `${path}/tags`, attempted, { tags }), attempted);
    },

    async remove(kind, id, options = {}) {
      const attempted = attempt('delete', kind, id);
      const query = queryText(options.cascade === true ? { cascade: 'true' } : {});
      const path = objectPath(kind, id, options.parent) + query;
      const answer = await send(session, kind, 'DELETE', path, attempted);
      if (!saysAbsent(answer.status, answer.body)) expectSuccess(answer, attempted);
    },

    async failover(loadBalancer) {
      const attempted = attempt('fail over', 'loadbalancer', loadBalancer);
      const path = `${objectPath('loadbalancer', loadBalancer)}/failover`;
      const answer = await send(session, 'loadbalancer', 'PUT', path, attempted);
      if (FAILOVER_REFUSED.includes(answer.status)) {
        const { message, context } = refusal(attempted, answer);
        throw new ReconcileError('FAILOVER_REFUSED', message, context);
      }
      expectSuccess(answer, attempted);
    },

    async putMembers(pool, members, additive) {
      const attempted = attempt('set the members of', 'pool', pool);
      const path = collectionPath('member', pool) + queryText(additive ? { additive_only: 'true' } : {});
      expectSuccess(await send(session, 'member', 'PUT', path, attempted, { members }), attempted);
    },

    async updateAt(kind, id, attributes, revision) {
      const attempted = attempt('update', kind, id);
      const answer = await session.send({
        service: ENDPOINTS[kind].service,
        method: 'PUT',
        path: objectPath(kind, id),
        headers: { 'if-match': `revision_number=${revision}` },
        body: envelope(kind, attributes),
        attempted,
      });
      return readOne(kind, answer, attempted);
    },

    addRoutes: (router, routes) => changeRoutes(session, 'add', router, routes),

    removeRoutes: (router, routes) => changeRoutes(session, 'remove', router, routes),

    networkExtensions: () =>
      inTime(shared.networkExtensions(run), 'read the extensions of Neutron', run.remainingMs()),

    async statuses(id) {
      const attempted = attempt('read the status of', 'loadbalancer', id);
      const answer = await send(
        session,
        'loadbalancer',
        'GET',
        `${objectPath('loadbalancer', id)}/status`,
        attempted,
      );
      if (saysAbsent(answer.status, answer.body)) return undefined;
      expectSuccess(answer, attempted);
      const tree = isRecord(answer.body) && isRecord(answer.body['statuses']) ? answer.body['statuses'] : {};
      if (!isWireResource(tree['loadbalancer'])) throw unexpected(attempted, answer, 'statuses.loadbalancer');
      return tree['loadbalancer'] as unknown as StatusTree;
    },

    certificateText: (id) => readCertificateText(session, id),

    quota: () => readQuota(session),

    projectId: () => session.projectId(),

    region: () => session.region(),

    octaviaVersion: () =>
      inTime(shared.octaviaVersion(run), 'read the version of Octavia', run.remainingMs()),
  };
}

async function send(
  session: Session,
  kind: ReadKind,
  method: HttpRequest['method'],
  path: string,
  attempted: string,
  body?: unknown,
): Promise<HttpAnswer> {
  const { service } = ENDPOINTS[kind];
  const request = { service, method, path, attempted, ...(body === undefined ? {} : { body }) };
  return sendVersioned(session, kind, request);
}

/** Whether a 404 says nothing of the port: Neutron answers so to a path that it does not serve. PortNotFound is about the port. */
function saysNothingOfPort(kind: ReadKind, body: unknown): boolean {
  return kind === 'port' && readFault(body)?.type === 'HTTPNotFound';
}

function expectSuccess(answer: HttpAnswer, attempted: string): void {
  if (answer.status < 200 || answer.status > 299) throw refusal(attempted, answer);
}

function readOne(
  kind: ReadKind,
  answer: HttpAnswer,
  attempted: string,
  has: readonly string[] = [],
): WireResource {
  expectSuccess(answer, attempted);
  const { singular, reference } = ENDPOINTS[kind];
  const inside = isRecord(answer.body) ? answer.body[singular] : undefined;
  const object = reference === undefined ? inside : withIdOf(reference, answer.body);
  if (!isWireResource(object, has))
    throw unexpected(attempted, answer, `${singular} with ${['an id', ...has].join(', ')}`);
  return object;
}

function envelope(kind: ReadKind, attributes: Attributes): unknown {
  return ENDPOINTS[kind].reference ? attributes : { [ENDPOINTS[kind].singular]: attributes };
}

function attempt(verb: string, kind: ReadKind, id: string): string {
  return `${verb} ${ENDPOINTS[kind].title} ${id}`;
}

function nameOf(kind: ReadKind, attributes: Attributes): string {
  const { name } = attributes;
  return typeof name === 'string' ? `${ENDPOINTS[kind].title} ${name}` : `a ${ENDPOINTS[kind].title}`;
}

/** Adds or removes routes and leaves others alone (extension extraroute-atomic). A route to remove must be spelled as it is there. */
async function changeRoutes(
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

async function readNetworkExtensions(session: Session): Promise<ReadonlySet<string>> {
  const attempted = 'read the extensions of Neutron';
  const path = '/v2.0/extensions?fields=alias';
  const answer = await session.send({ service: 'network', method: 'GET', path, attempted });
  if (answer.status !== 200) throw refusal(attempted, answer);
  const listed = isRecord(answer.body) ? answer.body['extensions'] : undefined;
  if (!Array.isArray(listed)) throw unexpected(attempted, answer, 'list of extensions');
  return new Set(listed.filter(isRecord).flatMap(({ alias }) => (typeof alias === 'string' ? alias : [])));
}

const UNREADABLE: readonly number[] = [403, 404, 406];

/** The payload of a secret as text; undefined if it cannot be read (Key Manager API, "Secrets", payload). */
async function readCertificateText(session: Session, id: string): Promise<string | undefined> {
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
