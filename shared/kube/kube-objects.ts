import { ListPages } from '../http.ts';
import { isTooLong, ReconcileError } from '../model/errors.ts';
import type { ObjectMeta } from '../model/kubernetes.ts';
import type { KubeHttp, KubeAnswer, KubeRequest } from './kube-http.ts';

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
type ListRequest = Pick<KubeRequest, 'path' | 'query' | 'doing' | 'metadataOnly' | 'signal'> & {
  /** Objects of one answer: fewer take less memory and more calls. */
  readonly pageSize?: number;
};

interface Page {
  readonly items: readonly Item[];
  readonly metadata?: { readonly continue?: string; readonly resourceVersion?: string } | undefined;
}

/** A part of a collection, and the version of the whole, after which a watch tells what changes. */
interface Snapshot<T> {
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
export async function listAllObjects<T>(http: KubeHttp, request: ListRequest): Promise<readonly T[]> {
  return (await tryList<T>(http, request)) ?? (await tryList<T>(http, request)) ?? expired(request, 'twice ');
}

/** All objects; undefined if the snapshot expired. */
async function tryList<T>(http: KubeHttp, request: ListRequest): Promise<readonly T[] | undefined> {
  const items: T[] = [];
  for await (const page of pagesOf<T>(http, request, true)) {
    if (page === undefined) return undefined;
    items.push(...page.items);
  }
  return items;
}

/** The same page by page, so that nobody has to hold all of them. Throws KUBE_UNAVAILABLE (410) when the snapshot expires. */
export async function* listPages<T>(http: KubeHttp, request: ListRequest): AsyncGenerator<Snapshot<T>> {
  for await (const page of pagesOf<T>(http, request, false)) yield page ?? expired(request);
}

/** The last one is undefined if the snapshot expired. */
async function* pagesOf<T>(
  http: KubeHttp,
  request: ListRequest,
  areKept: boolean,
): AsyncGenerator<Snapshot<T> | undefined> {
  const pages = new ListPages(request.pageSize ?? PAGE);
  let token: string | undefined;
  const ask = (limit: number): Promise<KubeAnswer> =>
    http({
      ...request,
      method: 'GET',
      expected: [410],
      query: { ...request.query, limit, ...(token !== undefined && { continue: token }) },
    });
  for (;;) {
    const answer = await pages.ask(ask, isTooLong);
    if (answer.status === 410) {
      yield undefined;
      return;
    }
    const { items, metadata } = asPage(answer.body, request.doing);
    token = metadata?.continue;
    const read = items.map(withoutBallast);
    const why = pages.whyTooMuch(read, areKept);
    if (why !== undefined) throw new ReconcileError('UNEXPECTED_RESPONSE', `cannot ${request.doing}: ${why}`);
    yield { items: read as T[], resourceVersion: metadata?.resourceVersion ?? '' };
    if (!token) return;
  }
}

function expired({ doing }: ListRequest, often = ''): never {
  throw new ReconcileError('KUBE_UNAVAILABLE', `cannot ${doing}: the list expired ${often}on the way`, {
    status: 410,
  });
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
