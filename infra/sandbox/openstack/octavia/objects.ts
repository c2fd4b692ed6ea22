/**
 * Octavia's objects as the simulator keeps them: the wire's attributes plus the parent's id
 * (`loadbalancer_id`, `pool_id`, `l7policy_id`), which the wire shows as lists of ids instead.
 */
export interface OctaviaObject {
  [attribute: string]: unknown;
  readonly id: string;
  readonly project_id: string;
  readonly created_at: string;
  name: string;
  tags: readonly string[];
  provisioning_status: string;
  operating_status: string;
  updated_at: string | null;
}

export interface LoadBalancer extends OctaviaObject {
  readonly vip_address: string;
  readonly vip_port_id: string;
  readonly vip_subnet_id: string;
  readonly vip_network_id: string;
}

export interface Listener extends OctaviaObject {
  readonly loadbalancer_id: string;
  readonly protocol: string;
  readonly protocol_port: number;
  default_pool_id: string | null;
}

export interface Pool extends OctaviaObject {
  readonly loadbalancer_id: string;
  readonly protocol: string;
}

export interface L7Policy extends OctaviaObject {
  readonly listener_id: string;
  redirect_pool_id: string | null;
  position: number;
}

export interface L7Rule extends OctaviaObject {
  readonly l7policy_id: string;
}

export interface Member extends OctaviaObject {
  readonly pool_id: string;
  readonly address: string;
  readonly protocol_port: number;
}

export interface HealthMonitor extends OctaviaObject {
  readonly pool_id: string;
  readonly type: string;
}
