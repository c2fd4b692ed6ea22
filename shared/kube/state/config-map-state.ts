import { createHash } from 'node:crypto';
import type { ServiceState } from '../../model/service-object.ts';
import type { Log, StateStore } from '../../ports.ts';
import { fieldsOf, parseJson, sameJson } from '../../model/json.ts';
import type { KubeHttp } from '../kube-http.ts';
import { getObject, listAllObjects, toSelector, corePath } from '../kube-objects.ts';

export interface KnownState {
  /** The stored JSON of each object: null if nothing is stored, empty if it cannot be read; one that is missing is not known. */
  objects: Map<string, string | null>;
  /** Everything was loaded: an object that is not in `objects` is not stored. */
  isWhole: boolean;
  /** What was saved while a list is on its way, which may be older: one for each such list. */
  readonly meanwhile: Set<Map<string, string | null>>;
}

export function nothingKnown(): KnownState {
  return { objects: new Map(), isWhole: false, meanwhile: new Set() };
}

type Patch = Record<string, string | null>;

/**
 * Settled records in eight ConfigMaps, one data key per object (design.md, "The sweep is cheap"). `save` patches those in
 * which something changed. Of two writers the last one wins. Throws ReconcileError.
 */
export class ConfigMapState implements StateStore {
  private readonly http: KubeHttp;
  private readonly namespace: string;
  private readonly log: Log;
  private readonly known: KnownState;

  constructor(http: KubeHttp, namespace: string, log: Log, known = nothingKnown()) {
    this.known = known;
    this.http = http;
    this.namespace = namespace;
    this.log = log;
  }

  async load(): Promise<ReadonlyMap<string, ServiceState>> {
    const meanwhile = new Map<string, string | null>();
    this.known.meanwhile.add(meanwhile);
    const shards = await listAllObjects(this.http, {
      kind: 'ConfigMap',
      path: corePath('configmaps', this.namespace),
      query: { labelSelector: toSelector(STATE_LABEL) },
      doing: `list the state in ConfigMaps of ${this.namespace}`,
    }).finally(() => this.known.meanwhile.delete(meanwhile));
    const states = new Map<string, ServiceState>();
    this.known.objects = new Map();
    this.known.isWhole = true;
    for (const { metadata, data } of shards) {
      for (const [key, text] of Object.entries(data ?? {})) {
        const object = fromDataKey(key);
        const state = shardOf(object) === metadata.name ? parseState(text) : undefined;
        if (state) states.set(object, state);
        else
          this.log.warn('an entry of the state cannot be read and is ignored', {
            shard: metadata.name,
            key,
          });
        this.known.objects.set(object, state ? text : '');
      }
    }
    for (const [object, text] of meanwhile) this.known.objects.set(object, text);
    return states;
  }

  async find(object: string): Promise<ServiceState | undefined> {
    const name = shardOf(object);
    const path = corePath('configmaps', this.namespace, name);
    const doing = `read ConfigMap ${this.namespace}/${name}`;
    const { data = {} } = (await getObject(this.http, 'ConfigMap', path, doing)) ?? {};
    const text = data[toDataKey(object)];
    const state = text === undefined ? undefined : parseState(text);
    this.known.objects.set(object, text === undefined ? null : state ? text : '');
    return state;
  }

  async save(changes: ReadonlyMap<string, ServiceState | undefined>): Promise<void> {
    const shards = new Map<string, Map<string, string | null>>();
    for (const [object, state] of changes) {
      const text = state === undefined ? null : JSON.stringify(state);
      const stored = this.known.objects.get(object) ?? (this.known.isWhole ? null : undefined);
      if (stored === text || (state && stored && isKnown(state, stored))) continue;
      const shard = shards.get(shardOf(object)) ?? new Map<string, string | null>();
      shards.set(shardOf(object), shard.set(object, text));
    }
    await Promise.all([...shards].map(([name, objects]) => this.saveShard(name, objects)));
  }

  private async saveShard(name: string, objects: ReadonlyMap<string, string | null>): Promise<void> {
    const data: Patch = Object.fromEntries([...objects].map(([object, text]) => [toDataKey(object), text]));
    if (!(await this.patch(name, data))) await this.create(name, data);
    for (const known of [this.known.objects, ...this.known.meanwhile])
      for (const [object, text] of objects) known.set(object, text);
  }

  private async patch(name: string, data: Patch): Promise<boolean> {
    const path = corePath('configmaps', this.namespace, name);
    const doing = `write ConfigMap ${this.namespace}/${name}`;
    const answer = await this.http({ method: 'PATCH', path, body: { data }, doing, expected: [404] });
    return answer.status !== 404;
  }

  private async create(name: string, patch: Patch): Promise<void> {
    const data = Object.fromEntries(Object.entries(patch).filter(([, text]) => text !== null));
    if (Object.keys(data).length === 0) return;
    const path = corePath('configmaps', this.namespace);
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: STATE_LABEL }, data };
    const doing = `create ConfigMap ${this.namespace}/${name}`;
    const answer = await this.http({ method: 'POST', path, body, doing, expected: [409] });
    if (answer.status === 409) await this.patch(name, patch);
  }
}

/** A later time of comparison is worth a write when it is so much later, in milliseconds. */
const LATER_MS = 6 * 3_600_000;

/** Whether what is stored says as much: not less surely, and not much longer ago. */
function isKnown(state: ServiceState, stored: string): boolean {
  const known = parseState(stored);
  if (!known || (known.unsure && !state.unsure)) return false;
  const { unsure: _, compared = '', ...rest } = state;
  const { unsure: __, compared: before = '', ...others } = known;
  // levelset has written nothing since a state was stored, so its time still holds for one that has none
  const timed = state.unsure && rest.updated_at === null ? { ...rest, updated_at: others.updated_at } : rest;
  if (!sameJson(timed, others)) return false;
  const laterMs = Date.parse(compared) - Date.parse(before);
  // what is stored for a time to come is of a clock that was wrong
  return state.unsure === true || (laterMs >= 0 && laterMs < LATER_MS);
}

const STATE_LABEL = { 'levelset.openstack.org/state': 'settled-records' } as const;

const SHARDS = 8;

/** Name of the ConfigMap that has an object. Another number of shards would lose every settled record once. */
function shardOf(object: string): string {
  return `levelset-state-${createHash('sha256').update(object).digest().readUInt32BE() % SHARDS}`;
}

/** The key of an object in a ConfigMap. Characters outside of [-.a-zA-Z0-9] become `_` and their UTF-8 in hex. */
function toDataKey(object: string): string {
  return object.replace(/[^-.a-zA-Z0-9]+/gu, (text) =>
    Buffer.from(text)
      .toString('hex')
      .replace(/../g, (byte) => `_${byte}`),
  );
}

function fromDataKey(key: string): string {
  return key.replace(/(?:_[0-9a-f]{2})+/g, (text) =>
    Buffer.from(text.replaceAll('_', ''), 'hex').toString('utf8'),
  );
}

function parseState(text: string): ServiceState | undefined {
  const state = fieldsOf(parseJson(text));
  const isState =
    typeof state['hash'] === 'string' &&
    (typeof state['updated_at'] === 'string' || state['updated_at'] === null) &&
    Object.entries(OPTIONAL).every(([name, type]) => ['undefined', type].includes(typeof state[name])) &&
    state['unsure'] !== false &&
    state['driftStays'] !== false;
  return isState ? (state as unknown as ServiceState) : undefined;
}

const OPTIONAL = {
  ...{
    asked: 'string',
    compared: 'string',
    nodeSelector: 'string',
    rejected: 'string',
    rejectedAt: 'string',
  },
  ...{ awaitingApproval: 'number', rejections: 'number', unsure: 'boolean', driftStays: 'boolean' },
} as const;
