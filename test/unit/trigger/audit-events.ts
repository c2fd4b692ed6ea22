/**
 * Audit events as a kube-apiserver 1.36 sends them at level Metadata (docs/sources/kubernetes.md, "Audit events"), for
 * tests to vary.
 */
import type { AuditEvent } from '../../../shared/trigger/keys-from-audit.ts';

export const SELF = 'system:serviceaccount:levelset:levelset';

export function serviceEvent(verb: string, change: Partial<AuditEvent> = {}): AuditEvent {
  return {
    auditID: '7d3c0b52-5a0e-4f7e-9a53-0f6f3b1d2a11',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/shop/services/web?fieldManager=kubectl-client-side-apply',
    verb,
    user: { username: 'alice', groups: ['devs', 'system:authenticated'] },
    objectRef: { resource: 'services', namespace: 'shop', name: 'web' },
    responseStatus: { code: 200 },
    ...change,
  };
}

export function nodeEvent(verb: string, change: Partial<AuditEvent> = {}): AuditEvent {
  return serviceEvent(verb, {
    auditID: '2f0f1c9e-1111-4a4a-8b8b-5b7d6a9f0c22',
    requestURI: '/api/v1/nodes/worker-7',
    user: { username: 'system:node:worker-7', groups: ['system:nodes', 'system:authenticated'] },
    objectRef: { resource: 'nodes', name: 'worker-7' },
    responseStatus: { code: 201 },
    ...change,
  });
}

export function eventList(items: readonly unknown[]): unknown {
  return { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items };
}
