import { asJson, asList, asText, type Json } from '../../../json.ts';
import { octaviaFault } from '../../../refusal.ts';
import type { LoadBalancer } from '../objects.ts';

const unsupported = (provider: string, text: string): Error =>
  octaviaFault(501, `Provider '${provider}' does not support a requested option: ${text}`);

/** Whose rules hold: `octavia` is another name of the amphora provider. */
const nameOf = (lb: LoadBalancer): string => (lb['provider'] === 'ovn' ? 'ovn' : 'amphora');

/**
 * What the provider drivers refuse after Octavia itself has accepted: the amphora's from Octavia 11, ovn's from
 * the sources of ovn-octavia-provider (driver.py), and of its release 11.
 */
export function checkPolicyOfProvider(lb: LoadBalancer, protocol: string, doing: string): void {
  if (nameOf(lb) === 'ovn') {
    const text = `This provider does not support ${doing} l7policies.`;
    throw octaviaFault(501, `Provider 'ovn' does not support a requested action: ${text}`);
  }
  if (doing === 'creating' && protocol !== 'HTTP' && protocol !== 'TERMINATED_HTTPS')
    throw unsupported('amphora', `${protocol} protocol listeners do not support L7 policies`);
}

export function checkListenerOfProvider(lb: LoadBalancer, body: Json): void {
  if (nameOf(lb) !== 'ovn') return;
  checkOvnProtocol(body['protocol']);
  if (asList(body['allowed_cidrs']).length > 0)
    throw unsupported('ovn', 'OVN provider does not support allowed_cidrs option');
}

export function checkPoolOfProvider(lb: LoadBalancer, body: Json): void {
  const algorithm = asText(body['lb_algorithm']);
  if (nameOf(lb) !== 'ovn') {
    if (algorithm === 'SOURCE_IP_PORT')
      throw unsupported('amphora', `Amphora provider does not support ${algorithm} algorithm.`);
    return;
  }
  checkOvnProtocol(body['protocol']);
  if (algorithm !== '' && algorithm !== 'SOURCE_IP_PORT')
    throw unsupported('ovn', `OVN provider does not support ${algorithm} algorithm`);
  // the driver stumbles over what it is about to refuse
  const persistence = asJson(body['session_persistence'])['type'];
  if (persistence !== undefined && persistence !== 'SOURCE_IP')
    throw octaviaFault(500, "'dict' object has no attribute 'type'");
}

function checkOvnProtocol(protocol: unknown): void {
  if (protocol === undefined || ['TCP', 'UDP', 'SCTP'].includes(asText(protocol))) return;
  throw unsupported('ovn', `OVN provider does not support ${asText(protocol)} protocol`);
}

/** ovn takes no monitor address or port of a member, and no member of an IP family that no VIP has. */
export function checkMemberOfProvider(lb: LoadBalancer, body: Json): void {
  if (nameOf(lb) !== 'ovn') return;
  if (Boolean(body['monitor_address']) || Boolean(body['monitor_port'])) {
    const text = 'OVN Load Balancer does not support different member monitor address or port.';
    throw unsupported('ovn', text);
  }
  const address = asText(body['address']);
  const vips = [
    lb.vip_address,
    ...asList(lb['additional_vips']).map((vip) => asText(asJson(vip)['ip_address'])),
  ];
  if (address !== '' && vips.every((vip) => vip.includes(':') !== address.includes(':'))) {
    const text =
      'OVN provider does not support mixing IPv4/IPv6 configuration within the same Load Balancer.';
    throw unsupported('ovn', text);
  }
}

export function checkMonitorOfProvider(lb: LoadBalancer, type: string): void {
  if (nameOf(lb) !== 'ovn' || ['UDP-CONNECT', 'TCP'].includes(type)) return;
  const text = `OVN provider does not support ${type} health monitor type. Supported types: UDP-CONNECT, TCP`;
  throw unsupported('ovn', text);
}
