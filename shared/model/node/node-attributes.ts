/** What levelset writes to a Node. */
import type { NodeAddress, NodeCondition, Taint } from '../kubernetes.ts';

/** Metadata and spec of a Node: one PATCH. Of labels and annotations only those that are named; null takes one away. */
export interface NodeObject {
  providerID: string;
  labels: Readonly<Record<string, string | null>>;
  annotations: Readonly<Record<string, string | null>>;
  taints: readonly Taint[];
  podCIDRs: readonly string[];
}

/** Its status: another PATCH. Of conditions only those that are named. */
export interface NodeStatus {
  addresses: readonly NodeAddress[];
  conditions: readonly NodeCondition[];
}

/** A merge patch of a Node's metadata and spec. */
export interface NodePatch {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string | null>>;
    readonly annotations?: Readonly<Record<string, string | null>>;
  };
  readonly spec?: {
    readonly providerID?: string;
    readonly taints?: readonly Taint[];
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
  };
}

export interface NodeStatusPatch {
  readonly addresses?: readonly NodeAddress[];
  /** The other ones stay. */
  readonly conditions?: readonly NodeCondition[];
}
