import type { NodeAddress, NodeCondition, Taint } from '../kubernetes.ts';
import { attr } from './attribute-row.ts';

/**
 * Metadata and spec of a Node, written by one PATCH. Only the labels and annotations named here change; null removes
 * one. A providerID is desired only if the Node has none: Kubernetes lets it be set once.
 */
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
