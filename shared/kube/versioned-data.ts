import { ReconcileError } from '../model/errors.ts';
import type { Http } from './http.ts';
import { corePath } from './paths.ts';

const CONFLICT = 409;

interface ConfigMap {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** The data of one ConfigMap of our namespace, which is no hint: who saves must have seen what is there. */
export class VersionedData {
  private readonly http: Http;
  private readonly namespace: string;
  private readonly name: string;
  /** Of what was read or written last; undefined: there was none. */
  private version: string | undefined;

  constructor(http: Http, namespace: string, name: string) {
    this.http = http;
    this.namespace = namespace;
    this.name = name;
  }

  /** Empty where there is none. */
  async load(): Promise<Readonly<Record<string, string>>> {
    const path = corePath('configmaps', this.namespace, this.name);
    const doing = `read ConfigMap ${this.namespace}/${this.name}`;
    const answer = await this.http({ method: 'GET', path, doing, expected: [404] });
    const found = answer.status === 404 ? undefined : (answer.body as ConfigMap);
    this.version = found?.metadata.resourceVersion;
    return found?.data ?? {};
  }

  /** These entries in place of those that were loaded, null for none; throws KUBE_CONFLICT when somebody has written since. */
  async save(data: Readonly<Record<string, string | null>>): Promise<void> {
    const all = corePath('configmaps', this.namespace);
    const doing = `write ConfigMap ${this.namespace}/${this.name}`;
    const { name, version } = this;
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
    this.version = (answer.body as ConfigMap).metadata.resourceVersion;
  }
}

function made(name: string, data: Readonly<Record<string, string | null>>): object {
  const entries = Object.entries(data).filter(([, text]) => text !== null);
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: Object.fromEntries(entries) };
}
