import { asJson, asList, asText, isJson, type Json } from '../json.ts';
import { octaviaFault, Refusal } from '../refusal.ts';
import type { CloudWorld } from './cloud-world.ts';
import { createPort } from './neutron-ports.ts';
import type { Port, Subnet } from './neutron-objects.ts';

/** Subnet and network are looked up before flavor, provider and quota are. */
export function checkVipGiven(world: CloudWorld, body: Json): void {
  if (typeof body['vip_port_id'] !== 'string') chooseSubnet(world, body);
}

/** The VIP of a new load balancer: a port of the tenant's, or one that Octavia makes in Neutron at once. */
export function allocateVip(world: CloudWorld, owner: string, lbId: string, body: Json): Json {
  const portId = body['vip_port_id'];
  return typeof portId === 'string' ? adoptPort(world, portId, body) : makePort(world, owner, lbId, body);
}

function adoptPort(world: CloudWorld, portId: string, body: Json): Json {
  const port = world.ports.find((one) => one.id === portId);
  if (!port) throw octaviaFault(400, `Port ${portId} not found.`);
  const asked = body['vip_address'];
  const subnetId = body['vip_subnet_id'];
  const fits = port.fixed_ips.filter(
    (ip) => (asked === null || ip.ip_address === asked) && (subnetId === null || ip.subnet_id === subnetId),
  );
  const chosen = fits[0];
  if (!chosen || fits.length > 1) {
    const text = "VIP port's subnet could not be determined. Please specify either a VIP subnet or address.";
    throw octaviaFault(400, `Validation failure: ${text}`);
  }
  return vipOf(port, chosen.subnet_id, chosen.ip_address);
}

function makePort(world: CloudWorld, owner: string, lbId: string, body: Json): Json {
  const subnet = chooseSubnet(world, body);
  const extra = asList(body['additional_vips']).map((one) =>
    findSubnet(world, asText(asJson(one)['subnet_id'])),
  );
  if (extra.some((one) => one.network_id !== subnet.network_id)) {
    throw octaviaFault(400, 'Validation failure: All VIP subnets must belong to the same network.');
  }
  const asked = body['vip_address'];
  try {
    const port = createPort(world, {
      name: `octavia-lb-${lbId}`,
      deviceId: `lb-${lbId}`,
      deviceOwner: 'Octavia',
      subnetIds: [subnet.id, ...extra.map((one) => one.id)],
      address: typeof asked === 'string' ? asked : undefined,
      up: false,
      projectId: owner,
    });
    const addressIn = (id: string): string =>
      port.fixed_ips.find((ip) => ip.subnet_id === id)?.ip_address ?? '';
    const additional = extra.map((one) => ({ subnet_id: one.id, ip_address: addressIn(one.id) }));
    return { ...vipOf(port, subnet.id, addressIn(subnet.id)), additional_vips: additional };
  } catch (error) {
    throw error instanceof Refusal ? providerFault(error) : error;
  }
}

/** Neutron's refusals reach the client as a 500 of the provider, not as 409 or 400 (openstack-lab.md, 6). */
function providerFault(refusal: Refusal): Refusal {
  const body = refusal.answer.body;
  const message = isJson(body) ? asText(asJson(body['NeutronError'])['message']) : '';
  const text = `${message}\nNeutron server returns request_ids: ['req-00000000-0000-0000-0000-000000000000']`;
  return octaviaFault(500, `Provider 'amphora' reports error: ${text}`);
}

function chooseSubnet(world: CloudWorld, body: Json): Subnet {
  const { vip_subnet_id: subnetId, vip_network_id: networkId } = body;
  if (typeof subnetId === 'string') return findSubnet(world, subnetId);
  if (typeof networkId !== 'string') {
    throw octaviaFault(
      400,
      'Validation failure: VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.',
    );
  }
  if (!world.networks.some((one) => one.id === networkId))
    throw octaviaFault(400, `Network ${networkId} not found.`);
  const found = world.subnets.find((one) => one.network_id === networkId && one.ip_version === 4);
  if (!found) throw octaviaFault(400, 'Validation failure: Supplied network does not contain a subnet.');
  return found;
}

function findSubnet(world: CloudWorld, id: string): Subnet {
  const found = world.subnets.find((one) => one.id === id);
  if (!found) throw octaviaFault(400, `Subnet ${id} not found.`);
  return found;
}

const vipOf = (port: Port, subnetId: string, address: string): Json => ({
  vip_port_id: port.id,
  vip_network_id: port.network_id,
  vip_subnet_id: subnetId,
  vip_address: address,
});
