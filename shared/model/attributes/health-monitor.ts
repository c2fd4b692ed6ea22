import { KINX, OCCM, own } from '../annotation-prefixes.ts';
import type { Ref } from '../address.ts';
import { hostname, httpVersion, integer, oneOf, statusCodes, urlPath } from '../text/parsers.ts';
import { attrWithNeeds as attr } from './attribute-row.ts';

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
  name: attr<string>({ needs: null, change: 'at-create' }),
  delay: attr({ needs: null, change: 'in-place' }, {
    topic: 'monitor', names: [`${OCCM}health-monitor-delay`, `${KINX}healthcheck-interval`], parse: SECONDS, option: 'monitorDelay', unreadable: 'default', example: '10',
    doc: 'Seconds between two checks. With OCCM 0 never settles.' }),
  timeout: attr({ needs: null, change: 'in-place' }, {
    topic: 'monitor', names: [`${OCCM}health-monitor-timeout`, `${KINX}healthcheck-timeout`], parse: SECONDS, option: 'monitorTimeout', unreadable: 'default', example: '4',
    doc: 'Seconds a check may take.' }),
  max_retries: attr({ needs: null, change: 'in-place' }, {
    topic: 'monitor', names: [`${OCCM}health-monitor-max-retries`, `${KINX}healthcheck-retry`], parse: RETRIES, option: 'monitorMaxRetries', unreadable: 'default', example: '2',
    doc: 'Good checks until a member counts as up.' }),
  max_retries_down: attr({ needs: null, change: 'in-place' }, {
    topic: 'monitor', names: [`${OCCM}health-monitor-max-retries-down`], parse: RETRIES, option: 'monitorMaxRetriesDown', unreadable: 'default', example: '4',
    doc: 'Bad checks until a member counts as down.' }),
  type: attr<string>({ needs: null, change: 'new-pool', capability: [
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
  admin_state_up: attr<boolean>({ needs: null, change: 'in-place' }),
  tags: attr<readonly string[]>({ needs: null, change: 'in-place', compare: 'set-record' }),
  pool_id: attr<string | Ref>({ needs: null, change: 'at-create' }),
};
