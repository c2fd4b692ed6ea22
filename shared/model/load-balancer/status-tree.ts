/** GET /v2.0/lbaas/loadbalancers/{id}/status: what is on a load balancer, and its state, in one call (Octavia API). */
interface StatusNode {
  readonly id: string;
  readonly provisioning_status: string;
}

export interface StatusMember extends StatusNode {
  readonly address: string;
  readonly protocol_port: number;
}

export interface StatusPool extends StatusNode {
  readonly health_monitor?: StatusNode;
  readonly members: readonly StatusMember[];
}

export interface StatusListener extends StatusNode {
  readonly pools: readonly StatusPool[];
}

export interface StatusTree extends StatusNode {
  readonly listeners: readonly StatusListener[];
}
