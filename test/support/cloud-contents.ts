import type { ReadKind } from '../../shared/ports.ts';

/** A row of OpenStack as its API answers it. */
export type Wire = Record<string, unknown> & { readonly id: string };
export type Contents = Readonly<Partial<Record<ReadKind, readonly Wire[]>>>;

export const CERTIFICATE = 'aaaaaaaa-0000-4000-8000-0000000000c1';
/** A PKCS12 secret. */
export const OTHER_CERTIFICATE = 'aaaaaaaa-0000-4000-8000-0000000000c2';
/** A certificate authority, and its list of what it took back. */
export const AUTHORITY = 'aaaaaaaa-0000-4000-8000-0000000000c3';
export const REVOCATIONS = 'aaaaaaaa-0000-4000-8000-0000000000c4';
/** A port that is nobody's yet. */
export const FREE_PORT = '4b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
export const SUBNET = 'aaaaaaaa-0000-4000-8000-000000000001';
export const OTHER_SUBNET = 'aaaaaaaa-0000-4000-8000-000000000002';
export const SUBNET_IPV6 = 'aaaaaaaa-0000-4000-8000-000000000006';
export const QOS_POLICY = '6b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
export const NETWORK = 'aaaaaaaa-0000-4000-8000-00000000000a';
export const PUBLIC = 'aaaaaaaa-0000-4000-8000-00000000000e';
/** The group that a node's port has without us. */
export const NODE_GROUP = 'f0000000-0000-4000-8000-000000000001';
export const PUBLIC_SUBNET = 'aaaaaaaa-0000-4000-8000-00000000000f';
const SECOND_PUBLIC_SUBNET = 'aaaaaaaa-0000-4000-8000-000000000010';

/** Two subnets, an external network with two more, and a port for each of the first node addresses. */
export const NETWORKS: Contents = {
  subnet: [
    { id: SUBNET, cidr: '10.0.0.0/24', network_id: NETWORK },
    { id: OTHER_SUBNET, cidr: '10.9.0.0/24', network_id: NETWORK },
    { id: SUBNET_IPV6, cidr: 'fd00:10::/64', network_id: NETWORK, ip_version: 6, ipv6_address_mode: 'slaac' },
    { id: PUBLIC_SUBNET, cidr: '203.0.113.0/24', network_id: PUBLIC, name: 'public-1', tags: ['paid'] },
    { id: SECOND_PUBLIC_SUBNET, cidr: '198.51.100.0/24', network_id: PUBLIC, name: 'public-2' },
  ],
  flavor: [
    { id: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d', name: 'large', enabled: true },
    { id: 'aaaaaaaa-0000-4000-8000-0000000000f1', name: 'small', enabled: true },
  ],
  availabilityzone: ['az1', 'az-1'].map((name) => ({ id: name, name, enabled: true })),
  qos_policy: [{ id: QOS_POLICY }],
  securitygroup: [{ id: NODE_GROUP, name: 'default' }],
  network: [{ id: PUBLIC, 'router:external': 'true' }],
  container: [{ id: CERTIFICATE, container_ref: `http://127.0.0.1:9311/v1/containers/${CERTIFICATE}` }],
  secret: [OTHER_CERTIFICATE, AUTHORITY, REVOCATIONS].map((id) => ({
    id,
    secret_ref: `http://127.0.0.1:9311/v1/secrets/${id}`,
  })),
  port: [
    ...Array.from({ length: 20 }, (_, at) =>
      portOf(`bbbbbbbb-0000-4000-8000-${String(at).padStart(12, '0')}`, at + 1, NODE_GROUP),
    ),
    portOf(FREE_PORT, 150),
  ],
};

function portOf(id: string, at: number, ...security_groups: readonly string[]): Wire {
  return {
    ...{ id, security_groups, port_security_enabled: true, revision_number: 1 },
    fixed_ips: [
      { subnet_id: SUBNET, ip_address: `10.0.0.${at}` },
      { subnet_id: SUBNET_IPV6, ip_address: `fd00:10::${at}` },
    ],
  };
}
