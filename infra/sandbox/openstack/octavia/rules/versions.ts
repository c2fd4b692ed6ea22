import { type Json, asJson, asList, isJson } from '../../../json.ts';
import { Refusal, octaviaFault } from '../../../refusal.ts';
import { type ResourceKind, argumentName } from './attributes.ts';
import { checkKnown } from './body.ts';
import type { Call } from '../../../exchange.ts';

type Since = Readonly<Record<string, number>>;

const tls = { tls_ciphers: 15, tls_versions: 17, alpn_protocols: 20 };
const timeouts = ['client_data', 'member_connect', 'member_data', 'tcp_inspect'];

/** The API minor version that brought an attribute (octavia/api/root_controller.py and the API reference). */
const since: Record<ResourceKind, Since> = {
  loadbalancer: {
    tags: 5,
    flavor_id: 6,
    availability_zone: 14,
    additional_vips: 26,
    vip_vnic_type: 28,
    vip_sg_ids: 29,
  },
  listener: {
    ...Object.fromEntries(timeouts.map((name) => [`timeout_${name}`, 1])),
    ...{ tags: 5, client_authentication: 8, client_ca_tls_container_ref: 8, client_crl_container_ref: 8 },
    ...{ allowed_cidrs: 12, ...tls, hsts_max_age: 27, hsts_include_subdomains: 27, hsts_preload: 27 },
  },
  pool: {
    ...{ tags: 5, tls_container_ref: 8, ca_tls_container_ref: 8, crl_container_ref: 8, tls_enabled: 8 },
    ...{ tls_ciphers: 15, tls_versions: 18, alpn_protocols: 24 },
  },
  member: { tags: 5, backup: 1 },
  healthmonitor: { tags: 5, http_version: 10, domain_name: 10 },
  l7policy: { tags: 5, redirect_http_code: 9 },
  rule: { tags: 5 },
};

/** Values that came later than their attribute. */
const values: Record<string, Since> = {
  'listener protocol': { UDP: 2, SCTP: 23, PROMETHEUS: 25 },
  'pool protocol': { UDP: 2, PROXYV2: 22, SCTP: 23 },
  'pool lb_algorithm': { SOURCE_IP_PORT: 13 },
  'healthmonitor type': { 'UDP-CONNECT': 2, SCTP: 23 },
};

const nested: Record<string, ResourceKind> = {
  listeners: 'listener',
  pools: 'pool',
  default_pool: 'pool',
  redirect_pool: 'pool',
  members: 'member',
  healthmonitor: 'healthmonitor',
  l7policies: 'l7policy',
  rules: 'rule',
};

/** An attribute or value that an older Octavia does not know is refused as any unknown one is (not tried). */
function checkVersion(minor: number, kind: ResourceKind, body: Json, at = argumentName[kind]): void {
  const newer = new Set(namesAfter(minor, kind));
  const known = Object.keys(body).filter((name) => !newer.has(name));
  checkKnown(Object.keys(body), new Set(known), at);
  for (const [name, value] of Object.entries(body)) {
    const from = values[`${kind} ${name}`]?.[String(value)];
    if (from !== undefined && from > minor)
      throw octaviaFault(
        400,
        `Invalid input for field/attribute ${name}. Value: '${String(value)}'. Value should be one of: `,
      );
    const child = nested[name];
    if (child === undefined) continue;
    for (const one of isJson(value) ? [value] : asList(value))
      checkVersion(minor, child, asJson(one), `${at}.${name}`);
  }
}

/** An answer without what the version does not show. */
export function asOfVersion(minor: number, kind: ResourceKind, view: Json): Json {
  const newer = new Set(namesAfter(minor, kind));
  return newer.size === 0
    ? view
    : Object.fromEntries(Object.entries(view).filter(([name]) => !newer.has(name)));
}

const namesAfter = (minor: number, kind: ResourceKind): string[] =>
  Object.entries(since[kind]).flatMap(([name, from]) => (from > minor ? [name] : []));

/** The object in a request's body, which has one key with the resource's name. */
export function bodyOf(call: Call, name: ResourceKind, minor: number): Json {
  const body = asJson(call.body);
  const unknown = Object.keys(body).find((key) => key !== name);
  if (unknown !== undefined)
    throw octaviaFault(
      400,
      `Unknown attribute for argument ${argumentName[name].split('.')[0] ?? ''}: ${unknown}`,
    );
  const given = asJson(body[name]);
  checkVersion(minor, name, given);
  return given;
}

export const notFound = (): Error => new Refusal(404, { code: 404, title: 'Not Found', description: '' });
export const notAllowed = (): Error =>
  new Refusal(405, { code: 405, title: 'Method Not Allowed', description: '' });
