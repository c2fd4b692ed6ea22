import type { Answer } from '../../exchange.ts';
import { type Json, asJson, asList, asText, isJson } from '../../json.ts';
import { neutronError } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { createPort, deletePort } from './ports.ts';
import type { Port } from './objects.ts';
import { badRequest, checkNames, noSuchGroup, noSuchNetwork } from './refusals.ts';
import { defaultGroup } from './security-groups.ts';
import { isIP } from 'node:net';

const changeable = [
  ...['name', 'description', 'admin_state_up', 'device_id', 'device_owner', 'fixed_ips'],
  ...['security_groups', 'allowed_address_pairs', 'port_security_enabled', 'extra_dhcp_opts'],
];
const readOnly = ['id', 'network_id', 'status', 'tenant_id', 'project_id', 'revision_number', 'created_at'];

/** POST /v2.0/ports: a port on a network of the project, with the default security group unless others are named. */
export function postPort(world: CloudState, owner: string, body: Json): Answer {
  checkNames(body, [...changeable, 'network_id', 'mac_address', 'project_id', 'tenant_id']);
  const network = world.networks.byId(body['network_id']);
  if (network?.project_id !== owner) throw noSuchNetwork(body['network_id']);
  if ('allowed_address_pairs' in body)
    mayHavePairs(world, network.id, owner, 'create', body['allowed_address_pairs']);
  const wanted = asList(body['fixed_ips']).map(asJson);
  const first = world.subnets.of('network_id', network.id).find((one) => one.ip_version === 4);
  const subnets = wanted.map((ip) => ({
    id: asText(ip['subnet_id'] ?? first?.id),
    address: typeof ip['ip_address'] === 'string' ? ip['ip_address'] : undefined,
  }));
  const port = createPort(world, {
    name: asText(body['name']),
    deviceId: asText(body['device_id']),
    deviceOwner: asText(body['device_owner']),
    subnets: subnets.length > 0 ? subnets : first ? [{ id: first.id }] : [],
    up: body['admin_state_up'] !== false,
    projectId: owner,
    securityGroups: groupsOf(world, owner, body['security_groups']),
  });
  port['status'] = 'DOWN';
  port['allowed_address_pairs'] = readAddressPairs(
    body['allowed_address_pairs'] ?? null,
    port['mac_address'],
  );
  port.description = asText(body['description']);
  return { status: 201, body: { port } };
}

/** The security groups of a request, sorted as Neutron shows them; the default group if it has none. */
function groupsOf(world: CloudState, owner: string, given: unknown): string[] {
  if (given === undefined) return defaultGroup(world, owner);
  const ids = asList(given).map(asText);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    throw badRequest(`Invalid input for security_groups. Reason: Duplicate items in the list: '${twice}'.`);
  const missing = ids.find((id) => world.securityGroups.byId(id)?.project_id !== owner);
  if (missing !== undefined) throw noSuchGroup(missing);
  return ids.sort();
}

/**
 * PUT: the list of groups is the whole list. Any PUT raises the revision of an older Neutron, even one that changes nothing. Its answer
 * to an unchanged list still shows the old revision, and such a list may name groups that the caller does not see
 * (tried on the lab).
 */
export function putPort(world: CloudState, port: Port, body: Json): Answer {
  checkNames(body, changeable, readOnly);
  const newPairs = 'allowed_address_pairs' in body;
  if (newPairs)
    mayHavePairs(world, port.network_id, port.project_id, 'update', body['allowed_address_pairs']);
  const pairs = newPairs
    ? readAddressPairs(body['allowed_address_pairs'], port['mac_address'])
    : asList(port['allowed_address_pairs']);
  checkPairSecurity(port, body, pairs);
  const given = 'security_groups' in body;
  const wanted = asList(body['security_groups']).map(asText).sort();
  const same = given && String(wanted) === String([...port.security_groups].sort());
  const groups =
    given && !same ? groupsOf(world, port.project_id, body['security_groups']) : port.security_groups;
  checkPortSecurity(port, body, groups);
  const before = JSON.stringify(port);
  const shown = port.revision_number + (same ? 0 : 1);
  Object.assign(port, body, { security_groups: groups, allowed_address_pairs: pairs });
  const stays = world.octaviaTraits.says('PUT that changes nothing of a port') === 'revision stays';
  if (stays && JSON.stringify(port) === before) return { status: 200, body: { port: { ...port } } };
  world.touch(port);
  return { status: 200, body: { port: { ...port, revision_number: shown } } };
}

function checkPortSecurity(port: Port, body: Json, groups: readonly string[]): void {
  const on = body['port_security_enabled'] ?? port['port_security_enabled'];
  if (on === true || groups.length === 0) return;
  if (body['port_security_enabled'] === false) {
    const text =
      'Port has security group associated. Cannot disable port security or IP address until security group is removed.';
    throw neutronError(409, 'PortSecurityPortHasSecurityGroup', text);
  }
  const text =
    'Port security must be enabled and port must have an IP address in order to use security groups.';
  throw neutronError(400, 'PortSecurityAndIPRequiredForSecurityGroups', text);
}

/** DELETE: refused for a router's port, which goes with the router's interface. */
export function removePort(world: CloudState, port: Port): void {
  if (port.device_owner.startsWith('network:router')) {
    const why = `cannot be deleted directly via the port API: has device owner ${port.device_owner}.`;
    throw neutronError(409, 'ServicePortInUse', `Port ${port.id} ${why}`);
  }
  deletePort(world, port);
}

/** An IP address or network that a port may use besides its own; host bits are no fault (tried on the lab). */
export interface AddressPair {
  readonly mac_address: unknown;
  readonly ip_address: string;
}

/** The pairs of a POST or PUT as Neutron keeps them: each with a MAC, in the order of MAC and address; null is none. */
function readAddressPairs(given: unknown, mac: unknown): AddressPair[] {
  if (given === null) return [];
  if (!Array.isArray(given)) throw badRequest('Allowed address pairs must be a list.');
  const pairs = given.map((one: unknown) => (isJson(one) ? one : {}));
  for (const [index, pair] of pairs.entries()) {
    checkPair(pair);
    const same = (one: Json): boolean =>
      one['ip_address'] === pair['ip_address'] && one['mac_address'] === pair['mac_address'];
    if (pairs.findIndex(same) < index) {
      const shown = `mac_address ${asText(pair['mac_address']) || 'None'} ip_address ${asText(pair['ip_address'])}`;
      const text = `Request contains duplicate address pair: ${shown}.`;
      throw neutronError(400, 'DuplicateAddressPairInRequest', text);
    }
  }
  const kept = pairs.map((pair) => ({
    mac_address: pair['mac_address'] ?? mac,
    ip_address: asText(pair['ip_address']),
  }));
  return kept.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ mac_address, ip_address }: AddressPair): string => `${String(mac_address)} ${ip_address}`;

function checkPair(pair: Json): void {
  const ip = pair['ip_address'];
  if (ip === undefined)
    throw neutronError(400, 'AllowedAddressPairsMissingIP', 'AllowedAddressPair must contain ip_address');
  const other = Object.keys(pair).find((name) => !['ip_address', 'mac_address'].includes(name));
  if (other !== undefined) throw badRequest(`Unrecognized attribute(s) '${other}'`);
  const mac = pair['mac_address'];
  if (mac !== undefined && !/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(asText(mac)))
    throw badRequest(`'${asText(mac)}' is not a valid MAC address`);
  if (isIP(asText(ip).split('/')[0] ?? '') === 0)
    throw badRequest(`'${asText(ip)}' is not a valid IP address`);
}

/** Only the network's owner may let a port use other addresses; others get 403 at once (tried on the lab). */
function mayHavePairs(
  world: CloudState,
  network: string,
  owner: string,
  verb: 'create' | 'update',
  given: unknown,
): void {
  if (world.networks.byId(network)?.project_id === owner) return;
  const pairs = `rule:${verb}_port:allowed_address_pairs`;
  const empty = Array.isArray(given) && given.length === 0;
  const rule = empty ? pairs : `(${pairs} and (${pairs}:ip_address))`;
  throw neutronError(403, 'PolicyNotAuthorized', `(rule:${verb}_port and ${rule}) is disallowed by policy`);
}

/** Pairs are only for ports with port security. */
function checkPairSecurity(port: Port, body: Json, pairs: readonly unknown[]): void {
  if ((body['port_security_enabled'] ?? port['port_security_enabled']) === true || pairs.length === 0) return;
  const text = 'Port Security must be enabled in order to have allowed address pairs on a port.';
  throw neutronError(409, 'AddressPairAndPortSecurityRequired', text);
}
