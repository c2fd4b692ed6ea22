import { ReconcileError } from '../model/errors.ts';
import type { ObjectMeta } from '../model/kubernetes.ts';
import type { Http, KubeRequest } from './kube-http.ts';

/** Path of a resource, or object, of the core API (Kubernetes API concepts, "Resource URIs"). */
export function corePath(resource: string, namespace?: string, name?: string): string {
  return path('/api/v1', resource, namespace, name);
}

export function leasePath(namespace: string, name?: string): string {
  return path('/apis/coordination.k8s.io/v1', 'leases', namespace, name);
}

export function endpointSlicePath(namespace?: string): string {
  return path('/apis/discovery.k8s.io/v1', 'endpointslices', namespace);
}

function path(group: string, resource: string, namespace?: string, name?: string): string {
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${group}${scope}/${resource}${object}`;
}

/** The object in an answer. Throws UNEXPECTED_RESPONSE for one without uid, which something else sent, such as a proxy. */
export function asObject(body: unknown, doing: string): { readonly metadata: ObjectMeta } {
  const { metadata } = (body ?? {}) as { metadata?: Partial<ObjectMeta> };
  if (typeof metadata?.uid === 'string') return body as { readonly metadata: ObjectMeta };
  throw new ReconcileError('UNEXPECTED_RESPONSE', `cannot ${doing}: the answer is no Kubernetes object`);
}

const PAGE = 500;

/** What to list: `path`, `doing` and selectors of a request. */
export type ListRequest = Pick<KubeRequest, 'path' | 'query' | 'doing' | 'metadataOnly'>;

interface Page {
  readonly items: readonly Item[];
  readonly metadata?: { readonly continue?: string; readonly resourceVersion?: string } | undefined;
}

/** All objects of a collection, and the version after which a watch tells what changes. */
export interface Snapshot<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

interface Item {
  readonly metadata?: { managedFields?: unknown };
  readonly status?: { images?: unknown };
}

/**
 * All objects of a collection, read in pages of one consistent snapshot, never a part of them. When the snapshot expires
 * (410; docs/sources/kubernetes.md, "Lists in pages") the list starts over once, then throws KUBE_UNAVAILABLE. The
 * objects come without field managers and a Node's images, the bulk of the JSON.
 */
export async function listAll<T>(http: Http, request: ListRequest): Promise<readonly T[]> {
  return (await listSnapshot<T>(http, request)).items;
}

/** The same with the version of the snapshot. */
export async function listSnapshot<T>(http: Http, request: ListRequest): Promise<Snapshot<T>> {
  const found = (await tryList(http, request)) ?? (await tryList(http, request));
  if (found) return found as Snapshot<T>;
  throw new ReconcileError('KUBE_UNAVAILABLE', `cannot ${request.doing}: the list expired twice on the way`, {
    status: 410,
  });
}

/** All objects; undefined if the snapshot expired. */
async function tryList(http: Http, request: ListRequest): Promise<Snapshot<unknown> | undefined> {
  const items: unknown[] = [];
  let resourceVersion = '';
  let token: string | undefined;
  do {
    const query = { ...request.query, limit: PAGE, ...(token !== undefined && { continue: token }) };
    const answer = await http({ ...request, method: 'GET', query, expected: [410] });
    if (answer.status === 410) return undefined;
    const page = asPage(answer.body, request.doing);
    for (const item of page.items) items.push(withoutBallast(item));
    token = page.metadata?.continue;
    resourceVersion = page.metadata?.resourceVersion ?? '';
  } while (token);
  return { items, resourceVersion };
}

function asPage(body: unknown, doing: string): Page {
  const page = body as { items?: unknown; metadata?: Page['metadata'] } | null;
  const items = page?.items;
  if (Array.isArray(items)) return { items: items as Item[], metadata: page?.metadata };
  throw new ReconcileError('UNEXPECTED_RESPONSE', `cannot ${doing}: the answer is no list`);
}

function withoutBallast(item: Item): Item {
  delete item.metadata?.managedFields;
  delete item.status?.images;
  return item;
}

/** The `labelSelector` for objects with all of these labels. */
export function toSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
}
