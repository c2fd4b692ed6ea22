import { fields, listOf, maybe, number, string, texts } from '../model/shape.ts';
import { fieldsOf, stringAt } from '../model/json.ts';
import { ListPages } from '../http.ts';
import { isTooLong, ReconcileError } from '../model/errors.ts';
import type {
  ConfigMap,
  EndpointSlice,
  Lease,
  Node,
  ObjectMeta,
  Pod,
  Secret,
  Service,
} from '../model/kubernetes.ts';
import type { KubeHttp, KubeAnswer, KubeRequest } from './kube-http.ts';

const names = {
  name: string,
  uid: string,
  resourceVersion: string,
  annotations: maybe(texts),
  finalizers: maybe(listOf(string)),
};
const metadata = fields(names);
const port = fields({ port: number, protocol: string });
const address = fields({ type: string, address: string });
const endpoint = fields({ addresses: maybe(listOf(string)) });

/** What levelset counts on in an apiserver's objects (decision 534). */
const SHAPES = {
  Metadata: fields({ metadata }),
  Service: fields({
    metadata: fields({ ...names, namespace: string }),
    spec: fields({ type: string, ports: maybe(listOf(port)) }),
  }),
  Node: fields({ metadata, status: fields({ addresses: maybe(listOf(address)) }) }),
  EndpointSlice: fields({ metadata, addressType: string, endpoints: maybe(listOf(endpoint)) }),
  Pod: fields({ metadata }),
  Secret: fields({ metadata, data: maybe(texts) }),
  ConfigMap: fields({ metadata, data: maybe(texts) }),
  Lease: fields({ metadata, spec: maybe(fields({ holderIdentity: maybe(string) })) }),
};

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

interface Kinds {
  readonly Metadata: { readonly metadata: ObjectMeta };
  readonly Service: Service;
  readonly Node: Node;
  readonly EndpointSlice: EndpointSlice;
  readonly Pod: Pod;
  readonly Secret: Secret;
  readonly ConfigMap: ConfigMap;
  readonly Lease: Lease;
}
export type Kind = keyof Kinds;
export type ObjectOf<K extends Kind> = Kinds[K];

/** The object in an answer. Throws UNEXPECTED_RESPONSE for anything else, which something before the apiserver sent, such as a proxy. */
export function asObject<K extends Kind>(kind: K, body: unknown, doing: string): Kinds[K] {
  const { kind: itself = kind } = fieldsOf(body); // an item of a list has none
  const isOther = kind !== 'Metadata' && itself !== kind;
  const stray = isOther ? { field: '.kind', wanted: kind } : SHAPES[kind](body);
  if (stray === undefined) return body as Kinds[K];
  const why = `${stray.field} must be ${stray.wanted}`.trim();
  throw new ReconcileError(
    'UNEXPECTED_RESPONSE',
    `cannot ${doing}: the answer is not a Kubernetes object: ${why}`,
  );
}

export async function getObject<K extends Kind>(
  http: KubeHttp,
  kind: K,
  path: string,
  doing: string,
): Promise<Kinds[K] | undefined> {
  const answer = await http({ method: 'GET', path, doing, expected: [404] });
  return answer.status === 404 ? undefined : asObject(kind, answer.body, doing);
}

const PAGE = 500;

type ListRequest<K extends Kind> = Pick<KubeRequest, 'path' | 'query' | 'doing' | 'signal'> & {
  readonly kind: K;
  readonly pageSize?: number;
};

/** A part of a collection, and the version of the whole, after which a watch tells what changes. */
interface Snapshot<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

/**
 * All objects of a collection in one consistent snapshot, never a part. When it expires (410;
 * docs/sources/kubernetes.md, "Lists in pages") the list starts over once, then throws KUBE_UNAVAILABLE. Field
 * managers and images are left out.
 */
export async function listAllObjects<K extends Kind>(
  http: KubeHttp,
  request: ListRequest<K>,
): Promise<readonly Kinds[K][]> {
  return (await tryList(http, request)) ?? (await tryList(http, request)) ?? expired(request, 'twice ');
}

async function tryList<K extends Kind>(
  http: KubeHttp,
  request: ListRequest<K>,
): Promise<readonly Kinds[K][] | undefined> {
  const items: Kinds[K][] = [];
  for await (const page of pagesOf(http, request, true)) {
    if (page === undefined) return undefined;
    items.push(...page.items);
  }
  return items;
}

/** The same page by page, so that nobody has to hold all of them. Throws KUBE_UNAVAILABLE (410) when the snapshot expires. */
export async function* listPages<K extends Kind>(
  http: KubeHttp,
  request: ListRequest<K>,
): AsyncGenerator<Snapshot<Kinds[K]>> {
  for await (const page of pagesOf(http, request, false)) yield page ?? expired(request);
}

async function* pagesOf<K extends Kind>(
  http: KubeHttp,
  { kind, pageSize = PAGE, ...request }: ListRequest<K>,
  areKept: boolean,
): AsyncGenerator<Snapshot<Kinds[K]> | undefined> {
  const pages = new ListPages(pageSize);
  let token: string | undefined;
  const ask = (limit: number): Promise<KubeAnswer> =>
    http({
      ...request,
      method: 'GET',
      expected: [410],
      ...(kind === 'Metadata' && { metadataOnly: true }),
      query: { ...request.query, limit, ...(token !== undefined && { continue: token }) },
    });
  for (;;) {
    const answer = await pages.ask(ask, isTooLong);
    if (answer.status === 410) {
      yield undefined;
      return;
    }
    const { kind: listed = '', items, metadata } = fieldsOf(answer.body);
    const isList = kind === 'Metadata' ? String(listed).endsWith('List') : listed === `${kind}List`;
    if (!isList || !Array.isArray(items))
      throw new ReconcileError('UNEXPECTED_RESPONSE', `cannot ${request.doing}: the answer is not a list`);
    token = stringAt(metadata, 'continue');
    const read = items.map((item) => withoutBallast(asObject(kind, item, request.doing)));
    const why = pages.whyTooMuch(read, areKept);
    if (why !== undefined) throw new ReconcileError('UNEXPECTED_RESPONSE', `cannot ${request.doing}: ${why}`);
    yield { items: read, resourceVersion: stringAt(metadata, 'resourceVersion') ?? '' };
    if (!token) return;
  }
}

function expired({ doing }: Pick<KubeRequest, 'doing'>, often = ''): never {
  throw new ReconcileError('KUBE_UNAVAILABLE', `cannot ${doing}: the list expired ${often}on the way`, {
    status: 410,
  });
}

interface Ballast {
  readonly metadata?: { managedFields?: unknown };
  readonly status?: { images?: unknown };
}

function withoutBallast<T extends object>(item: T): T {
  const { metadata, status }: Ballast = item;
  delete metadata?.managedFields;
  delete status?.images;
  return item;
}

export function toSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
}
