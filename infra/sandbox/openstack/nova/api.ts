import type { Answer, Call } from '../../exchange.ts';
import { asJson } from '../../json.ts';
import { Refusal } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { actOn, changeServer, createServer } from './requests.ts';
import { serverPage, wantedServers } from './lists.ts';
import { askedMicroversion, versionHeaders } from './microversion.ts';
import type { Server } from './objects.ts';
import { noSuchPath, noSuchServer, novaFault } from './refusal.ts';
import { removeServer } from './servers.ts';
import { briefView, flavorView, serverView } from './views.ts';

/** Nova 26 (Zed) as far as a cloud controller and who makes servers for it need it. */
export function novaAnswer(
  world: CloudState,
  call: Call,
  path: string,
  projectId: string,
  base: string,
): Answer {
  const { newest } = world.nova;
  const root = { id: 'v2.1', status: 'CURRENT', version: `2.${newest}`, min_version: '2.1' };
  if (/^\/?$/.test(path)) return { status: 200, body: { versions: [root] } };
  // the version before 2.1 is served in its words, and knows no microversions
  const minor = path.startsWith('/v2/') ? 1 : askedMicroversion(call, newest);
  const headers = versionHeaders(`2.${minor}`);
  if (/^\/v2\.1\/?$/.test(path)) return { status: 200, headers, body: { version: root } };
  try {
    const [, rest = path] = /^\/v2(?:\.1)?(\/.*)$/.exec(path) ?? [];
    const ofProject = rest.startsWith(`/${projectId}/`) ? rest.slice(projectId.length + 1) : rest;
    const answer = perform({ world, call, projectId, base, minor }, `/v2.1${ofProject}`);
    return { ...answer, headers: { ...headers, ...answer.headers } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.answer.status, error.answer.body, headers);
  }
}

interface Request {
  readonly world: CloudState;
  readonly call: Call;
  readonly projectId: string;
  readonly base: string;
  readonly minor: number;
}

function perform(request: Request, path: string): Answer {
  const { world, call, projectId, base, minor } = request;
  const [, version, kind = '', id, sub, more] = path.split('/');
  if (version !== 'v2.1' || id === '' || sub === '' || more !== undefined) throw noSuchPath();
  if (kind === 'servers') return servers(request, id, sub);
  if (call.method !== 'GET' || sub !== undefined) throw noSuchPath();
  if (kind === 'flavors' && (id === undefined || id === 'detail')) {
    const views = world.novaFlavors.map((one) =>
      id === undefined ? briefView('flavors', one, base) : flavorView(one, minor, base),
    );
    return { status: 200, body: { flavors: views } };
  }
  if (kind === 'flavors') {
    const flavor = world.novaFlavors.find((one) => one.id === id);
    if (!flavor) throw novaFault(404, `Flavor ${id ?? ''} could not be found.`);
    return { status: 200, body: { flavor: flavorView(flavor, minor, base) } };
  }
  if (kind === 'images' && id === 'detail' && minor < 36)
    return { status: 200, body: { images: [{ id: projectId, name: 'cirros', status: 'ACTIVE' }] } };
  throw noSuchPath();
}

function servers({ world, call, projectId, base, minor }: Request, id?: string, sub?: string): Answer {
  const { method, query } = call;
  const view = (server: Server) => serverView(world, server, minor, base);
  if (method === 'POST' && id === undefined) return createServer(world, projectId, call.body, base);
  if (method === 'GET' && sub === undefined && (id === undefined || id === 'detail')) {
    const addresses = (server: Server): string[] =>
      world.ports.of('device_id', server.id).flatMap((port) => port.fixed_ips.map((ip) => ip.ip_address));
    const self = `${base}/v2.1/servers${id === undefined ? '' : '/detail'}`;
    const { items, links } = serverPage(
      wantedServers(world.servers.of('tenant_id', projectId), query, minor, addresses),
      query,
      self,
    );
    const shown = items.map(id === undefined ? (one) => briefView('servers', one, base) : view);
    return { status: 200, body: { servers: shown, ...(links && { servers_links: links }) } };
  }
  if (id === undefined || !isServed(method, sub)) throw noSuchPath();
  const server = world.servers.byId(id);
  if (server?.tenant_id !== projectId) throw noSuchServer(id);
  if (sub === 'action') return actOn(world, server, call.body);
  if (sub === 'metadata') {
    Object.assign(server.metadata, asJson(asJson(call.body)['metadata']));
    return { status: 200, body: { metadata: server.metadata } };
  }
  if (method === 'DELETE') {
    removeServer(world, server);
    return { status: 204 };
  }
  if (method === 'PUT') changeServer(world, server, call.body);
  return { status: 200, body: { server: view(server) } };
}

const isServed = (method: string, sub: string | undefined): boolean =>
  sub === undefined
    ? ['GET', 'PUT', 'DELETE'].includes(method)
    : method === 'POST' && ['action', 'metadata'].includes(sub);
