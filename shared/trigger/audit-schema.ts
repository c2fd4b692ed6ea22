/**
 * What an audit batch must look like (docs/sources/kubernetes.md, "Audit events"). Items are checked one by one: a
 * bad one does not make the apiserver send the others again.
 */
import { auditEvent, eventList } from './audit-schema.generated.js';

interface EventList {
  readonly kind: 'EventList';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly items: readonly unknown[] | null;
}

export interface AuditUser {
  readonly username?: string;
  readonly groups?: readonly string[];
}

export interface AuditEvent {
  readonly auditID: string;
  readonly stage: string;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly objectRef?: {
    readonly resource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

export function isAuditEvent(value: unknown): value is AuditEvent {
  return auditEvent(value);
}

/** The list, or one line that says why the value is none. */
export function readEventList(value: unknown): EventList | string {
  if (eventList(value)) return value as EventList;
  const error = eventList.errors?.[0];
  const where = error?.instancePath.slice(1);
  const allowed = error?.params['allowedValue'];
  const rule = allowed === undefined ? (error?.message ?? 'is wrong') : `must be ${JSON.stringify(allowed)}`;
  return `not an audit.k8s.io/v1 EventList: ${where ? `"${where}"` : 'the body'} ${rule}`;
}
