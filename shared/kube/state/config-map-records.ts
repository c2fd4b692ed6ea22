/**
 * Records in ConfigMaps of our namespace. Only who has read the newest version can save; one that cannot be read
 * throws, so that nothing is done.
 */
import { ReconcileError } from '../../model/errors.ts';
import { parseJson, fieldsOf } from '../../model/json.ts';
import type { KubeHttp } from '../kube-http.ts';
import { asObject, corePath, getObject } from '../kube-objects.ts';
import { DELETIONS, PLACE, type Deletion, type Repair } from '../../model/records.ts';
import type { DeletionRecord, Deletions, PlaceRecord, RepairRecord, RouteRecord } from '../../ports.ts';
import type { RouteRecords, WrittenRoute } from '../../model/network/routes.ts';

const CONFLICT = 409;
const ROUTES = 'levelset-routes';

interface Loaded {
  readonly data: Readonly<Record<string, string>>;
  readonly version: string | undefined;
}

class VersionedData {
  private readonly http: KubeHttp;
  private readonly namespace: string;
  private readonly name: string;

  constructor(http: KubeHttp, namespace: string, name: string) {
    this.http = http;
    this.namespace = namespace;
    this.name = name;
  }

  async load(): Promise<Loaded> {
    const path = corePath('configmaps', this.namespace, this.name);
    const doing = `read ConfigMap ${this.namespace}/${this.name}`;
    const found = await getObject(this.http, 'ConfigMap', path, doing);
    return { data: found?.data ?? {}, version: found?.metadata.resourceVersion };
  }

  /** Replaces entries; null removes one. Returns the new version. Throws KUBE_CONFLICT. */
  async save(data: Readonly<Record<string, string | null>>, version: Loaded['version']): Promise<string> {
    const all = corePath('configmaps', this.namespace);
    const doing = `write ConfigMap ${this.namespace}/${this.name}`;
    const { name } = this;
    const answer = await (version === undefined
      ? this.http({ method: 'POST', path: all, body: made(name, data), doing, expected: [CONFLICT] })
      : this.http({
          method: 'PATCH',
          path: `${all}/${name}`,
          body: { metadata: { resourceVersion: version }, data },
          doing,
        }));
    if (answer.status === CONFLICT)
      throw new ReconcileError('KUBE_CONFLICT', `cannot ${doing}: it was made meanwhile`, {
        status: CONFLICT,
      });
    return asObject('ConfigMap', answer.body, doing).metadata.resourceVersion;
  }
}

function made(name: string, data: Readonly<Record<string, string | null>>): object {
  const entries = Object.entries(data).filter(([, text]) => text !== null);
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: Object.fromEntries(entries) };
}

/** In one ConfigMap, with an entry for each kind. */
export function configMapDeletions(http: KubeHttp, namespace: string): Deletions {
  const data = new VersionedData(http, namespace, DELETIONS);
  return {
    nodes: deletionRecord(data, 'nodes'),
    left: deletionRecord(data, 'left'),
  };
}

function deletionRecord(data: VersionedData, entry: string): DeletionRecord {
  return {
    async load() {
      const { data: entries, version } = await data.load();
      return { deletions: parseList(DELETIONS, entries[entry] ?? '[]', isDeletion), version };
    },
    save: (deletions, { version }) => saved(data.save({ [entry]: JSON.stringify(deletions) }, version)),
  };
}

async function saved(writing: Promise<unknown>): Promise<boolean> {
  try {
    await writing;
    return true;
  } catch (error) {
    if (error instanceof ReconcileError && error.code === 'KUBE_CONFLICT') return false;
    throw error;
  }
}

export function configMapRepairs(http: KubeHttp, namespace: string): RepairRecord {
  const data = new VersionedData(http, namespace, DELETIONS);
  return {
    async load() {
      const { data: entries, version } = await data.load();
      return { repairs: parseList(DELETIONS, entries['repairs'] ?? '[]', isRepair), version };
    },
    save: (repairs, { version }) => saved(data.save({ repairs: JSON.stringify(repairs) }, version)),
  };
}

export function configMapPlace(http: KubeHttp, namespace: string): PlaceRecord {
  const data = new VersionedData(http, namespace, PLACE);
  return {
    async load() {
      const { data: place, version } = await data.load();
      if (version === undefined) return undefined;
      const { project_id, region } = place;
      if (project_id !== undefined) return { project_id, ...(region === undefined ? {} : { region }) };
      throw new ReconcileError('UNEXPECTED_RESPONSE', `ConfigMap ${PLACE} has no entry project_id`);
    },
    async save(place) {
      const { data: before, version } = await data.load();
      const { project_id, region } = before;
      if (project_id !== undefined && (project_id !== place.project_id || region !== undefined)) return;
      await saved(data.save({ ...place }, version));
    },
  };
}

function isDeletion(value: unknown): value is Deletion {
  const { id, at, foundAt, service } = fieldsOf(value);
  const isService = service === undefined || typeof service === 'string';
  const times = [at, foundAt].filter((time) => time !== undefined);
  const areTimes = times.length > 0 && times.every((time) => typeof time === 'number');
  return typeof id === 'string' && areTimes && isService;
}

function isRepair(value: unknown): value is Repair {
  const { how, id, service, at } = fieldsOf(value);
  const isWay = how === 'failover' || how === 'refused' || how === 'rebuild';
  return isWay && typeof id === 'string' && typeof service === 'string' && typeof at === 'number';
}

/** Routes that levelset wrote, with an entry for each router. */
export class ConfigMapRoutes implements RouteRecord {
  private readonly data: VersionedData;
  /** Version of each loaded record. Sweeps and runs of one process load at the same time. */
  private readonly versions = new WeakMap<RouteRecords, Loaded['version']>();

  constructor(http: KubeHttp, namespace: string) {
    this.data = new VersionedData(http, namespace, ROUTES);
  }

  async load(): Promise<RouteRecords> {
    const { data, version } = await this.data.load();
    const loaded = new Map(
      Object.entries(data).map(([router, text]) => [router, parseList(ROUTES, text, isWritten)]),
    );
    this.versions.set(loaded, version);
    return loaded;
  }

  async save(records: RouteRecords, loaded: RouteRecords): Promise<void> {
    const texts = [...records].map(([id, routes]) => [id, routes.length > 0 ? JSON.stringify(routes) : null]);
    const data = Object.fromEntries(texts) as Readonly<Record<string, string | null>>;
    this.versions.set(loaded, await this.data.save(data, this.versions.get(loaded)));
  }
}

function isWritten(value: unknown): value is WrittenRoute {
  const { destination, nexthop, port } = fieldsOf(value);
  return [destination, nexthop, port].every((text) => typeof text === 'string');
}

/** A record that cannot be read proves nothing. */
function parseList<T>(name: string, text: string, isItem: (value: unknown) => value is T): readonly T[] {
  const found = parseJson(text);
  if (Array.isArray(found) && found.every(isItem)) return found;
  throw new ReconcileError('UNEXPECTED_RESPONSE', `ConfigMap ${name} has an entry that levelset cannot read`);
}
