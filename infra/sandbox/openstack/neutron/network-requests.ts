import type { Answer } from '../../exchange.ts';
import { type Json, asText } from '../../json.ts';
import { neutronError } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { gatewayOf, makeNetwork, makeSubnet } from './networks.ts';
import type { Network, Subnet } from './objects.ts';
import { networkOf } from '../ip-network.ts';
import { noSuchNetwork } from './refusals.ts';

/** POST /v2.0/networks: a network of the project, by its name. */
export function createNetwork(world: CloudState, owner: string, body: Json): Answer {
  const network = addNetwork(world, owner, asText(body['name']));
  return { status: 201, body: { network } };
}

export function addNetwork(world: CloudState, owner: string, name: string): Network {
  const at = world.clock.seconds();
  const network = makeNetwork({ id: world.newId(), owner, name, external: false, at, subnets: [] });
  world.networks.push(network);
  return network;
}

/** DELETE of a network with its subnets; refused while a port is left on it. */
export function deleteNetwork(world: CloudState, network: Network): void {
  const ports = world.ports.of('network_id', network.id).map((one) => one.id);
  if (ports.length > 0) {
    const rest = `There are one or more ports still in use on the network, id for these ports is: ${ports.join(', ')}.`;
    throw neutronError(409, 'NetworkInUse', `Unable to complete operation on network ${network.id}. ${rest}`);
  }
  for (const subnet of world.subnets.of('network_id', network.id)) world.subnets.remove(subnet);
  world.networks.remove(network);
}

/** POST /v2.0/subnets: a subnet of a network of the project. An IPv6 subnet gives addresses by SLAAC, as on the lab. */
export function createSubnet(world: CloudState, owner: string, body: Json): Answer {
  const network = world.networks.byId(body['network_id']);
  if (network?.project_id !== owner) throw noSuchNetwork(body['network_id']);
  const cidr = networkOf(asText(body['cidr'])) ?? '';
  const others = world.subnets.of('network_id', network.id);
  if (others.some((one) => one.cidr === cidr)) {
    const what = `Requested subnet with cidr: ${cidr} for network: ${network.id} overlaps with another subnet.`;
    throw neutronError(400, 'InvalidInput', `Invalid input for operation: ${what}`);
  }
  const six = cidr.includes(':');
  const subnet = makeSubnet({
    ...{ id: world.newId(), owner, name: asText(body['name']), network: network.id, cidr },
    gateway: six ? cidr.replace(/\/\d+$/, '') : gatewayOf(cidr),
    at: world.clock.seconds(),
  });
  world.subnets.push(subnet);
  network.subnets.push(subnet.id);
  return { status: 201, body: { subnet } };
}

export function deleteSubnet(world: CloudState, subnet: Subnet): void {
  const inUse = world.ports.count('fixed_ips', subnet.id) > 0;
  if (inUse) {
    const text = `Unable to complete operation on subnet ${subnet.id}: One or more ports have an IP allocation from this subnet.`;
    throw neutronError(409, 'SubnetInUse', text);
  }
  world.subnets.remove(subnet);
  const list = world.networks.byId(subnet.network_id)?.subnets ?? [];
  list.splice(list.indexOf(subnet.id), 1);
}
