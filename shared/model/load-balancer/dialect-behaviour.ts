import type { Dialect } from './name-schemes.ts';
import type { ResourceKind } from '../resources.ts';

/**
 * What the controllers before us bring into line by themselves once a resource exists (openstack-ccm.md, 4.5;
 * providers.md, 2.3). On what they made, everything else would be a behaviour that they never gave, and waits for
 * approval (decision 6). Both give and take listeners with their pools, and members as nodes come and go.
 */
const BEHAVIOUR: Readonly<Record<Dialect, Readonly<Partial<Record<ResourceKind, readonly string[]>>>>> = {
  occm: {
    listener: [
      'allowed_cidrs',
      'connection_limit',
      'default_pool_id',
      'default_tls_container_ref',
      'insert_headers',
      'timeout_client_data',
      'timeout_member_connect',
      'timeout_member_data',
      'timeout_tcp_inspect',
    ],
    pool: ['protocol', 'lb_algorithm'],
    member: ['monitor_port'],
    healthmonitor: ['type', 'delay', 'timeout', 'max_retries', 'max_retries_down'],
  },
  kinx: {
    listener: ['default_pool_id', 'default_tls_container_ref', 'sni_container_refs'],
  },
};

export function behaviourOf(dialect: Dialect, kind: ResourceKind): readonly string[] {
  return BEHAVIOUR[dialect][kind] ?? [];
}

/** Who the old controller is, in a sentence. */
export const CONTROLLER: Readonly<Record<Dialect, string>> = { occm: 'the Go provider', kinx: 'kinx' };
