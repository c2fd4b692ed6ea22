/** The listener protocols that share the TCP ports of a load balancer (openstack-ccm.md, 13). */
const TCP_LIKE = ['TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'PROMETHEUS'];

/** `tcp`, `udp` or `sctp`: with the port it names what only one listener can be. */
export function transportOf(listenerProtocol: unknown): string {
  const protocol = String(listenerProtocol);
  return TCP_LIKE.includes(protocol) ? 'tcp' : protocol.toLowerCase();
}
