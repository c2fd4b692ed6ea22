import type { Ref } from '../address.ts';
import { KINX, OCCM, own } from '../annotation-prefixes.ts';
import {
  bool,
  ciphers,
  hostname,
  httpVersion,
  integer,
  oneOf,
  persistence,
  statusCodes,
  tlsVersions,
  urlPath,
} from '../text/parsers.ts';
import { attr } from './attribute-row.ts';

export type PoolProtocol = 'TCP' | 'HTTP' | 'HTTPS' | 'PROXY' | 'PROXYV2' | 'UDP' | 'SCTP';

const HTTP_POOLS = ['HTTP', 'HTTPS', 'PROXY', 'PROXYV2'];

// prettier-ignore
export const POOL = {
  name: attr<string>({ change: 'at-create' }),
  lb_algorithm: attr<string>({ change: 'in-place', capability: [
    { values: ['SOURCE_IP_PORT'], since: 13, notAmphora: true, instead: 'SOURCE_IP' },
    { values: ['ROUND_ROBIN'], notOvn: true, instead: 'SOURCE_IP_PORT', implied: true },
    { values: ['LEAST_CONNECTIONS', 'SOURCE_IP'], notOvn: true, instead: 'SOURCE_IP_PORT' },
  ] }, {
    topic: 'members', names: [`${OCCM}lb-method`], parse: oneOf('ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP', 'SOURCE_IP_PORT'), option: 'lbMethod', unreadable: 'default', example: 'LEAST_CONNECTIONS',
    doc: 'How a member is chosen.' }),
  session_persistence: attr({ change: 'in-place', compare: 'sparse', capability: { values: ['HTTP_COOKIE', 'APP_COOKIE'], notOvn: true, instead: null } }, {
    topic: 'members', names: [own('session-persistence')], parse: persistence, unreadable: 'default', example: 'APP_COOKIE JSESSIONID',
    doc: 'How a client stays on a member: SOURCE_IP, HTTP_COOKIE, or APP_COOKIE with the name of the cookie; none. Else spec.sessionAffinity says.' }),
  protocol: attr<PoolProtocol>({ change: 'new-pool', capability: [
    { values: HTTP_POOLS, notOvn: true, instead: 'TCP' },
    { values: ['PROXYV2'], since: 22, instead: 'PROXY' },
  ] }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
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
  loadbalancer_id: attr<string | Ref>({ change: 'at-create' }),
  tags: attr<readonly string[]>({ change: 'in-place', compare: 'set-record' }),
};

// prettier-ignore
export const MEMBER = {
  name: attr<string>({ change: 'at-create' }),
  address: attr<string>({ change: 'recreate' }),
  protocol_port: attr<number>({ change: 'recreate' }),
  subnet_id: attr<string>({ change: 'new-pool' }),
  monitor_port: attr<number | null>({ change: 'in-place', capability: [
    { at: 'udp', since: 16, instead: null, implied: true },
    { notOvn: true, instead: null, implied: true },
  ] }),
  /** Share of the new connections, 0 to 256. */
  weight: attr<number>({ change: 'in-place', unset: 1 }),
  /** Whether the member gets traffic only while all members that are no backups are down. */
  backup: attr<boolean>({ change: 'in-place', capability: { values: [true], since: 1, notOvn: true, instead: false, implied: true } }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
  tags: attr<readonly string[]>({ change: 'in-place', compare: 'set-record' }),
};

const SECONDS = integer(1, 86_400);
const RETRIES = integer(1, 10);

const BY_HTTP = {
  needs: 'http-check',
  change: 'in-place',
  capability: [
    { notOvn: true, implied: true },
    { at: 'udp', since: 16, implied: true },
  ],
} as const;

// prettier-ignore
export const HEALTH_MONITOR = {
  name: attr<string>({ change: 'at-create' }),
  delay: attr({ change: 'in-place' }, {
    topic: 'monitor', names: [`${OCCM}health-monitor-delay`, `${KINX}healthcheck-interval`], parse: SECONDS, option: 'monitorDelay', unreadable: 'default', example: '10',
    doc: 'Seconds between two checks. With OCCM 0 never settles.' }),
  timeout: attr({ change: 'in-place' }, {
    topic: 'monitor', names: [`${OCCM}health-monitor-timeout`, `${KINX}healthcheck-timeout`], parse: SECONDS, option: 'monitorTimeout', unreadable: 'default', example: '4',
    doc: 'Seconds a check may take.' }),
  max_retries: attr({ change: 'in-place' }, {
    topic: 'monitor', names: [`${OCCM}health-monitor-max-retries`, `${KINX}healthcheck-retry`], parse: RETRIES, option: 'monitorMaxRetries', unreadable: 'default', example: '2',
    doc: 'Successful checks until a member counts as up.' }),
  max_retries_down: attr({ change: 'in-place' }, {
    topic: 'monitor', names: [`${OCCM}health-monitor-max-retries-down`], parse: RETRIES, option: 'monitorMaxRetriesDown', unreadable: 'default', example: '4',
    doc: 'Failed checks until a member counts as down.' }),
  type: attr<string>({ change: 'new-pool', capability: [
    { values: ['HTTP', 'TCP', 'SCTP'], at: 'udp', since: 16, notOvn: true, instead: 'UDP-CONNECT', implied: true },
    { values: ['HTTP', 'HTTPS', 'PING', 'TLS-HELLO', 'SCTP'], notOvn: true, instead: 'TCP', implied: true } ] }, {
    topic: 'monitor', names: [own('monitor-type')], parse: oneOf('TCP', 'HTTP', 'HTTPS', 'TLS-HELLO', 'PING', 'UDP-CONNECT', 'SCTP'), unreadable: 'default', example: 'HTTP',
    doc: 'How members are checked; else by a connection of the port’s protocol.' }),
  url_path: attr(BY_HTTP, {
    topic: 'monitor', names: [own('monitor-url-path')], parse: urlPath, unreadable: 'default', example: '/healthz',
    doc: 'Path of an HTTP check.' }),
  expected_codes: attr(BY_HTTP, {
    topic: 'monitor', names: [own('monitor-expected-codes')], parse: statusCodes, unreadable: 'default', example: '200-299',
    doc: 'Answers to an HTTP check that are good: 200, 200,204 or 200-299.' }),
  http_method: attr<string>(BY_HTTP, {
    topic: 'monitor', names: [own('monitor-http-method')], parse: oneOf('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'TRACE', 'PATCH', 'CONNECT'), unreadable: 'default', example: 'HEAD',
    doc: 'Method of an HTTP check.' }),
  http_version: attr({ needs: 'http-check', change: 'in-place', unset: null, capability: { since: 10, notOvn: true } }, {
    topic: 'monitor', names: [own('monitor-http-version')], parse: httpVersion, unreadable: 'default', example: '1.1',
    doc: 'HTTP version of an HTTP check.' }),
  domain_name: attr({ needs: 'http-check', change: 'in-place', unset: null, capability: { since: 10, notOvn: true } }, {
    topic: 'monitor', names: [own('monitor-domain-name')], parse: hostname, unreadable: 'default', example: 'app.example.org',
    doc: 'Host of an HTTP check (of version 1.1).' }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
  tags: attr<readonly string[]>({ change: 'in-place', compare: 'set-record' }),
  pool_id: attr<string | Ref>({ change: 'at-create' }),
};
