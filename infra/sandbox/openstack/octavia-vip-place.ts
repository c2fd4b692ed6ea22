import { asJson, asList, asText, type Json } from '../json.ts';
import { octaviaFault } from '../refusal.ts';
import type { CloudState } from './cloud-state.ts';
import type { FixedIp, Subnet } from './neutron-objects.ts';
import { invalid } from './octavia-listener-rules.ts';

/** Where the VIP is to be is settled before flavor, provider and quota are looked at; fills in the subnet. */
export function checkVip(world: CloudState, owner: string, body: Json): void {
  const { vip_port_id: portId, vip_network_id: networkId, vip_subnet_id: subnetId } = body;
  if (typeof portId === 'string') fillFromPort(world, owner, portId, body);
  else if (typeof networkId === 'string') fillFromNetwork(world, owner, networkId, body);
  else if (typeof subnetId === 'string') findSubnet(world, owner, subnetId);
  else throw invalid('VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.');
  if (typeof body['vip_qos_policy_id'] === 'string')
    throw invalid('VIP QoS policy is not allowed in this deployment.');
  checkAdditional(world, body);
}

function fillFromPort(world: CloudState, owner: string, portId: string, body: Json): void {
  const port = world.ports.find((one) => one.id === portId && one.project_id === owner);
  if (!port) throw octaviaFault(400, `Port ${portId} not found.`);
  if (port.device_id !== '') throw invalid(`Port ${portId} is already used by device ${port.device_id} `);
  const { vip_subnet_id: subnetId, vip_address: address } = body;
  let chosen: FixedIp | undefined;
  if (typeof subnetId === 'string') {
    findSubnet(world, owner, subnetId);
    chosen = port.fixed_ips.find((ip) => ip.subnet_id === subnetId);
    if (!chosen) throw invalid('No VIP address found on the specified VIP port within the specified subnet.');
  } else if (typeof address === 'string') {
    chosen = port.fixed_ips.find((ip) => ip.ip_address === address);
    if (!chosen) throw invalid('Specified VIP address not found on the specified VIP port.');
  } else if (port.fixed_ips.length === 1) chosen = port.fixed_ips[0];
  if (!chosen)
    throw invalid(
      "VIP port's subnet could not be determined. Please specify either a VIP subnet or address.",
    );
  Object.assign(body, { vip_subnet_id: chosen.subnet_id, vip_address: chosen.ip_address });
}

/** The subnet that holds the address that was asked for, or the network's IPv4 subnet. */
function fillFromNetwork(world: CloudState, owner: string, networkId: string, body: Json): void {
  const seen = world.networks.some(
    (one) => one.id === networkId && (one.project_id === owner || one['router:external']),
  );
  if (!seen) throw octaviaFault(400, `Network ${networkId} not found.`);
  const subnets = world.subnets.filter((one) => one.network_id === networkId);
  const { vip_subnet_id: subnetId, vip_address: address } = body;
  if (typeof subnetId === 'string') {
    if (!subnets.some((one) => one.id === subnetId)) throw octaviaFault(400, `Subnet ${subnetId} not found.`);
    return;
  }
  const inside = (one: Subnet): boolean =>
    asText(address).includes(':') === (one.ip_version === 6) &&
    world.addresses.isInside(one, asText(address));
  const found =
    typeof address === 'string' ? subnets.find(inside) : subnets.find((one) => one.ip_version === 4);
  const missing = typeof address === 'string' ? ' for VIP address specified.' : '.';
  if (!found) throw invalid(`Supplied network does not contain a subnet${missing}`);
  body['vip_subnet_id'] = found.id;
}

/** One address per subnet, all subnets of one network; a subnet that is not there is a 500 (tried on the lab). */
function checkAdditional(world: CloudState, body: Json): void {
  const ids = [
    body['vip_subnet_id'],
    ...asList(body['additional_vips']).map((one) => asJson(one)['subnet_id']),
  ];
  if (new Set(ids).size < ids.length)
    throw invalid('Duplicate VIP subnet(s) specified. Only one IP can be bound per subnet.');
  const networks = ids.map((id) => {
    const found = world.subnets.find((one) => one.id === id);
    if (!found) throw octaviaFault(500, `subnet not found (subnet id: ${asText(id)}).`);
    return found.network_id;
  });
  if (new Set(networks).size > 1) throw invalid('All VIP subnets must belong to the same network.');
}

function findSubnet(world: CloudState, owner: string, id: string): Subnet {
  const found = world.subnets.find((one) => one.id === id);
  const seen = world.networks.some(
    (one) => one.id === found?.network_id && (one.project_id === owner || one['router:external']),
  );
  if (!found || !seen) throw octaviaFault(400, `Subnet ${id} not found.`);
  return found;
}
