import { asJson, scalarText, type Json } from '../json.ts';
import type { SandboxClock } from '../sandbox-clock.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from './kube-objects.ts';
import { statusRefusal } from './kube-refusal.ts';
import type { ObjectView } from './object-table.ts';

const selectable: Record<string, readonly string[]> = {
  services: ['metadata.name', 'metadata.namespace', 'spec.type', 'spec.clusterIP'],
  nodes: ['metadata.name', 'spec.unschedulable'],
  pods: [
    'metadata.name',
    'metadata.namespace',
    'spec.nodeName',
    'spec.hostNetwork',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
  ],
  events: [
    ...['metadata.name', 'metadata.namespace', 'reason', 'reportingComponent', 'source', 'type'],
    ...['apiVersion', 'fieldPath', 'kind', 'name', 'namespace', 'resourceVersion', 'uid'].map(
      (field) => `involvedObject.${field}`,
    ),
  ],
  secrets: ['metadata.name', 'metadata.namespace', 'type'],
  namespaces: ['metadata.name', 'status.phase'],
};
const continueLifeMs = 5 * 60_000;

/** The body of a list. */
export interface Listed extends Json {
  readonly metadata: Json;
  readonly items: readonly Json[];
}

/** A list answer with selectors and `limit`/`continue`; a continue token dies after five minutes with 410. */
export function listAnswer(
  type: ResourceType,
  view: ObjectView,
  query: URLSearchParams,
  version: string,
  clock: SandboxClock,
): Listed {
  const isSelected = selects(type, query);
  const candidates = candidatesIn(view, query);
  const token = query.get('continue');
  const from = token === null ? undefined : readToken(token, clock);
  const start = from === undefined ? 0 : firstAfter(candidates, from.after);
  const limit = Number(query.get('limit') ?? 0) || Infinity;
  const page: KubeObject[] = [];
  let at = start;
  for (; at < candidates.length && page.length < limit; at += 1) {
    const object = candidates[at];
    if (object && isSelected(object)) page.push(object);
  }
  const last = page.at(-1);
  const more = last !== undefined && candidates.slice(at).some(isSelected);
  const metadata: Json = { resourceVersion: from?.version ?? version };
  if (more) {
    const next = { version: metadata['resourceVersion'], after: position(last), at: clock.millis() };
    metadata['continue'] = Buffer.from(JSON.stringify(next)).toString('base64url');
    if (!query.get('fieldSelector') && !query.get('labelSelector'))
      metadata['remainingItemCount'] = candidates.length - at;
  }
  return { kind: `${type.kind}List`, apiVersion: apiVersionOf(type), metadata, items: page.map(bare) };
}

/** Those with the value of a label that the query names, if it names one; else all. */
function candidatesIn(view: ObjectView, query: URLSearchParams): readonly KubeObject[] {
  for (const [label, value, negated] of selectors(query.get('labelSelector')))
    if (!negated && value !== undefined) return view.labelled(label, value);
  return view.objects;
}

/** The first place after a position, found by halving. */
function firstAfter(objects: readonly KubeObject[], after: string): number {
  let [low, high] = [0, objects.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const object = objects[middle];
    if (object && position(object) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether an object is one of those that a list or a watch asks for. Refuses what cannot be selected by. */
export function selects(type: ResourceType, query: URLSearchParams): (object: KubeObject) => boolean {
  const fields = selectors(query.get('fieldSelector'));
  const known = selectable[type.plural] ?? ['metadata.name', 'metadata.namespace'];
  const unknown = fields.find(([field]) => !known.includes(field));
  if (unknown) {
    const text = `Unable to find "${apiVersionOf(type)}, Resource=${type.plural}" that match label selector "", field selector "${unknown.join('=')}": field label not supported: ${unknown[0]}`;
    throw statusRefusal(400, 'BadRequest', text);
  }
  const labels = selectors(query.get('labelSelector'));
  return (object) =>
    fields.every(([field, value, negated]) => (valueAt(object, field) === value) !== negated) &&
    labels.every(([label, value, negated]) => {
      const has = object.metadata.labels?.[label];
      return (value === undefined ? has !== undefined : has === value) !== negated;
    });
}

const PARTIAL = ';as=PartialObjectMetadataList;';

/** The list, with the metadata of its items alone if the client takes no more. */
export function ofMetadata(list: Listed, accept: string): Json {
  if (!accept.includes(PARTIAL)) return list;
  const items = list.items.map((item) => ({ metadata: item['metadata'] }));
  return { ...list, kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', items };
}

/** Items of a list carry no kind and apiVersion of their own. */
const bare = (object: KubeObject): Json =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== 'kind' && key !== 'apiVersion'));

const position = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** Key, value and whether it is another one; a key without a value asks whether there is any. */
function selectors(text: string | null): [string, string | undefined, boolean][] {
  if (text === null || text === '') return [];
  return text.split(',').map((one) => {
    const [, key = one, operator = '=', value] = /^([^!=]+)(!=|==?)(.*)$/.exec(one) ?? [];
    return [key, value, operator === '!='];
  });
}

function valueAt(object: KubeObject, field: string): string {
  const [head = '', tail] = field === 'source' ? ['source', 'component'] : field.split('.');
  return scalarText(tail === undefined ? object[head] : asJson(object[head])[tail]);
}

function readToken(token: string, clock: SandboxClock): { version: string; after: string } {
  const { version, after, at } = JSON.parse(Buffer.from(token, 'base64url').toString()) as Record<
    string,
    never
  >;
  if (clock.millis() - Number(at) <= continueLifeMs)
    return { version: String(version), after: String(after) };
  const text = 'The provided continue parameter is too old to display a consistent list result.';
  throw statusRefusal(410, 'Expired', text);
}
