import { asJson, asText, type Json } from '../../../json.ts';
import { octaviaFault } from '../../../refusal.ts';
import type { CloudState } from '../../cloud-state.ts';
import { datagram, invalid, invalidOption } from './listener-rules.ts';
import type { HealthMonitor } from '../objects.ts';
import type { OctaviaTraits } from '../traits.ts';

/** Checks persistence against the pool's protocol. The messages of create and update differ in one word. */
export function checkPersistence(protocol: string, given: unknown, creating: boolean): void {
  if (given === undefined || given === null) return;
  const persistence = asJson(given);
  const type = asText(persistence['type']);
  const cookie = asText(persistence['cookie_name']);
  const timed = persistence['persistence_timeout'] ?? persistence['persistence_granularity'] ?? null;
  if (datagram(protocol)) {
    if (type === 'SOURCE_IP' && cookie !== '')
      throw invalid(
        'session_persistence SOURCE_IP type for UDP and SCTP protocols only accepts: type, persistence_timeout, persistence_granularity.',
      );
    if (cookie !== '') throw invalid('Cookie names are not supported for UDP/SCTP pools.');
    if (type.endsWith('_COOKIE'))
      throw invalid(`Session persistence of type ${type} is not supported for UDP/SCTP protocol pools.`);
  } else if (timed !== null) {
    const where = creating ? 'UDP and SCTP' : 'UDP';
    throw invalid(`persistence_timeout and persistence_granularity is only for ${where} protocol pools.`);
  }
  if (type === '') throw invalid('Invalid session_persistence provided.');
  checkCookie(type, cookie);
}

function checkCookie(type: string, cookie: string): void {
  if (cookie !== '' && type !== 'APP_COOKIE')
    throw invalid('Field "cookie_name" can only be specified with session persistence of type "APP_COOKIE".');
  if (/[\x00-\x20"()/,:-@[-\]{}\x7f]/.test(cookie)) throw invalid('Supplied "cookie_name" is invalid.');
  if (type === 'APP_COOKIE' && cookie === '')
    throw invalid(
      'Field "cookie_name" must be specified when using the "APP_COOKIE" session persistence type.',
    );
}

/** A revocation list of members needs the CA it belongs to. */
export function checkRevocationList(body: Json): void {
  if (Boolean(body['crl_container_ref']) && !body['ca_tls_container_ref'])
    throw invalid('A CA certificate reference is required to specify a revocation list.');
}

/** A monitor's type against its pool's protocol. Before 2.16 a UDP pool took UDP-CONNECT alone. UDP-CONNECT without `delay` in an update is a 500 (tried on the lab). */
export function checkMonitorType(
  poolProtocol: string,
  type: string,
  delay: unknown,
  { minor, says }: OctaviaTraits,
): void {
  const types = minor < 16 ? ['UDP-CONNECT'] : ['UDP-CONNECT', 'SCTP', 'TCP', 'HTTP'];
  if (datagram(poolProtocol) && !types.includes(type)) {
    throw invalid(
      `The associated pool protocol is ${poolProtocol}, so only a ${types.join('/')} health monitor is supported.`,
    );
  }
  if (!datagram(poolProtocol) && (type === 'UDP-CONNECT' || type === 'SCTP'))
    throw invalid(`The ${type} type is only supported for pools of type UDP/SCTP.`);
  const least = 3;
  if (type !== 'UDP-CONNECT') return;
  if (typeof delay !== 'number') {
    if (says('PUT of a UDP-CONNECT monitor without a delay') === '200') return;
    throw octaviaFault(500, "'<' not supported between instances of 'UnsetType' and 'int'");
  }
  if (delay < least) {
    throw invalid(
      `The request delay value ${delay} should be larger than ${least} for UDP-CONNECT health monitor type.`,
    );
  }
}

const http = ['http_method', 'url_path', 'expected_codes'];
const speaksHttp = (type: unknown): boolean => type === 'HTTP' || type === 'HTTPS';

/** Refuses HTTP options on monitors without HTTP, and a domain name without the HTTP version that it needs. */
export function checkMonitorOptions(body: Json): void {
  const type = asText(body['type']);
  const wrong = http.find((name) => Boolean(body[name]));
  if (!speaksHttp(type) && wrong !== undefined) throw invalidOption(wrong, `health monitors of type ${type}`);
  checkDomainName(body['domain_name'], body['http_version']);
}

/** The same for an update, in which null counts as given. Delay, max_retries and timeout cannot be null. */
export function checkMonitorUpdate(monitor: HealthMonitor, given: Json): void {
  const wrong = http.find((name) => name in given);
  if (!speaksHttp(monitor.type) && wrong !== undefined)
    throw invalidOption(wrong, `health monitors of type ${monitor.type}`);
  for (const name of ['delay', 'max_retries', 'timeout'])
    if (given[name] === null) throw invalidOption('None', name);
  const version = given['http_version'] ?? monitor['http_version'];
  checkDomainName(given['domain_name'] ?? monitor['domain_name'], version);
}

function checkDomainName(name: unknown, version: unknown): void {
  if (!name) return;
  if (typeof version !== 'number')
    throw invalid("'http_version' must be specified when 'domain_name' is provided.");
  if (version < 1.1)
    throw invalidOption(
      `http_version ${version.toFixed(1)}`,
      'health monitors HTTP 1.1 domain name health check',
    );
}

/** By the name of the quota: how Octavia calls the objects, and their list. */
const limited = {
  load_balancer: ['Load Balancer', 'loadbalancers'],
  listener: ['Listener', 'listeners'],
  pool: ['Pool', 'pools'],
  member: ['Member', 'members'],
  health_monitor: ['Health Monitor', 'healthmonitors'],
  l7policy: ['L7 Policy', 'l7policies'],
  l7rule: ['L7 Rule', 'l7rules'],
} as const;

/** Refuses when `more` objects would pass the project's quota; Octavia answers 403 for that, never 413. */
export function checkQuota(world: CloudState, kind: keyof typeof limited, owner: string, more = 1): void {
  const [title, table] = limited[kind];
  const limit = world.quotas[kind];
  if (limit >= 0 && world[table].count('project_id', owner) + more > limit)
    throw octaviaFault(403, `Quota has been met for resources: ${title}`);
}
