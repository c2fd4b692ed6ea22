import type { Answer } from '../exchange.ts';
import { asText, type Json } from '../json.ts';
import { neutronError } from '../refusal.ts';
import type { CloudState } from './cloud-state.ts';
import { makeNetwork } from './neutron-networks.ts';
import type { Network } from './neutron-objects.ts';

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

/** DELETE: with its subnets, when no port is left on it. */
export function deleteNetwork(world: CloudState, network: Network): void {
  const ports = world.ports.filter((one) => one.network_id === network.id).map((one) => one.id);
  if (ports.length > 0) {
    const rest = `There are one or more ports still in use on the network, id for these ports is: ${ports.join(', ')}.`;
    throw neutronError(409, 'NetworkInUse', `Unable to complete operation on network ${network.id}. ${rest}`);
  }
  for (const subnet of world.subnets.filter((one) => one.network_id === network.id))
    world.subnets.splice(world.subnets.indexOf(subnet), 1);
  world.networks.splice(world.networks.indexOf(network), 1);
}
