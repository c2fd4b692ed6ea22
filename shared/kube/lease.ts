import { ReconcileError } from '../model/errors.ts';
import type { Lease } from '../model/kubernetes.ts';
import type { KubeHttp } from './kube-http.ts';
import { asObject, getObject, leasePath } from './kube-objects.ts';

/** A Lease, or one that is yet to be made. Fields that nobody knows here are sent back as they came. */
export type LeaseRecord = Pick<Lease, 'spec'> & {
  readonly metadata: Pick<Lease['metadata'], 'name'> & Partial<Lease['metadata']>;
};

export function holderOf(record: LeaseRecord | undefined): string | undefined {
  const holder = record?.spec?.holderIdentity ?? '';
  return holder === '' ? undefined : holder;
}

export function takenBy(record: LeaseRecord, holder: string, leaseDurationSeconds: number): LeaseRecord {
  const same = { ...record.spec, holderIdentity: holder, leaseDurationSeconds };
  if (holderOf(record) === holder) return { ...record, spec: same };
  const { leaseTransitions = 0 } = record.spec ?? {};
  return {
    ...record,
    spec: { ...same, acquireTime: microTime(), leaseTransitions: leaseTransitions + 1 },
  };
}

export class LeaseObject {
  readonly name: string;
  readonly #http: KubeHttp;
  readonly #namespace: string;
  readonly #path: string;

  constructor(http: KubeHttp, namespace: string, name: string) {
    this.#http = http;
    this.#namespace = namespace;
    this.#path = leasePath(namespace, name);
    this.name = `${namespace}/${name}`;
  }

  read(): Promise<LeaseRecord | undefined> {
    return getObject(this.#http, 'Lease', this.#path, `read Lease ${this.name}`);
  }

  /** Returns what was written; undefined: somebody else wrote meanwhile. Throws CONFIG_INVALID where there is no namespace. */
  async write(record: LeaseRecord): Promise<LeaseRecord | undefined> {
    const isNew = record.metadata.resourceVersion === undefined;
    const doing = `write Lease ${this.name}`;
    const spec = { ...record.spec, renewTime: microTime() };
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...record, spec };
    const request = { body, doing, expected: [404, 409] };
    const answer = await (isNew
      ? this.#http({ method: 'POST', path: leasePath(this.#namespace), ...request })
      : this.#http({ method: 'PUT', path: this.#path, ...request }));
    if (isNew && answer.status === 404)
      throw new ReconcileError(
        'CONFIG_INVALID',
        `cannot ${doing}: there is no such namespace: kubectl create namespace ${this.#namespace}`,
      );
    return answer.status >= 400 ? undefined : asObject('Lease', answer.body, doing);
  }
}

/** The error if no Lease could be written in the namespace. The apiserver makes none. */
export async function missingNamespace(
  http: KubeHttp,
  namespace: string,
): Promise<ReconcileError | undefined> {
  const doing = `write a Lease in ${namespace}`;
  const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'levelset-ready' } };
  const request = { path: leasePath(namespace), query: { dryRun: 'All' }, body, doing };
  const { status } = await http({ method: 'POST', ...request, expected: [403, 404, 409] });
  if (status !== 403 && status !== 404) return undefined;
  return new ReconcileError(
    'CONFIG_INVALID',
    `cannot ${doing}: the namespace of levelset's state is not there, or levelset has no right in it: kubectl create namespace ${namespace}, or give another one: --state-namespace`,
  );
}

/** A MicroTime, for whoever reads the Lease. The apiserver refuses one without six digits after the point. */
function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
