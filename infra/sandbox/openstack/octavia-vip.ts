import { asJson, asList, asText, isJson, type Json } from '../json.ts';
import { octaviaFault, Refusal } from '../refusal.ts';
import type { CloudState } from './cloud-state.ts';
import { createPort } from './neutron-ports.ts';
import type { FixedIp, Port } from './neutron-objects.ts';

/** The VIP of a new load balancer: a port of the tenant's, or one that Octavia makes in Neutron at once. */
export function allocateVip(
  world: CloudState,
  owner: string,
  lbId: string,
  body: Json,
  provider: string,
): Json {
  const port = world.ports.find((one) => one.id === body['vip_port_id']);
  const { vip_subnet_id: subnetId, vip_address: address } = body;
  if (port) return vipOf(port, { subnet_id: asText(subnetId), ip_address: asText(address) }, body);
  return makePort(world, owner, lbId, body, provider);
}

const defaultGroups = (world: CloudState, owner: string): string[] =>
  world.securityGroups
    .filter((one) => one.project_id === owner && one.name === 'default')
    .map((one) => one.id);

/** The worker puts its own group, which the tenant does not see, in place of the default one (tried on the lab). */
function guard(world: CloudState, port: Port, provider: string): void {
  if (provider === 'ovn') return;
  const own = world.newId();
  world.afterPending((end) => {
    if (!world.loadbalancers.some((lb) => lb.vip_port_id === port.id)) return;
    Object.assign(port, { security_groups: [own], updated_at: `${end}Z` });
    port.revision_number += 1;
  });
}

function makePort(world: CloudState, owner: string, lbId: string, body: Json, provider: string): Json {
  const wish = (subnetId: unknown, address: unknown): { id: string; address: string | undefined } => ({
    id: asText(subnetId),
    address: typeof address === 'string' ? address : undefined,
  });
  const additional = asList(body['additional_vips']).map(asJson);
  const subnets = [
    wish(body['vip_subnet_id'], body['vip_address']),
    ...additional.map((one) => wish(one['subnet_id'], one['ip_address'])),
  ];
  try {
    const port = createPort(world, {
      name: provider === 'ovn' ? `ovn-lb-vip-${lbId}` : `octavia-lb-${lbId}`,
      deviceId: `lb-${lbId}`,
      deviceOwner: 'Octavia',
      subnets,
      up: false,
      projectId: owner,
      securityGroups: defaultGroups(world, owner),
    });
    guard(world, port, provider);
    const primary = port.fixed_ips.find((ip) => ip.subnet_id === body['vip_subnet_id']);
    return vipOf(port, primary ?? { subnet_id: '', ip_address: '' }, body);
  } catch (error) {
    throw error instanceof Refusal ? providerFault(error, provider) : error;
  }
}

/**
 * Neutron's refusals reach the client as a 500 of the provider, not as 409 or 400 (docs/sources/openstack.md, "Refusals
 * of the VIP address").
 */
function providerFault(refusal: Refusal, provider: string): Refusal {
  const body = refusal.answer.body;
  const message = isJson(body) ? asText(asJson(body['NeutronError'])['message']) : '';
  const text = `${message}\nNeutron server returns request_ids: ['req-00000000-0000-0000-0000-000000000000']`;
  return octaviaFault(500, `Provider '${provider}' reports error: ${text}`);
}

const vipOf = (port: Port, primary: FixedIp, body: Json): Json => ({
  vip_port_id: port.id,
  vip_network_id: port.network_id,
  vip_subnet_id: primary.subnet_id,
  vip_address: primary.ip_address,
  additional_vips: asList(body['additional_vips']).map((one) => {
    const subnetId = asJson(one)['subnet_id'];
    const address = port.fixed_ips.find((ip) => ip.subnet_id === subnetId)?.ip_address ?? null;
    return { subnet_id: subnetId, ip_address: address };
  }),
});
