import type { Ref } from '../address.ts';
import { OCCM, own } from '../annotation-prefixes.ts';
import { bool, ciphers, oneOf, persistence, tlsVersions } from '../text/parsers.ts';
import { attrWithNeeds as attr } from './attribute-row.ts';

export type PoolProtocol = 'TCP' | 'HTTP' | 'HTTPS' | 'PROXY' | 'PROXYV2' | 'UDP' | 'SCTP';

const HTTP_POOLS = ['HTTP', 'HTTPS', 'PROXY', 'PROXYV2'];

// prettier-ignore
export const POOL = {
  name: attr<string>({ needs: null, change: 'at-create' }),
  lb_algorithm: attr<string>({ needs: null, change: 'in-place', capability: [
    { values: ['SOURCE_IP_PORT'], since: 13, notAmphora: true, instead: 'SOURCE_IP' },
    { values: ['ROUND_ROBIN'], notOvn: true, instead: 'SOURCE_IP_PORT', implied: true },
    { values: ['LEAST_CONNECTIONS', 'SOURCE_IP'], notOvn: true, instead: 'SOURCE_IP_PORT' },
  ] }, {
    topic: 'members', names: [`${OCCM}lb-method`], parse: oneOf('ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP', 'SOURCE_IP_PORT'), option: 'lbMethod', unreadable: 'default', example: 'LEAST_CONNECTIONS',
    doc: 'How a member is chosen.' }),
  session_persistence: attr({ needs: null, change: 'in-place', compare: 'sparse', capability: { values: ['HTTP_COOKIE', 'APP_COOKIE'], notOvn: true, instead: null } }, {
    topic: 'members', names: [own('session-persistence')], parse: persistence, unreadable: 'default', example: 'APP_COOKIE JSESSIONID',
    doc: 'How a client stays on a member: SOURCE_IP, HTTP_COOKIE, or APP_COOKIE with the name of the cookie; none. Else spec.sessionAffinity says.' }),
  protocol: attr<PoolProtocol>({ needs: null, change: 'new-pool', capability: [
    { values: HTTP_POOLS, notOvn: true, instead: 'TCP' },
    { values: ['PROXYV2'], since: 22, instead: 'PROXY' },
  ] }),
  admin_state_up: attr<boolean>({ needs: null, change: 'in-place' }),
  tls_enabled: attr({ needs: 'tcp', change: 'in-place', unset: false, capability: { since: 8, notOvn: true, guards: true } }, {
    topic: 'tls', names: [own('pool-tls')], parse: bool, unreadable: 'blocks', example: 'true',
    doc: 'Members are spoken to by TLS.' }),
  ca_tls_container_ref: attr<string>({ needs: 'tls-to-members', change: 'in-place', compare: 'reference', unset: null, capability: { since: 8, notOvn: true, guards: true } }),
  tls_container_ref: attr<string>({ needs: 'tls-to-members', change: 'in-place', compare: 'reference', unset: null, capability: { since: 8, notOvn: true, guards: true } }),
  tls_versions: attr({ needs: 'tls-to-members', change: 'in-place', compare: 'set', unset: null, capability: { since: 18, notOvn: true, guards: true } }, {
    topic: 'tls', names: [own('pool-tls-versions')], parse: tlsVersions, list: true, unreadable: 'blocks', example: 'TLSv1.3',
    doc: 'Versions of TLS to members.' }),
  tls_ciphers: attr({ needs: 'tls-to-members', change: 'in-place', unset: null, capability: { since: 15, notOvn: true, guards: true } }, {
    topic: 'tls', names: [own('pool-tls-ciphers')], parse: ciphers, unreadable: 'blocks', example: 'ECDHE-RSA-AES256-GCM-SHA384',
    doc: 'Ciphers to members.' }),
  loadbalancer_id: attr<string | Ref>({ needs: null, change: 'at-create' }),
  tags: attr<readonly string[]>({ needs: null, change: 'in-place', compare: 'set-record' }),
};
