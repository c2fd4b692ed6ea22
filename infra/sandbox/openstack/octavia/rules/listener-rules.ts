import { type Json, asJson, asList, asText } from '../../../json.ts';
import { octaviaFault } from '../../../refusal.ts';
import type { CloudState } from '../../cloud-state.ts';
import { networkOf } from '../../ip-network.ts';
import type { Listener, LoadBalancer } from '../objects.ts';
import { python } from './values.ts';

/** The pool protocols that fit each listener protocol (docs/sources/openstack.md, "Pools of a listener"). */
const poolsOf: Record<string, readonly string[]> = {
  TCP: ['HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'TCP'],
  HTTP: ['HTTP', 'PROXY', 'PROXYV2'],
  HTTPS: ['HTTPS', 'PROXY', 'PROXYV2', 'TCP'],
  TERMINATED_HTTPS: ['HTTP', 'PROXY', 'PROXYV2'],
  UDP: ['UDP'],
  SCTP: ['SCTP'],
};

const headers = ['X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto'];
const clientHeaders = [
  ...['X-SSL-Client-Verify', 'X-SSL-Client-Has-Cert', 'X-SSL-Client-DN', 'X-SSL-Client-CN', 'X-SSL-Issuer'],
  ...['X-SSL-Client-SHA1', 'X-SSL-Client-Not-Before', 'X-SSL-Client-Not-After'],
];

export const invalid = (detail: string): Error => octaviaFault(400, `Validation failure: ${detail}`);
export const invalidOption = (value: string, option: string): Error =>
  octaviaFault(400, `${value} is not a valid option for ${option}`);

export function checkPoolFitsListener(listenerProtocol: string, poolProtocol: string): void {
  if (poolsOf[listenerProtocol]?.includes(poolProtocol) === true) return;
  throw invalid(
    `The pool protocol '${poolProtocol}' is invalid while the listener protocol is '${listenerProtocol}'.`,
  );
}

/** A PROMETHEUS listener serves figures and has neither pools nor policies. */
export function checkMayHaveChildren(protocol: string): void {
  if (protocol !== 'PROMETHEUS') return;
  throw octaviaFault(400, 'Protocol PROMETHEUS listeners cannot have child objects.');
}

/** One TCP-like listener per port; UDP and SCTP have ports of their own. */
export function checkListenerPort(
  world: CloudState,
  lb: LoadBalancer,
  protocol: string,
  port: unknown,
): void {
  const layer4 = (name: string): string => (name === 'UDP' || name === 'SCTP' ? name : 'TCP');
  const other = world.listeners
    .of('loadbalancer_id', lb.id)
    .find((one) => one.protocol_port === port && layer4(one.protocol) === layer4(protocol));
  if (!other) return;
  const message = `using protocol ${other.protocol} and protocol_port ${other.protocol_port}`;
  throw octaviaFault(409, `Another Listener on this Load Balancer is already ${message}`);
}

/** Source ranges are compared with the family of the primary VIP only (decision 13). */
export function checkAllowedCidrs(lb: LoadBalancer, cidrs: unknown): void {
  for (const cidr of asList(cidrs).map(asText)) {
    if (cidr.includes(':') !== lb.vip_address.includes(':'))
      throw invalid(`CIDR ${cidr} IP version incompatible with VIP ${lb.vip_address} IP version.`);
  }
}

/** Refused names are printed as Python prints them: in a create a view of a dict's keys, in an update a list. */
export function checkInsertHeaders(protocol: string, body: Json, creating: boolean): void {
  const names = Object.keys(asJson(body['insert_headers']));
  if (names.length === 0) return;
  if (protocol !== 'HTTP' && protocol !== 'TERMINATED_HTTPS')
    throw invalidOption('insert-headers', `a ${protocol} protocol listener.`);
  if (names.some((name) => !headers.includes(name) && !clientHeaders.includes(name)))
    throw invalidOption(creating ? `dict_keys(${python(names)})` : python(names), 'insert_headers');
  const client = names.filter((name) => clientHeaders.includes(name));
  if (client.length > 0 && protocol === 'HTTP')
    throw invalidOption(python(client), 'HTTP protocol listener.');
}

export const datagram = (protocol: string): boolean => protocol === 'UDP' || protocol === 'SCTP';

/** References to certificates that stand in a body itself; client CAs are left out, as Octavia leaves them out. */
const certificates = (body: Json): unknown[] =>
  [...asList(body['sni_container_refs']), body['default_tls_container_ref']].filter(Boolean);

export const endsTls = (protocol: string, body: Json): boolean =>
  protocol === 'TERMINATED_HTTPS' || (protocol === 'PROMETHEUS' && certificates(body).length > 0);

/** What a create may say about TLS, before any certificate is looked at. */
export function checkTlsOfCreate(protocol: string, body: Json): void {
  const refs = certificates(body);
  const ca = Boolean(body['client_ca_tls_container_ref']);
  if (datagram(protocol) && refs.length > 0)
    throw invalid(`${protocol} protocol listener does not support TLS.`);
  if (refs.length > 0 && !endsTls(protocol, body))
    throw invalid(`Certificate container references are not allowed on ${protocol} protocol listeners.`);
  const needed = 'An SNI or default certificate container reference must be provided';
  if (ca && refs.length === 0) throw invalid(`${needed} with a client CA container reference.`);
  if (endsTls(protocol, body) && refs.length === 0)
    throw invalid(`${needed} for ${protocol} protocol listeners.`);
  const authentication = asText(body['client_authentication']);
  if (authentication !== 'NONE' && !ca) throw clientAuthentication(authentication);
  if (Boolean(body['client_crl_container_ref']) && !ca) throw revocationList();
}

/** What an update may say about TLS. TERMINATED_HTTPS may even lose its certificate (tried on the lab). */
export function checkTlsOfUpdate(listener: Listener, given: Json): void {
  const { protocol } = listener;
  const refs = certificates(given);
  if (datagram(protocol) && refs.length + Object.keys(asJson(given['insert_headers'])).length > 0)
    throw invalid(`${protocol} protocol listener does not support TLS or header insertion.`);
  if (refs.length > 0 && !endsTls(protocol, given))
    throw invalid(`Certificate container references are not allowed on ${protocol} protocol listeners.`);
  const ca = Boolean(given['client_ca_tls_container_ref'] ?? listener['client_ca_tls_container_ref']);
  const authentication = given['client_authentication'];
  if (authentication !== undefined && authentication !== 'NONE' && !ca)
    throw clientAuthentication(python(authentication));
  if (Boolean(given['client_crl_container_ref'] ?? listener['client_crl_container_ref']) && !ca)
    throw revocationList();
}

const clientAuthentication = (mode: string): Error =>
  invalid(`Client authentication setting ${mode} requires a client CA container reference.`);
const revocationList = (): Error =>
  invalid(
    'A client authentication CA reference is required to specify a client authentication revocation list.',
  );

/** Source ranges as Octavia stores them: the network, with a length for one address too, sorted (tried on the lab). */
export function normalCidrs(cidrs: unknown): string[] | null {
  const given = asList(cidrs).map((one) => networkOf(asText(one)) ?? '');
  return given.length === 0 ? null : [...new Set(given)].sort();
}

const versions = ['SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];

/** Checks the ciphers of a listener or pool, and with `lists` its TLS versions and ALPN protocols as well. */
export function checkTlsSettings(body: Json, lists: boolean): void {
  const ciphers = asText(body['tls_ciphers']);
  if (!/^[A-Za-z0-9\-+!:@=_.]*$/.test(ciphers)) {
    const allowed = 'Only alphanumeric, -, +, !, :, @, =, _, and . are allowed.';
    throw invalid(`Invalid characters in cipher string. ${allowed}`);
  }
  if (!lists) return;
  checkList(body['tls_versions'], versions, 'Empty TLS version list', 'TLS version', 'Invalid TLS versions');
  checkList(body['alpn_protocols'], undefined, 'Empty ALPN protocol list', 'ALPN protocol', '');
}

function checkList(
  value: unknown,
  known: readonly string[] | undefined,
  empty: string,
  what: string,
  wrong: string,
): void {
  if (!Array.isArray(value)) return;
  const use = 'or remove this parameter to use the default.';
  if (value.length === 0) throw invalid(`${empty}. Either specify at least one ${what} ${use}`);
  const bad = value.map(asText).filter((one) => known?.includes(one) === false);
  if (bad.length > 0) throw invalid(`${wrong}: ${bad.join(', ')}`);
}
