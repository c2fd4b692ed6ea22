import { asJson, asList, asText, type Json } from '../json.ts';
import { octaviaFault } from '../refusal.ts';
import type { CloudWorld } from './cloud-world.ts';
import type { LoadBalancer, OctaviaObject } from './octavia-objects.ts';

/** Octavia's VALID_LISTENER_POOL_PROTOCOL_MAP. */
const poolsOf: Record<string, readonly string[]> = {
  TCP: ['HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'TCP'],
  HTTP: ['HTTP', 'PROXY', 'PROXYV2'],
  HTTPS: ['HTTPS', 'PROXY', 'PROXYV2', 'TCP'],
  TERMINATED_HTTPS: ['HTTP', 'PROXY', 'PROXYV2'],
  UDP: ['UDP'],
  SCTP: ['SCTP'],
};

const invalid = (detail: string): Error => octaviaFault(400, `Validation failure: ${detail}`);

export function checkPoolFitsListener(listenerProtocol: string, poolProtocol: string): void {
  if (poolsOf[listenerProtocol]?.includes(poolProtocol) === true) return;
  throw invalid(
    `The pool protocol '${poolProtocol}' is invalid while the listener protocol is '${listenerProtocol}'.`,
  );
}

/** One TCP-like listener per port; UDP and SCTP have ports of their own. */
export function checkListenerPort(
  world: CloudWorld,
  lb: LoadBalancer,
  protocol: string,
  port: unknown,
): void {
  const layer4 = (name: string): string => (name === 'UDP' || name === 'SCTP' ? name : 'TCP');
  const other = world.listeners.find(
    (one) =>
      one.loadbalancer_id === lb.id &&
      one.protocol_port === port &&
      layer4(one.protocol) === layer4(protocol),
  );
  if (!other) return;
  const message = `using protocol ${other.protocol} and protocol_port ${other.protocol_port}`;
  throw octaviaFault(409, `Another Listener on this Load Balancer is already ${message}`);
}

/** Source ranges are compared with the family of the primary VIP only (decisions.md, 13). */
export function checkAllowedCidrs(lb: LoadBalancer, cidrs: unknown): void {
  for (const cidr of asList(cidrs).map(asText)) {
    if (!/^[0-9a-f.:]+\/\d{1,3}$/i.test(cidr)) {
      const message = `Invalid input for field/attribute allowed_cidrs. Value: '${cidr}'. Value should be IPv4 or IPv6 CIDR format`;
      throw octaviaFault(400, message);
    }
    if (cidr.includes(':') !== lb.vip_address.includes(':')) {
      throw invalid(`CIDR ${cidr} IP version incompatible with VIP ${lb.vip_address} IP version.`);
    }
  }
}

/** TLS and header insertion against the listener's protocol; Barbican does not exist here, so no reference resolves. */
export function checkListenerOptions(protocol: string, body: Json): void {
  const refs = [...asList(body['sni_container_refs']), body['default_tls_container_ref']]
    .filter(Boolean)
    .map(String);
  const headers = Object.keys(asJson(body['insert_headers']));
  if ((protocol === 'UDP' || protocol === 'SCTP') && refs.length + headers.length > 0) {
    throw invalid(`${protocol} protocol listener does not support TLS.`);
  }
  if (headers.length > 0 && protocol !== 'HTTP' && protocol !== 'TERMINATED_HTTPS') {
    throw octaviaFault(400, `insert-headers is not a valid option for a ${protocol} protocol listener.`);
  }
  if (refs.length > 0 && protocol !== 'TERMINATED_HTTPS') {
    throw invalid(`Certificate container references are not allowed on ${protocol} protocol listeners.`);
  }
  if (refs.length > 0) {
    throw octaviaFault(400, `Could not retrieve certificate: [${refs.map((ref) => `'${ref}'`).join(', ')}]`);
  }
}

export function checkTlsGiven(protocol: string): void {
  if (protocol !== 'TERMINATED_HTTPS') return;
  throw invalid(
    'An SNI or default certificate container reference must be provided for TERMINATED_HTTPS protocol listeners.',
  );
}

/** Session persistence of a pool, and the algorithm the amphora provider does not have. */
export function checkPoolOptions(protocol: string, body: Json): void {
  const persistence = asJson(body['session_persistence']);
  const datagram = protocol === 'UDP' || protocol === 'SCTP';
  const timed = persistence['persistence_timeout'] ?? persistence['persistence_granularity'] ?? null;
  if (!datagram && timed !== null) {
    throw invalid('persistence_timeout and persistence_granularity is only for UDP and SCTP protocol pools.');
  }
  const type = asText(persistence['type']);
  if (datagram && type.endsWith('_COOKIE')) {
    throw invalid(`Session persistence of type ${type} is not supported for UDP/SCTP protocol pools.`);
  }
  const cookie = asText(persistence['cookie_name']);
  if (cookie !== '' && type !== 'APP_COOKIE') {
    throw invalid('Field "cookie_name" can only be specified with session persistence of type "APP_COOKIE".');
  }
  if (type === 'APP_COOKIE' && cookie === '') {
    throw invalid(
      'Field "cookie_name" must be specified when using the "APP_COOKIE" session persistence type.',
    );
  }
  if (body['lb_algorithm'] === 'SOURCE_IP_PORT') {
    const text = 'Amphora provider does not support SOURCE_IP_PORT algorithm.';
    throw octaviaFault(501, `Provider 'amphora' does not support a requested option: ${text}`);
  }
}

/** A monitor against its pool's protocol, and HTTP options on monitors that speak no HTTP. */
export function checkMonitor(poolProtocol: string, type: string, body: Json): void {
  const datagram = poolProtocol === 'UDP' || poolProtocol === 'SCTP';
  const types = ['UDP-CONNECT', 'SCTP', 'TCP', 'HTTP'];
  if (datagram && !types.includes(type)) {
    throw invalid(
      `The associated pool protocol is ${poolProtocol}, so only a ${types.join('/')} health monitor is supported.`,
    );
  }
  if (!datagram && (type === 'UDP-CONNECT' || type === 'SCTP')) {
    throw invalid(`The ${type} type is only supported for pools of type UDP/SCTP.`);
  }
  const least = 3;
  if (type === 'UDP-CONNECT' && typeof body['delay'] === 'number' && body['delay'] < least) {
    throw invalid(
      `The request delay value ${body['delay']} should be larger than ${least} for UDP-CONNECT health monitor type.`,
    );
  }
  if (type === 'HTTP' || type === 'HTTPS') return;
  for (const name of ['http_method', 'url_path', 'expected_codes']) {
    if (Boolean(body[name]))
      throw octaviaFault(400, `${name} is not a valid option for health monitors of type ${type}`);
  }
}

/** Refuses when `more` objects would pass the project's quota; Octavia answers 403 for that, never 413. */
export function checkQuota(
  limit: number,
  title: string,
  existing: readonly OctaviaObject[],
  more: number,
): void {
  if (limit >= 0 && existing.length + more > limit)
    throw octaviaFault(403, `Quota has been met for resources: ${title}`);
}
