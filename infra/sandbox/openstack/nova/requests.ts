import type { Answer } from '../../exchange.ts';
import { type Json, asJson, asList, asText, isJson } from '../../json.ts';
import type { CloudState } from '../cloud-state.ts';
import { type Server, novaStates } from './objects.ts';
import { novaFault } from './refusal.ts';
import { bareServer, plugNetwork, plugPort } from './servers.ts';
import { linksOf } from './views.ts';
import { seesNetwork } from '../neutron/networks.ts';

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
  const made = {
    id: server.id,
    links: linksOf(base, path),
    'OS-DCF:diskConfig': 'MANUAL',
    security_groups: [{ name: 'default' }],
  };
  return { status: 202, headers: { location: `${base}/v2.1/${path}` }, body: { server: made } };
}

function plugOf(world: CloudState, owner: string, wish: Json): (server: Server) => void {
  if (typeof wish['port'] === 'string') {
    const id = wish['port'];
    const port = world.ports.byId(id);
    if (port?.project_id !== owner) throw novaFault(400, `Port id ${id} could not be found.`);
    if (port.device_id !== '') throw novaFault(409, `Port ${id} is still in use.`);
    return (server) => {
      plugPort(world, server, port);
    };
  }
  const id = asText(wish['uuid']);
  const network = world.networks.byId(id);
  if (!network || network['router:external'] || !seesNetwork(owner, network))
    throw novaFault(400, `Network ${id} could not be found.`);
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

interface Action {
  readonly verb: string;
  readonly from: readonly string[];
  readonly to: string;
}

const running = ['ACTIVE', 'PAUSED', 'SHUTOFF', 'SUSPENDED'];
const actions: Readonly<Record<string, Action>> = {
  'os-start': { verb: 'start', from: ['SHUTOFF'], to: 'ACTIVE' },
  'os-stop': { verb: 'stop', from: ['ACTIVE', 'ERROR'], to: 'SHUTOFF' },
  pause: { verb: 'pause', from: ['ACTIVE'], to: 'PAUSED' },
  unpause: { verb: 'unpause', from: ['PAUSED'], to: 'ACTIVE' },
  suspend: { verb: 'suspend', from: ['ACTIVE'], to: 'SUSPENDED' },
  resume: { verb: 'resume', from: ['SUSPENDED'], to: 'ACTIVE' },
  shelve: { verb: 'shelve', from: running, to: 'SHELVED_OFFLOADED' },
  unshelve: { verb: 'unshelve', from: ['SHELVED', 'SHELVED_OFFLOADED'], to: 'ACTIVE' },
};

/** POST /servers/ID/action: the new status is there at once; a real Nova takes a second. */
export function actOn(world: CloudState, server: Server, body: unknown): Answer {
  const name = isJson(body) ? (Object.keys(body)[0] ?? '') : '';
  const action = actions[name];
  if (!action) throw novaFault(400, `There is no such action: ${name}`);
  if (!action.from.includes(server.status)) {
    const state = novaStates[server.status]?.vm_state ?? server.status.toLowerCase();
    throw novaFault(409, `Cannot '${action.verb}' instance ${server.id} while it is in vm_state ${state}`);
  }
  server.status = action.to;
  server.updated = world.clock.seconds();
  return { status: 202 };
}
