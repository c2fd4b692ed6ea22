import { attributesOf, type ATTRIBUTES } from '../../../shared/model/attributes.ts';
import type { AttributeRow } from '../../../shared/model/attributes/attribute-row.ts';

/** Another value for an attribute; `fixed`: why nobody can change it, not even by OpenStack's API. */
type Mutation = { readonly to: unknown } | { readonly fixed: string };

const to = (value: unknown): Mutation => ({ to: value });
const fixed = (why: string): Mutation => ({ fixed: why });

const AT_CREATE = fixed('the API takes it in a create only');
const CIPHERS =
  'Octavia fills it in by its configuration, so nobody knows what it was unless somebody asks for it';
const KNOWN = 'by its name and description the group is known; tags say the same';
const NEWER = 'the simulated Octavia is older: API 2.26';
const OTHER_ID = 'dddddddd-0000-4000-8000-000000000001';
const OTHER_REF = `http://127.0.0.1:9311/v1/secrets/${OTHER_ID}`;
/** Kinds whose drift a Service has. Nodes are Kubernetes'; of a router only routes are levelset's, and no unit of a Service. */
type Kind = Exclude<keyof typeof ATTRIBUTES, 'node' | 'nodestatus' | 'router'>;

/** Where neither the attribute's rule nor the example of its annotation says one. */
const GIVEN: { readonly [K in Kind]: { readonly [A in keyof (typeof ATTRIBUTES)[K]]?: Mutation } } = {
  loadbalancer: {
    name: fixed(
      'by its name it was made for a Service; with another one it is a user’s own, which is no drift',
    ),
    ...{ description: to('by hand'), admin_state_up: to(false), tags: to('with one more') },
    ...{ provider: AT_CREATE, vip_qos_policy_id: to(OTHER_ID), vip_sg_ids: fixed(NEWER) },
  },
  listener: {
    ...{ name: to('by hand'), admin_state_up: to(false), tags: to('without ours') },
    ...{ allowed_cidrs: to(['192.0.2.0/24']), insert_headers: to({ 'X-Forwarded-Port': 'true' }) },
    ...{ default_tls_container_ref: to(OTHER_REF), sni_container_refs: to([OTHER_REF]) },
    ...{ client_ca_tls_container_ref: to(OTHER_REF), client_crl_container_ref: to(OTHER_REF) },
    ...{ hsts_max_age: fixed(NEWER), hsts_include_subdomains: fixed(NEWER), hsts_preload: fixed(NEWER) },
    ...{ tls_ciphers: fixed(CIPHERS), default_pool_id: to(null), loadbalancer_id: AT_CREATE },
  },
  pool: {
    ...{ name: to('by hand'), admin_state_up: to(false), tags: to('with one more') },
    ...{ ca_tls_container_ref: to(OTHER_REF), tls_container_ref: to(OTHER_REF) },
    ...{ tls_versions: fixed(CIPHERS), tls_ciphers: fixed(CIPHERS) },
    ...{ lb_algorithm: to('SOURCE_IP'), loadbalancer_id: AT_CREATE },
  },
  member: {
    ...{ name: to('by hand'), admin_state_up: to(false), tags: to('with one more') },
    ...{ monitor_port: to(4711), backup: to(true), weight: to(7) },
  },
  healthmonitor: {
    ...{ name: to('by hand'), admin_state_up: to(false), tags: to('with one more'), pool_id: AT_CREATE },
  },
  l7policy: {
    ...{ name: to('by hand'), admin_state_up: to(false), tags: to('with one more') },
    action: fixed('another action takes other attributes with it'),
    position: fixed('Octavia numbers the policies of a listener anew with each of them'),
    ...{ redirect_prefix: to('https://by.hand.example'), redirect_http_code: to(307) },
    listener_id: AT_CREATE,
  },
  l7rule: {
    ...{ type: to('HEADER'), compare_type: to('CONTAINS'), value: to('/by-hand'), admin_state_up: to(false) },
  },
  floatingip: {
    fixed_ip_address: fixed('it goes with port_id, as long as the VIP port has one IPv4 address'),
    ...{ subnet_id: AT_CREATE, port_id: to(null), description: to('by hand'), tags: to('without ours') },
  },
  securitygroup: { name: fixed(KNOWN), description: fixed(KNOWN), tags: to('without ours') },
  securitygrouprule: {
    ...{ direction: AT_CREATE, ethertype: AT_CREATE, protocol: AT_CREATE, security_group_id: AT_CREATE },
    ...{ port_range_min: AT_CREATE, port_range_max: AT_CREATE, remote_ip_prefix: AT_CREATE },
  },
  port: {
    security_groups: to('without our group'),
    allowed_address_pairs: fixed('levelset sets it for routes, which are no part of a Service'),
  },
  secret: { name: AT_CREATE, mode: AT_CREATE, secret_type: AT_CREATE, payload: AT_CREATE },
};

function mutationOf({ change, annotation }: AttributeRow<unknown>): Mutation | undefined {
  if (change !== 'in-place' && change !== 'at-create') return AT_CREATE;
  const example = annotation?.parse(annotation.example);
  return example && 'value' in example ? to(example.value) : undefined;
}

/** What can be changed by hand: every attribute of the table, but those that are fixed. One of which nobody says how fails. */
export const MUTATIONS = Object.entries(GIVEN).flatMap(([kind, given]: [string, Given]) =>
  Object.entries(attributesOf(kind as Kind)).flatMap(([attribute, row]) => {
    const mutation = given[attribute] ?? mutationOf(row);
    if (!mutation) throw new TypeError(`no other value for ${kind}.${attribute}`);
    return 'to' in mutation ? [{ kind, attribute, to: mutation.to }] : [];
  }),
);

type Given = Readonly<Record<string, Mutation | undefined>>;
