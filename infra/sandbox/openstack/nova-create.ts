import type { Answer } from '../exchange.ts';
import { asJson, asList, asText, isJson, type Json } from '../json.ts';
import type { CloudState } from './cloud-state.ts';
import type { Server } from './nova-objects.ts';
import { novaFault } from './nova-refusal.ts';
import { bareServer, plugNetwork, plugPort } from './nova-servers.ts';

/** POST /servers: name, flavorRef, networks by uuid or port, metadata, access addresses, zone. 202 with the id. */
export function createServer(world: CloudState, owner: string, body: unknown, base: string): Answer {
  if (!isJson(asJson(body)['server'])) throw novaFault(400, "'server' is a required property");
  const wish = asJson(asJson(body)['server']);
  const missing = ['name', 'flavorRef'].find((name) => wish[name] === undefined);
  if (missing !== undefined)
    throw novaFault(400, `Invalid input for field/attribute server. '${missing}' is a required property`);
  const flavor = world.novaFlavors.find((one) => one.id === wish['flavorRef']);
  if (!flavor) throw novaFault(400, `Flavor ${asText(wish['flavorRef'])} could not be found.`);
  const plugs = asList(wish['networks']).map((one) => plugOf(world, owner, asJson(one)));
  const server = bareServer(world, owner, asText(wish['name']), {
    flavor,
    zone: asText(wish['availability_zone']) || 'az1',
    metadata: asJson(wish['metadata']) as Record<string, string>,
    accessIPv4: asText(wish['accessIPv4']),
    accessIPv6: asText(wish['accessIPv6']),
  });
  for (const plug of plugs) plug(server);
  const path = `servers/${server.id}`;
  const links = [
    { rel: 'self', href: `${base}/v2.1/${path}` },
    { rel: 'bookmark', href: `${base}/${path}` },
  ];
  const made = {
    id: server.id,
    links,
    'OS-DCF:diskConfig': 'MANUAL',
    security_groups: [{ name: 'default' }],
  };
  return { status: 202, headers: { location: `${base}/v2.1/${path}` }, body: { server: made } };
}

function plugOf(world: CloudState, owner: string, wish: Json): (server: Server) => void {
  if (typeof wish['port'] === 'string') {
    const id = wish['port'];
    const port = world.ports.find((one) => one.id === id && one.project_id === owner);
    if (!port) throw novaFault(400, `Port id ${id} could not be found.`);
    if (port.device_id !== '') throw novaFault(409, `Port ${id} is still in use.`);
    return (server) => {
      plugPort(world, server, port);
    };
  }
  const id = asText(wish['uuid']);
  const network = world.networks.find((one) => one.id === id && one.project_id === owner);
  if (!network) throw novaFault(400, `Network ${id} could not be found.`);
  return (server) => {
    plugNetwork(world, server, network);
  };
}

/** PUT /servers/ID: the name and the access addresses. */
export function changeServer(world: CloudState, server: Server, body: unknown): void {
  const wish = asJson(asJson(body)['server']);
  for (const key of ['name', 'accessIPv4', 'accessIPv6'] as const)
    if (typeof wish[key] === 'string') server[key] = wish[key];
  server.updated = world.clock.seconds();
}
