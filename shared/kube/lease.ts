/**
 * How a Lease is read and written, and the Lease that says which deployment writes to a cluster (decision 527). Which of its processes leads:
 * leader-lease.ts.
 */
import { ReconcileError } from '../model/errors.ts';
import type { Lease } from '../model/kubernetes.ts';
import type { KubeHttp } from './kube-http.ts';
import { asObject, getObject, leasePath } from './kube-objects.ts';
import { fieldsOf, parseJson } from '../model/json.ts';
import { TAG_PREFIX } from '../model/ownership.ts';
import type { DeploymentHold, Log } from '../ports.ts';

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

/** Whatever `--state-namespace` says, so that two deployments meet wherever they keep their state. */
const DEPLOYMENT_NAMESPACE = 'levelset';
const DEPLOYMENT_LEASE = `${TAG_PREFIX}deployment`;
const DEPLOYMENT_CLAIM = 'levelset.openstack.org/claim';

/** So many sweeps in a row, without a renewal between, and the Lease is the claimant's. */
const SWEEPS = 3;
const ALMOST = 0.9;

interface DeploymentLeaseOptions {
  /** Names the deployment, for people, too. Undefined: its processes only read, so nothing is asked. */
  readonly deployment: () => string | undefined;
  readonly intervalMs: number;
  readonly log: Log;
  readonly taken: Taken;
}

export interface Taken {
  fromNobody: boolean;
}

interface Claim {
  readonly by: string;
  readonly sweeps: number;
  /** The last sweep that said so, by the claimant's own clock, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Of several deployments one writes to a cluster (decision 527). Each sweep of the holder renews the Lease and erases
 * claims. Another deployment has it when three of its sweeps in a row have found their claim.
 */
export class DeploymentLease implements DeploymentHold {
  readonly #lease: LeaseObject;
  readonly #options: DeploymentLeaseOptions;

  constructor(http: KubeHttp, options: DeploymentLeaseOptions) {
    this.#lease = new LeaseObject(http, DEPLOYMENT_NAMESPACE, DEPLOYMENT_LEASE);
    this.#options = options;
  }

  async require(): Promise<void> {
    const own = this.#options.deployment();
    if (own === undefined) return;
    let record = await this.#lease.read();
    if (holderOf(record) === undefined) {
      if (await this.#take(record, own)) return;
      record = await this.#lease.read(); // another process of this deployment may have been faster
    }
    if (holderOf(record) !== own) throw this.#isHeld(holderOf(record), own);
  }

  async release(): Promise<void> {
    const { deployment, taken } = this.#options;
    const record = taken.fromNobody ? await this.#lease.read() : undefined;
    if (!record || holderOf(record) !== deployment()) return;
    await this.#lease.write({ ...record, spec: { ...record.spec, holderIdentity: '' } });
  }

  async renew(): Promise<void> {
    const own = this.#options.deployment();
    if (own === undefined) return;
    const record = await this.#lease.read();
    const holder = holderOf(record);
    if (!record || holder === undefined || holder === own) {
      if (!(await this.#take(record, own))) await this.require();
      return;
    }
    const claim = this.#claimOn(record, own);
    if (claim?.sweeps === SWEEPS && (await this.#take(record, own))) {
      this.#options.log.warn('this deployment writes to the cluster from now on', { before: holder });
      return;
    }
    if (claim) await this.#lease.write(withClaim(record, claim));
    throw this.#isHeld(holder, own);
  }

  /** What the claim becomes by this sweep. Undefined: nothing. */
  #claimOn({ metadata, spec }: LeaseRecord, own: string): Claim | undefined {
    const { by, sweeps, at } = fieldsOf(parseJson(metadata.annotations?.[DEPLOYMENT_CLAIM] ?? '{}'));
    const { leaseDurationSeconds = 0 } = spec ?? {};
    const everyMs = Math.max(this.#options.intervalMs, leaseDurationSeconds * 1_000);
    const sinceMs = Date.now() - Number(at);
    const isInARow = sinceMs >= 0 && sinceMs < SWEEPS * everyMs;
    if (!isInARow || typeof sweeps !== 'number') return { by: own, sweeps: 1, at: Date.now() };
    if (by !== own || sinceMs < ALMOST * everyMs) return undefined;
    return { by: own, sweeps: sweeps + 1, at: Date.now() };
  }

  async #take(record: LeaseRecord = { metadata: { name: DEPLOYMENT_LEASE } }, own: string): Promise<boolean> {
    const taken = takenBy(withClaim(record, undefined), own, Math.ceil(this.#options.intervalMs / 1_000));
    if (!(await this.#lease.write(taken))) return false;
    if (holderOf(record) === undefined) this.#options.taken.fromNobody = true;
    return true;
  }

  #isHeld(holder = 'another deployment', own: string): ReconcileError {
    const message = `${holder} writes to this cluster, and so ${own} writes nothing: stop one of the two; where the other one is gone for good: kubectl --namespace ${DEPLOYMENT_NAMESPACE} delete lease ${DEPLOYMENT_LEASE}`;
    return new ReconcileError('CLUSTER_HELD', message, { retryAfterMs: this.#options.intervalMs });
  }
}

function withClaim({ metadata, ...record }: LeaseRecord, claim: Claim | undefined): LeaseRecord {
  const { [DEPLOYMENT_CLAIM]: _, ...others } = metadata.annotations ?? {};
  const annotations = claim ? { ...others, [DEPLOYMENT_CLAIM]: JSON.stringify(claim) } : others;
  return { ...record, metadata: { ...metadata, annotations } };
}
