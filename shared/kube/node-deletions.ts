import { ReconcileError } from '../model/errors.ts';
import type { NodeDeletion, RecordedDeletions } from '../model/node-deletions.ts';
import type { NodeDeletions } from '../ports.ts';
import type { Http } from './http.ts';
import { corePath } from './paths.ts';

const NAME = 'levelset-node-deletions';
const CONFLICT = 409;

interface ConfigMap {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** One ConfigMap of our namespace; who saves must have seen what is there. Anything in it that is no record fails, and so brakes. */
export class ConfigMapDeletions implements NodeDeletions {
  private readonly http: Http;
  private readonly namespace: string;

  constructor(http: Http, namespace: string) {
    this.http = http;
    this.namespace = namespace;
  }

  async load(): Promise<RecordedDeletions> {
    const path = corePath('configmaps', this.namespace, NAME);
    const doing = `read ConfigMap ${this.namespace}/${NAME}`;
    const answer = await this.http({ method: 'GET', path, doing, expected: [404] });
    if (answer.status === 404) return { deletions: [], version: undefined };
    const { metadata, data } = answer.body as ConfigMap;
    return { deletions: parse(data?.['deletions'] ?? '[]'), version: metadata.resourceVersion };
  }

  async save(deletions: readonly NodeDeletion[], { version }: RecordedDeletions): Promise<void> {
    const data = { deletions: JSON.stringify(deletions) };
    const all = corePath('configmaps', this.namespace);
    const doing = `write ConfigMap ${this.namespace}/${NAME}`;
    const metadata = { name: NAME, ...(version === undefined ? {} : { resourceVersion: version }) };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    const answer = await (version === undefined
      ? this.http({ method: 'POST', path: all, body, doing, expected: [CONFLICT] })
      : this.http({ method: 'PATCH', path: `${all}/${NAME}`, body: { metadata, data }, doing }));
    if (answer.status === CONFLICT)
      throw new ReconcileError('KUBE_CONFLICT', `cannot ${doing}: it was made meanwhile`, {
        status: CONFLICT,
      });
  }
}

function parse(text: string): readonly NodeDeletion[] {
  try {
    const found = JSON.parse(text) as unknown;
    if (Array.isArray(found) && found.every(isDeletion)) return found;
  } catch {
    // told below
  }
  throw new ReconcileError('UNEXPECTED_RESPONSE', `ConfigMap ${NAME} holds no list of deletions`);
}

function isDeletion(value: unknown): value is NodeDeletion {
  const { uid, at } = (value ?? {}) as Partial<Record<keyof NodeDeletion, unknown>>;
  return typeof uid === 'string' && typeof at === 'number';
}
