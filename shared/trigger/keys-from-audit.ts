/**
 * Which keys an audit batch names, and what it must look like (docs/sources/kubernetes.md, "Audit events"). Items are checked one by one: a
 * bad one does not make the apiserver send the others again.
 */
import { auditEvent, eventList } from './audit-schema.generated.js';
import { collectKeys, type KindReading } from './collect-keys.ts';
import { OF_ALL_NODES, type Triggered } from '../model/request.ts';

interface EventList {
  readonly kind: 'EventList';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly items: readonly unknown[] | null;
}

interface AuditUser {
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

function isAuditEvent(value: unknown): value is AuditEvent {
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

/**
 * Maps audit events to keys (docs/sources/kubernetes.md, "Audit events"). Only committed writes count, and none of
 * the users in `self`. A forged event costs one run and no more.
 */
export function keysFromAudit(items: readonly unknown[], self: readonly string[]): Triggered {
  const own = new Set(self);
  return collectKeys(items.map((item) => (isAuditEvent(item) ? readEvent(item, own) : 'skipped')));
}

/** The user name of a ServiceAccount, `NAMESPACE/NAME`, in audit events (decision 172). */
export function serviceAccountUser(serviceAccount: string): string {
  return `system:serviceaccount:${serviceAccount.replace('/', ':')}`;
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const STATUS_WRITES = new Set(['update', 'patch']);

function readEvent(event: AuditEvent, own: ReadonlySet<string>): KindReading {
  const ref = event.objectRef;
  if (ref === undefined || !committed(event)) return 'ignored';
  if (isUsedByServices(ref)) return WRITES.has(event.verb) ? namespaceReading(event) : 'ignored';
  if ((ref.apiGroup ?? '') !== '') return 'ignored';
  const user: AuditUser = event.impersonatedUser ?? event.user;
  if (user.username !== undefined && own.has(user.username)) return 'ignored';

  const status = ref.subresource === 'status';
  if (ref.subresource && !status) return 'ignored';
  if (!(status ? STATUS_WRITES : WRITES).has(event.verb)) return 'ignored';

  if (ref.resource === 'services') return serviceReading(event);
  if (ref.resource !== 'nodes') return 'ignored';
  // A kubelet writes the status of its Node every few minutes, but its addresses only once: the sweep finds
  // those.
  if (status && user.groups?.includes('system:nodes')) return 'ignored';
  return { keys: keysOfNode(event), cause: event.auditID };
}

/** Keys for an event about Nodes. A delete, or an event without a name, concerns what depends on all Nodes. */
function keysOfNode({ objectRef, verb }: AuditEvent): readonly string[] {
  const { name, subresource } = objectRef ?? {};
  if (!name || verb === 'delete' || verb === 'deletecollection') return OF_ALL_NODES;
  return [`node/${name}`, ...(subresource ? ['nodeset'] : OF_ALL_NODES)];
}

function isUsedByServices({
  apiGroup = '',
  resource = '',
  subresource,
}: NonNullable<AuditEvent['objectRef']>): boolean {
  const kind = apiGroup === '' ? resource : `${resource}.${apiGroup}`;
  return ['endpointslices.discovery.k8s.io', 'secrets'].includes(kind) && !subresource;
}

/** The event does not name the Services that use the object. One sweep answers a burst. */
function namespaceReading({ auditID: cause, objectRef }: AuditEvent): KindReading {
  return objectRef?.namespace ? { keys: [`namespace/${objectRef.namespace}`], cause } : 'skipped';
}

/** The namespace, if the event has no name, as with generateName or deletecollection. */
function serviceReading({ auditID: cause, objectRef, verb }: AuditEvent): KindReading {
  const namespace = objectRef?.namespace;
  if (!namespace) return 'skipped';
  if (objectRef.name && verb !== 'deletecollection')
    return { keys: [`service/${namespace}/${objectRef.name}`], cause };
  return verb === 'create' || verb === 'deletecollection'
    ? { keys: [`namespace/${namespace}`], cause }
    : 'skipped';
}

function committed(event: AuditEvent): boolean {
  const code = event.responseStatus?.code ?? 0;
  return event.stage === 'ResponseComplete' && code >= 200 && code < 300 && !dryRun(event.requestURI);
}

function dryRun(requestURI: string): boolean {
  const query = requestURI.indexOf('?');
  if (query < 0 || !requestURI.includes('dryRun=', query)) return false;
  return new URLSearchParams(requestURI.slice(query)).getAll('dryRun').includes('All');
}
