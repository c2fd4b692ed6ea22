import { ReconcileError } from '../../model/errors.ts';
import type { NodeDeletion, RecordedDeletions } from '../../model/node/node-records.ts';
import type { NodeDeletions } from '../../ports.ts';
import type { Http } from '../kube-http.ts';
import { fieldsOf } from '../../model/json.ts';
import { parseList, VersionedData } from './versioned-data.ts';

const NAME = 'levelset-node-deletions';

/**
 * The record of deletions of Nodes, in one ConfigMap of our namespace. One that cannot be read throws: no Node is
 * deleted.
 */
export class ConfigMapDeletions implements NodeDeletions {
  private readonly data: VersionedData;

  constructor(http: Http, namespace: string) {
    this.data = new VersionedData(http, namespace, NAME);
  }

  async load(): Promise<RecordedDeletions> {
    const { data, version } = await this.data.load();
    return { deletions: parse(data['deletions'] ?? '[]'), version };
  }

  async save(deletions: readonly NodeDeletion[], { version }: RecordedDeletions): Promise<boolean> {
    try {
      await this.data.save({ deletions: JSON.stringify(deletions) }, version);
      return true;
    } catch (error) {
      if (error instanceof ReconcileError && error.code === 'KUBE_CONFLICT') return false;
      throw error;
    }
  }
}

function parse(text: string): readonly NodeDeletion[] {
  const found = parseList(text, isDeletion);
  if (found) return found;
  throw new ReconcileError('UNEXPECTED_RESPONSE', `ConfigMap ${NAME} holds no list of deletions`);
}

function isDeletion(value: unknown): value is NodeDeletion {
  const { uid, at } = fieldsOf(value);
  return typeof uid === 'string' && typeof at === 'number';
}
