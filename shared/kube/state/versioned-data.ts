import { ReconcileError } from '../../model/errors.ts';
import { parseJson } from '../../model/json.ts';
import type { Http } from '../kube-http.ts';
import { corePath } from '../kube-objects.ts';

const CONFLICT = 409;

interface ConfigMap {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** The data of a ConfigMap, and its version; undefined where there was none. */
export interface Loaded {
  readonly data: Readonly<Record<string, string>>;
  readonly version: string | undefined;
}

/** The data of one ConfigMap of our namespace. Only who has read the newest version can save. */
export class VersionedData {
  private readonly http: Http;
  private readonly namespace: string;
  private readonly name: string;

  constructor(http: Http, namespace: string, name: string) {
    this.http = http;
    this.namespace = namespace;
    this.name = name;
  }

  async load(): Promise<Loaded> {
    const path = corePath('configmaps', this.namespace, this.name);
    const doing = `read ConfigMap ${this.namespace}/${this.name}`;
    const answer = await this.http({ method: 'GET', path, doing, expected: [404] });
    const found = answer.status === 404 ? undefined : (answer.body as ConfigMap);
    return { data: found?.data ?? {}, version: found?.metadata.resourceVersion };
  }

  /**
   * Replaces entries of the version that was read; null removes one. Returns the new version. Throws KUBE_CONFLICT where
   * somebody has written since.
   */
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
    return (answer.body as ConfigMap).metadata.resourceVersion;
  }
}

/** The list of such items in a text; undefined for anything else. */
export function parseList<T>(text: string, isItem: (value: unknown) => value is T): readonly T[] | undefined {
  const found = parseJson(text);
  return Array.isArray(found) && found.every(isItem) ? found : undefined;
}

function made(name: string, data: Readonly<Record<string, string | null>>): object {
  const entries = Object.entries(data).filter(([, text]) => text !== null);
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: Object.fromEntries(entries) };
}
