import type { Ref } from '../address.ts';
import { OCCM, own } from '../annotation-prefixes.ts';
import { bool, ciphers, integer, list, oneOf, tlsVersions } from '../text/parsers.ts';
import { attr } from './attribute-row.ts';

export type ListenerProtocol = 'TCP' | 'HTTP' | 'HTTPS' | 'TERMINATED_HTTPS' | 'PROMETHEUS' | 'UDP' | 'SCTP';

/** 24 days, the most that Octavia takes (its API reference, listeners). */
const MILLISECONDS = integer(0, 24 * 24 * 3600 * 1000);

// prettier-ignore
export const LISTENER = {
  name: attr<string>({ change: 'at-create' }),
  protocol_port: attr<number>({ change: 'recreate' }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
  allowed_cidrs: attr<readonly string[] | null>({ change: 'in-place', compare: 'open-cidrs', capability: { since: 12, implied: true } }),
  connection_limit: attr({ change: 'in-place' }, {
    topic: 'protocol', names: [`${OCCM}connection-limit`], parse: integer(-1, 1_000_000_000), otherwise: -1, unreadable: 'blocks', example: '1000',
    doc: 'Connections a listener takes at once; -1 is no limit.' }),
  timeout_client_data: attr({ change: 'in-place', unset: null, capability: { since: 1, notOvn: true } }, {
    topic: 'protocol', names: [`${OCCM}timeout-client-data`], parse: MILLISECONDS, unreadable: 'default', example: '60000',
    doc: 'Idle timeout of clients, in milliseconds. Without it Octavia’s default holds (50000), also when a person changed it; OCCM writes its own.' }),
  timeout_member_connect: attr({ change: 'in-place', unset: null, capability: { since: 1, notOvn: true } }, {
    topic: 'protocol', names: [`${OCCM}timeout-member-connect`], parse: MILLISECONDS, unreadable: 'default', example: '2000',
    doc: 'Milliseconds until a member must have answered a connection; else 5000.' }),
  timeout_member_data: attr({ change: 'in-place', unset: null, capability: { since: 1, notOvn: true } }, {
    topic: 'protocol', names: [`${OCCM}timeout-member-data`], parse: MILLISECONDS, unreadable: 'default', example: '60000',
    doc: 'Idle timeout of members, in milliseconds; else 50000.' }),
  timeout_tcp_inspect: attr({ change: 'in-place', unset: null, capability: { since: 1, notOvn: true } }, {
    topic: 'protocol', names: [`${OCCM}timeout-tcp-inspect`], parse: MILLISECONDS, unreadable: 'default', example: '10',
    doc: 'Milliseconds to wait for more of a TCP stream before inspecting it.' }),
  protocol: attr<ListenerProtocol>({ change: 'recreate', capability: [
    { values: ['HTTP', 'HTTPS'], notOvn: true, instead: 'TCP' },
    { values: ['TERMINATED_HTTPS'], notOvn: true, instead: 'TCP', guards: true },
    { values: ['PROMETHEUS'], since: 25, notOvn: true, drops: true },
    { values: ['UDP'], since: 2, drops: true },
    { values: ['SCTP'], since: 23, drops: true },
  ] }),
  insert_headers: attr<Readonly<Record<string, string>>>({ needs: 'requests', change: 'in-place', compare: 'sparse', unset: {}, capability: { notOvn: true } }),
  default_tls_container_ref: attr<string | Ref>({ needs: 'tls', change: 'in-place', compare: 'reference' }),
  sni_container_refs: attr<readonly (string | Ref)[]>({ needs: 'tls', change: 'in-place', compare: 'references', unset: [] }),
  tls_versions: attr({ needs: 'tls', change: 'in-place', compare: 'set', unset: null, capability: { since: 17, notOvn: true, guards: true } }, {
    topic: 'tls', names: [own('tls-versions')], parse: tlsVersions, list: true, unreadable: 'blocks', example: 'TLSv1.3',
    doc: 'Versions of TLS that a client may use; else what the cloud’s operator set.' }),
  tls_ciphers: attr({ needs: 'tls', change: 'in-place', unset: null, capability: { since: 15, notOvn: true, guards: true } }, {
    topic: 'tls', names: [own('tls-ciphers')], parse: ciphers, unreadable: 'blocks', example: 'ECDHE-RSA-AES256-GCM-SHA384:TLS_AES_256_GCM_SHA384',
    doc: 'Ciphers that a client may use.' }),
  alpn_protocols: attr<readonly string[]>({ needs: 'tls', change: 'in-place', unset: null, capability: { since: 20, notOvn: true } }, {
    topic: 'tls', names: [own('alpn-protocols')], parse: list(oneOf('h2', 'http/1.1', 'http/1.0')), list: true, unreadable: 'blocks', example: 'http/1.1',
    doc: 'Protocols that are offered to a client by ALPN, the best one first.' }),
  client_authentication: attr<string>({ needs: 'tls', change: 'in-place', unset: 'NONE', capability: { since: 8, notOvn: true, guards: true } }, {
    topic: 'tls', names: [own('client-authentication')], unused: 'blocks', parse: oneOf('NONE', 'OPTIONAL', 'MANDATORY'), unreadable: 'blocks', example: 'MANDATORY',
    doc: 'Whether clients show a certificate.' }),
  client_ca_tls_container_ref: attr<string>({ needs: 'tls', change: 'in-place', compare: 'reference', unset: null, capability: { since: 8, notOvn: true, guards: true } }),
  client_crl_container_ref: attr<string>({ needs: 'tls', change: 'in-place', compare: 'reference', unset: null, capability: { since: 8, notOvn: true, guards: true } }),
  hsts_max_age: attr({ needs: 'tls', change: 'in-place', unset: null, capability: { since: 27, notOvn: true } }, {
    topic: 'tls', names: [own('hsts-max-age')], parse: integer(0, 2_147_483_647), unreadable: 'blocks', example: '31536000',
    doc: 'Seconds for which browsers use HTTPS only (HSTS).' }),
  // docs/sources/openstack.md, "HSTS that nobody asked for"
  hsts_include_subdomains: attr({ needs: 'hsts', change: 'in-place', unset: false, capability: { since: 27, notOvn: true } }, {
    topic: 'tls', names: [own('hsts-include-subdomains')], parse: bool, unreadable: 'blocks', example: 'true',
    doc: 'HSTS for subdomains as well.' }),
  hsts_preload: attr({ needs: 'hsts', change: 'in-place', unset: false, capability: { since: 27, notOvn: true } }, {
    topic: 'tls', names: [own('hsts-preload')], parse: bool, unreadable: 'blocks', example: 'true',
    doc: 'HSTS with the consent to be in the lists of browsers.' }),
  default_pool_id: attr<string | Ref | null>({ change: 'in-place' }),
  loadbalancer_id: attr<string | Ref>({ change: 'at-create' }),
  tags: attr<readonly string[]>({ change: 'in-place', compare: 'tags' }),
};

/** A policy that redirects to another scheme and host; path and query stay (Octavia API, L7 policies). */
// prettier-ignore
export const L7_POLICY = {
  name: attr<string>({ change: 'at-create' }),
  action: attr<'REDIRECT_PREFIX'>({ change: 'in-place' }),
  redirect_prefix: attr<string>({ change: 'in-place' }),
  redirect_http_code: attr<number>({ change: 'in-place', capability: { since: 9 } }),
  position: attr<number>({ change: 'at-create' }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
  listener_id: attr<string | Ref>({ change: 'at-create' }),
  tags: attr<readonly string[]>({ change: 'at-create' }),
};

/** A condition on requests for which an L7 policy applies. */
// prettier-ignore
export const L7_RULE = {
  type: attr<'PATH'>({ change: 'in-place' }),
  compare_type: attr<'STARTS_WITH'>({ change: 'in-place' }),
  value: attr<string>({ change: 'in-place' }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
};
