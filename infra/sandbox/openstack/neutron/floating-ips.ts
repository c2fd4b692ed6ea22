import type { Answer } from '../../exchange.ts';
import { asText, type Json } from '../../json.ts';
import { neutronError } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import type { FloatingIp, Port } from './objects.ts';
import { checkQuota } from './quotas.ts';
import { badRequest, checkNames, noFreeAddress, noSuchNetwork, noSuchPort } from './refusals.ts';

const creatable = [
  'floating_network_id',
  'subnet_id',
  'port_id',
  'fixed_ip_address',
  'description',
  'project_id',
  'tenant_id',
];

/** POST /v2.0/floatingips as a plain project user may do it: no tags, no address of one's own choice. */
export function createFloatingIp(world: CloudState, owner: string, body: Json): Answer {
  if ('tags' in body) throw badRequest("Attribute 'tags' not allowed in POST");
  if ('floating_ip_address' in body) {
    const rule =
      '(rule:create_floatingip and rule:create_floatingip:floating_ip_address) is disallowed by policy';
    throw neutronError(403, 'PolicyNotAuthorized', rule);
  }
  checkNames(body, creatable);
  if (body['floating_network_id'] === undefined)
    throw badRequest("Failed to parse request. Required attribute 'floating_network_id' not specified");
  const port = typeof body['port_id'] === 'string' ? portOf(world, owner, body['port_id']) : undefined;
  const ip = makeFloatingIp(world, owner, asText(body['floating_network_id']), body['subnet_id']);
  ip.description = asText(body['description']);
  if (port) attach(world, ip, port, body['fixed_ip_address']);
  world.floatingips.push(ip);
  return { status: 201, body: { floatingip: ip } };
}

/** A free floating IP of an external network, not yet in the world's list. */
export function makeFloatingIp(
  world: CloudState,
  owner: string,
  networkId: string,
  subnetId: unknown,
  address?: string,
): FloatingIp {
  const network = world.networks.byId(networkId);
  if (!network) throw noSuchNetwork(networkId);
  if (!network['router:external']) throw bad(`Network ${networkId} is not a valid external network.`);
  checkQuota(world, 'floatingip', world.floatingips, owner);
  const subnets = world.subnets.of('network_id', networkId);
  const subnet = subnets.find((one) =>
    typeof subnetId === 'string' ? one.id === subnetId : one.ip_version === 4,
  );
  const chosen = address ?? (subnet ? world.addresses.free(subnet) : undefined);
  if (chosen === undefined) throw noFreeAddress(networkId);
  const at = world.clock.seconds();
  return {
    id: world.newId(),
    tenant_id: owner,
    project_id: owner,
    floating_ip_address: chosen,
    floating_network_id: networkId,
    router_id: null,
    port_id: null,
    fixed_ip_address: null,
    status: 'DOWN',
    description: '',
    port_details: null,
    tags: [],
    created_at: at,
    updated_at: at,
    revision_number: 0,
  };
}

/** PUT: `port_id` attaches, null detaches. Everything but port, its address and description is read-only. */
export function updateFloatingIp(world: CloudState, ip: FloatingIp, body: Json): Answer {
  checkNames(body, ['port_id', 'fixed_ip_address', 'description'], Object.keys(ip));
  const { port_id: id, fixed_ip_address: address } = body;
  if (typeof id === 'string') attach(world, ip, portOf(world, ip.project_id, id), address);
  else if (typeof address === 'string') throw bad('fixed_ip_address cannot be specified without a port_id.');
  if (body['port_id'] === null) detach(ip);
  if (typeof body['description'] === 'string') ip.description = body['description'];
  world.touch(ip);
  return { status: 200, body: { floatingip: ip } };
}

export function deleteFloatingIp(world: CloudState, ip: FloatingIp): void {
  world.floatingips.remove(ip);
}

function portOf(world: CloudState, owner: string, id: string): Port {
  const port = world.ports.byId(id);
  if (port?.project_id !== owner) throw noSuchPort(id);
  return port;
}

const bad = (what: string): Error => neutronError(400, 'BadRequest', `Bad floatingip request: ${what}`);

/** Attaches a floating IP to a port. A port with several IPv4 addresses needs one that is named (tried on the lab). */
function attach(world: CloudState, ip: FloatingIp, port: Port, address: unknown): void {
  const four = port.fixed_ips.map((one) => one.ip_address).filter((one) => !one.includes(':'));
  if (four.length > 1 && typeof address !== 'string') {
    const how = 'Must provide a specific IPv4 address when assigning a floating IP.';
    throw bad(`Port ${port.id} has multiple fixed IPv4 addresses.  ${how}`);
  }
  if (typeof address === 'string' && !four.includes(address)) {
    const six = `Cannot process floating IP association with ${address}, since that is not an IPv4 address`;
    throw bad(address.includes(':') ? six : `Port ${port.id} does not have fixed ip ${address}`);
  }
  const fixed = typeof address === 'string' ? address : (four[0] ?? null);
  const other = world.floatingips.of('port_id', port.id).find((one) => one.id !== ip.id);
  if (other) {
    const what = `Cannot associate floating IP ${ip.floating_ip_address} (${ip.id}) with port ${port.id} using fixed IP ${String(fixed)}`;
    const text = `${what}, as that fixed IP already has a floating IP on external network ${ip.floating_network_id}.`;
    throw neutronError(409, 'FloatingIPPortAlreadyAssociated', text);
  }
  const { name, network_id, device_id, device_owner } = port;
  const details = {
    name,
    network_id,
    mac_address: port['mac_address'],
    admin_state_up: port['admin_state_up'],
  };
  ip['port_details'] = { ...details, status: port['status'], device_id, device_owner };
  Object.assign(ip, {
    port_id: port.id,
    fixed_ip_address: fixed,
    router_id: world.routerId,
    status: 'ACTIVE',
  });
}

export function detach(ip: FloatingIp): void {
  Object.assign(ip, {
    port_id: null,
    fixed_ip_address: null,
    router_id: null,
    port_details: null,
    status: 'DOWN',
  });
}
