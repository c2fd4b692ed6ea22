import { type Json, asJson, asList, asText, isJson } from '../../json.ts';
import { Refusal, octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { allows } from '../keystone/access-rules.ts';
import type { Caller } from '../keystone/keystone.ts';
import { seesNetwork } from '../neutron/networks.ts';
import { createPort } from '../neutron/ports.ts';
import { defaultGroup } from '../neutron/security-groups.ts';
import type { LoadBalancer } from './objects.ts';
import type { FixedIp, Port, Subnet } from '../neutron/objects.ts';
import { invalid } from './rules/listener-rules.ts';

/** The VIP of a new load balancer: a port of the tenant's, or one that Octavia makes in Neutron at once. */
export function allocateVip(
  world: CloudState,
  owner: string,
  lbId: string,
  body: Json,
  provider: string,
): Json {
  const port = world.ports.byId(body['vip_port_id']);
  const { vip_subnet_id: subnetId, vip_address: address } = body;
  if (port) return vipOf(port, { subnet_id: asText(subnetId), ip_address: asText(address) }, body);
  return makePort(world, owner, lbId, body, provider);
}

/** A failover makes a VIP port that is gone anew, with its address (docs/sources/openstack.md, "A VIP port that is deleted"). */
export function rebuildVip(world: CloudState, lb: LoadBalancer): void {
  if (world.ports.byId(lb.vip_port_id)) return;
  const { vip_subnet_id, vip_address, additional_vips } = lb as unknown as Json;
  Object.assign(
    lb,
    makePort(world, lb.project_id, lb.id, { vip_subnet_id, vip_address, additional_vips }, 'amphora'),
  );
}

/** The worker puts its own group, which the tenant does not see, in place of the default one (tried on the lab). */
function guard(world: CloudState, port: Port, provider: string): void {
  if (provider === 'ovn') return;
  const own = world.newId();
  world.afterPending((end) => {
    if (world.loadbalancers.count('vip_port_id', port.id) === 0) return;
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
      deviceOwner: provider === 'ovn' ? 'ovn-lb:vip' : 'Octavia',
      subnets,
      up: false,
      projectId: owner,
      securityGroups: defaultGroup(world, owner),
    });
    guard(world, port, provider);
    const primary = port.fixed_ips.find((ip) => ip.subnet_id === body['vip_subnet_id']);
    return vipOf(port, primary ?? { subnet_id: '', ip_address: '' }, body);
  } catch (error) {
    throw error instanceof Refusal ? providerFault(world, error, provider) : error;
  }
}

/**
 * Neutron's refusals reach the client as a 500 of the provider; from a newer amphora without Neutron's reason, or as a 409
 * (docs/sources/openstack.md, "Refusals of the VIP address").
 */
function providerFault({ octaviaTraits }: CloudState, { answer }: Refusal, provider: string): Refusal {
  const { body } = answer;
  const message = isJson(body) ? asText(asJson(body['NeutronError'])['message']) : '';
  const inUse = octaviaTraits.says('VIP address in use').split('`');
  if (inUse[0] === '409 ' && provider !== 'ovn')
    return answer.status === 409
      ? octaviaFault(409, `${inUse[1] ?? ''}${message}`)
      : octaviaFault(500, `Provider '${provider}' reports error: BadRequestException: ${answer.status}`);
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

/** Checks where the VIP is to be, before flavor, provider and quota are looked at, and fills in the subnet. */
export function checkVip(world: CloudState, caller: Caller, body: Json): void {
  const { vip_port_id: portId, vip_network_id: networkId, vip_subnet_id: subnetId } = body;
  if (typeof portId === 'string') fillFromPort(world, caller, portId, body);
  else if (typeof networkId === 'string') fillFromNetwork(world, caller, networkId, body);
  else if (typeof subnetId === 'string') findSubnet(world, caller, subnetId);
  else throw invalid('VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.');
  if (typeof body['vip_qos_policy_id'] === 'string' && !world.qosPolicies.byId(body['vip_qos_policy_id']))
    throw invalid('VIP QoS policy is not allowed in this deployment.');
  checkAdditional(world, body);
}

function fillFromPort(world: CloudState, caller: Caller, portId: string, body: Json): void {
  const port = world.ports.byId(portId);
  if (port?.project_id !== caller.projectId || !seesInNeutron(caller, `ports/${portId}`))
    throw octaviaFault(400, `Port ${portId} not found.`);
  if (port.device_id !== '') throw invalid(`Port ${portId} is already used by device ${port.device_id} `);
  const { vip_subnet_id: subnetId, vip_address: address } = body;
  let chosen: FixedIp | undefined;
  if (typeof subnetId === 'string') {
    findSubnet(world, caller, subnetId);
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
function fillFromNetwork(world: CloudState, caller: Caller, networkId: string, body: Json): void {
  if (!maySee(world, caller, networkId) || !seesInNeutron(caller, `networks/${networkId}`))
    throw octaviaFault(400, `Network ${networkId} not found.`);
  const subnets = world.subnets.of('network_id', networkId);
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
    const found = world.subnets.byId(id);
    if (!found) {
      const status = parseInt(world.octaviaTraits.says('additional VIP in a subnet that is not there'));
      throw octaviaFault(status, `subnet not found (subnet id: ${asText(id)}).`);
    }
    return found.network_id;
  });
  if (new Set(networks).size > 1) throw invalid('All VIP subnets must belong to the same network.');
}

function findSubnet(world: CloudState, caller: Caller, id: string): Subnet {
  const found = world.subnets.byId(id);
  if (!found || !maySee(world, caller, found.network_id) || !seesInNeutron(caller, `subnets/${id}`))
    throw octaviaFault(400, `Subnet ${id} not found.`);
  return found;
}

function maySee(world: CloudState, { projectId: owner }: Caller, networkId: string): boolean {
  return seesNetwork(owner, world.networks.byId(networkId));
}

/** Octavia looks up what a request names with the caller's own token, and takes every refusal for an absence. */
function seesInNeutron({ accessRules }: Caller, what: string): boolean {
  return allows(accessRules, { service: 'network', method: 'GET', path: `/v2.0/${what}` });
}
