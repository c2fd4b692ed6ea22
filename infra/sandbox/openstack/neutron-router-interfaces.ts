import type { Json } from '../json.ts';
import { neutronError } from '../refusal.ts';
import type { CloudState } from './cloud-state.ts';
import { contains } from './ip-network.ts';
import type { Port, Router, Subnet } from './neutron-objects.ts';
import { placePort } from './neutron-ports.ts';

export const interfaceOwner = 'network:router_interface';

export const interfacesOf = (world: CloudState, router: Router): Port[] =>
  world.ports.filter((one) => one.device_id === router.id && one.device_owner === interfaceOwner);

interface Place {
  readonly subnet: string;
  readonly port: string;
}

/** A port at the subnet's gateway address that is the router's. */
export function addRouterInterface(world: CloudState, router: Router, { subnet: id }: Place): Json {
  if (id === '') {
    const text = 'Bad router request: Either subnet_id or port_id must be specified.';
    throw neutronError(400, 'BadRequest', text);
  }
  const subnet = world.subnets.find((one) => one.id === id && one.project_id === router.project_id);
  if (!subnet) throw neutronError(404, 'SubnetNotFound', `Subnet ${id} could not be found.`);
  if (interfaceOn(world, router, subnet)) {
    const text = `Bad router request: Router already has a port on subnet ${id}.`;
    throw neutronError(400, 'BadRequest', text);
  }
  const port = placePort(world, {
    ...{ name: '', deviceId: router.id, deviceOwner: interfaceOwner, up: true, subnets: [] },
    projectId: router.project_id,
    network: subnet.network_id,
    fixed: [{ subnet_id: subnet.id, ip_address: String(subnet['gateway_ip']) }],
  });
  port['port_security_enabled'] = false;
  return shown(router, port, subnet.id);
}

/** The router leaves a subnet, unless a next hop is there. */
export function removeRouterInterface(world: CloudState, router: Router, place: Place): Json {
  const port = interfacesOf(world, router).find(
    (one) => one.id === place.port || one.fixed_ips.some((ip) => ip.subnet_id === place.subnet),
  );
  const subnet = world.subnets.find((one) => port?.fixed_ips.some((ip) => ip.subnet_id === one.id));
  if (!port || !subnet) {
    const text = `Router ${router.id} has no interface on subnet ${place.subnet}`;
    throw neutronError(404, 'RouterInterfaceNotFoundForSubnet', text);
  }
  if (router.routes.some(({ nexthop }) => contains(subnet.cidr, nexthop))) {
    const what = `Router interface for subnet ${subnet.id} on router ${router.id} cannot be deleted`;
    const text = `${what}, as it is required by one or more routes.`;
    throw neutronError(409, 'RouterInterfaceInUseByRoute', text);
  }
  world.ports.splice(world.ports.indexOf(port), 1);
  return shown(router, port, subnet.id);
}

const interfaceOn = (world: CloudState, router: Router, subnet: Subnet): Port | undefined =>
  interfacesOf(world, router).find((one) => one.fixed_ips.some((ip) => ip.subnet_id === subnet.id));

const shown = (router: Router, port: Port, subnet: string): Json => ({
  ...{ id: router.id, tenant_id: router.project_id, port_id: port.id, network_id: port.network_id },
  ...{ subnet_id: subnet, subnet_ids: [subnet] },
});
