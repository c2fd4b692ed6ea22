import { asText, scalarText, type Json } from '../json.ts';
import { neutronError } from '../refusal.ts';
import type { CloudState } from './cloud-state.ts';
import { networkOf } from './ip-network.ts';
import { noSuchGroup } from './neutron-security-groups.ts';

const attributes = [
  ...['security_group_id', 'direction', 'ethertype', 'protocol', 'port_range_min', 'port_range_max'],
  ...['remote_ip_prefix', 'remote_group_id', 'description', 'project_id', 'tenant_id'],
];
const protocols = [
  ...['ah', 'dccp', 'egp', 'esp', 'gre', 'hopopt', 'icmp', 'igmp', 'ip', 'ipip', 'ipv6-encap'],
  ...['ipv6-frag', 'ipv6-icmp', 'icmpv6', 'ipv6-nonxt', 'ipv6-opts', 'ipv6-route', 'ospf', 'pgm', 'rsvp'],
  ...['sctp', 'tcp', 'udp', 'udplite', 'vrrp'],
];

const bad = (type: string, text: string): Error => neutronError(400, type, text);

/** In Neutron's order: the attributes one by one, then the group, then what does not go together. */
export function checkRule(world: CloudState, owner: string, body: Json): void {
  const unknown = Object.keys(body).find((name) => !attributes.includes(name));
  if (unknown !== undefined) throw bad('HTTPBadRequest', `Unrecognized attribute(s) '${unknown}'`);
  for (const name of ['security_group_id', 'direction'])
    if (body[name] === undefined)
      throw bad('HTTPBadRequest', `Failed to parse request. Required attribute '${name}' not specified`);
  const direction = asText(body['direction']);
  if (direction !== 'ingress' && direction !== 'egress') {
    throw bad('HTTPBadRequest', `Invalid input for direction. Reason: ${direction} is not in valid_values.`);
  }
  checkProtocol(body['protocol'] ?? null);
  const ethertype = asText(body['ethertype'] ?? 'IPv4');
  if (!['ipv4', 'ipv6'].includes(ethertype.toLowerCase())) {
    const text = `Security group rule for ethertype '${ethertype}' not supported. Allowed values are ['IPv4', 'IPv6'].`;
    throw bad('SecurityGroupRuleInvalidEtherType', text);
  }
  checkPorts(body);
  checkRemote(body, ethertype);
  for (const id of [body['security_group_id'], body['remote_group_id'] ?? null]) {
    const seen = world.securityGroups.some((one) => one.id === id && one.project_id === owner);
    if (id !== null && !seen) throw noSuchGroup(asText(id));
  }
}

function checkProtocol(protocol: unknown): void {
  if (protocol === null) return;
  const name = scalarText(protocol).toLowerCase();
  if (protocols.includes(name) || (/^\d{1,3}$/.test(name) && Number(name) <= 255)) return;
  const list = [null, ...protocols].map((one) => (one === null ? 'None' : `'${one}'`)).join(', ');
  const text = `Security group rule protocol ${name} not supported. Only protocol values [${list}] and integer representations [0 to 255] are supported.`;
  throw bad('SecurityGroupRuleInvalidProtocol', text);
}

function checkPorts(body: Json): void {
  const [min, max] = [body['port_range_min'] ?? null, body['port_range_max'] ?? null];
  for (const port of [min, max])
    if (port !== null && !(Number(port) >= 0 && Number(port) <= 65535))
      throw bad('SecurityGroupInvalidPortValue', `Invalid value for port ${scalarText(port)}`);
  if (min === null && max === null) return;
  if ((body['protocol'] ?? null) === null)
    throw bad('SecurityGroupProtocolRequiredWithPorts', 'Must also specify protocol if port range is given.');
  if (min !== null && max !== null && Number(min) <= Number(max)) return;
  const text = 'For TCP/UDP protocols, port_range_min must be <= port_range_max';
  throw bad('SecurityGroupInvalidPortRange', text);
}

function checkRemote(body: Json, ethertype: string): void {
  const prefix = body['remote_ip_prefix'] ?? null;
  if (prefix === null) return;
  const cidr = asText(prefix);
  if (networkOf(cidr) === undefined) throw bad('InvalidCIDR', `Invalid CIDR ${cidr} given as IP prefix.`);
  if ((body['remote_group_id'] ?? null) !== null) {
    const text =
      'Only one of remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.';
    throw bad('SecurityGroupMultipleRemoteEntites', text);
  }
  if (cidr.includes(':') === (ethertype.toLowerCase() === 'ipv6')) return;
  const text = `Conflicting value ethertype ${ethertype} for CIDR ${cidr}`;
  throw bad('SecurityGroupRuleParameterConflict', text);
}
