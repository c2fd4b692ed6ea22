import type { NodeAddress, NodeCondition, Taint } from '../kubernetes.ts';
import { attr } from './attribute-row.ts';

/** Metadata and spec, written by one PATCH: only what is named here changes. Kubernetes lets a providerID be set once. */
export const NODE = {
  providerID: attr<string>({ change: 'in-place' }),
  labels: attr<Readonly<Record<string, string | null>>>({ change: 'in-place', compare: 'entries' }),
  annotations: attr<Readonly<Record<string, string | null>>>({ change: 'in-place', compare: 'entries' }),
  taints: attr<readonly Taint[]>({ change: 'in-place' }),
};

/** The status of a Node, written by a PATCH of its own. Only the conditions named here change. */
export const NODE_STATUS = {
  addresses: attr<readonly NodeAddress[]>({ change: 'in-place' }),
  conditions: attr<readonly NodeCondition[]>({ change: 'in-place', compare: 'conditions' }),
};
