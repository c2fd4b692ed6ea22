import { ReconcileError } from '../../model/errors.ts';
import type { RouteRecords, WrittenRoute, WrittenRoutes } from '../../model/network/routes.ts';
import type { RouteRecord } from '../../ports.ts';
import type { Http } from '../kube-http.ts';
import { fieldsOf } from '../../model/json.ts';
import { parseList, VersionedData, type Loaded } from './versioned-data.ts';

const NAME = 'levelset-routes';

/** Routes that levelset wrote, in one ConfigMap with an entry for each router. One that cannot be read throws. */
export class ConfigMapRoutes implements RouteRecord {
  private readonly data: VersionedData;
  /** Version of each loaded record. Sweeps and runs of one process load at the same time. */
  private readonly versions = new WeakMap<RouteRecords, Loaded['version']>();

  constructor(http: Http, namespace: string) {
    this.data = new VersionedData(http, namespace, NAME);
  }

  async load(): Promise<RouteRecords> {
    const { data, version } = await this.data.load();
    const loaded = new Map(Object.entries(data).map(([router, text]) => [router, parse(text)]));
    this.versions.set(loaded, version);
    return loaded;
  }

  async save(records: RouteRecords, loaded: RouteRecords): Promise<void> {
    const texts = [...records].map(([id, routes]) => [id, routes.length > 0 ? JSON.stringify(routes) : null]);
    const data = Object.fromEntries(texts) as Readonly<Record<string, string | null>>;
    this.versions.set(loaded, await this.data.save(data, this.versions.get(loaded)));
  }
}

function parse(text: string): WrittenRoutes {
  const found = parseList(text, isWritten);
  if (found) return found;
  throw new ReconcileError(
    'UNEXPECTED_RESPONSE',
    `ConfigMap ${NAME} holds something else than lists of routes`,
  );
}

function isWritten(value: unknown): value is WrittenRoute {
  const { destination, nexthop, port } = fieldsOf(value);
  return [destination, nexthop, port].every((text) => typeof text === 'string');
}
