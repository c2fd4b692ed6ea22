import { ReconcileError } from '../model/errors.ts';
import { TAG_PREFIX } from '../model/ownership.ts';
import type { DeploymentHold, Log } from '../ports.ts';
import type { KubeHttp } from './kube-http.ts';
import { holderOf, LeaseObject, takenBy, type LeaseRecord } from './lease.ts';

/** Whatever `--state-namespace` says, so that two deployments meet wherever they keep their state. */
const NAMESPACE = 'levelset';
const NAME = `${TAG_PREFIX}deployment`;

/** After so many sweeps of the holder without a renewal it is gone: no two clocks are a quarter of an hour apart. */
const SWEEPS = 3;

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

/**
 * Of several deployments one writes to a cluster (decision 527). Each sweep of the holder renews the Lease. A sweep of
 * another deployment takes it when three renewals did not come.
 */
export class DeploymentLease implements DeploymentHold {
  readonly #lease: LeaseObject;
  readonly #options: DeploymentLeaseOptions;

  constructor(http: KubeHttp, options: DeploymentLeaseOptions) {
    this.#lease = new LeaseObject(http, NAMESPACE, NAME);
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
    const isAnothers = holder !== undefined && holder !== own;
    if (isAnothers && !this.#isLate(record)) throw this.#isHeld(holder, own);
    if (!(await this.#take(record, own))) return this.require();
    if (isAnothers)
      this.#options.log.warn('this deployment writes to the cluster from now on', { before: holder });
  }

  #isLate({ spec }: Partial<LeaseRecord> = {}): boolean {
    const { renewTime = '', leaseDurationSeconds = 0 } = spec ?? {};
    const everyMs = Math.max(this.#options.intervalMs, leaseDurationSeconds * 1_000);
    return Date.now() - Date.parse(renewTime) >= SWEEPS * everyMs;
  }

  async #take(record: LeaseRecord = { metadata: { name: NAME } }, own: string): Promise<boolean> {
    const taken = takenBy(record, own, Math.ceil(this.#options.intervalMs / 1_000));
    if (!(await this.#lease.write(taken))) return false;
    if (holderOf(record) === undefined) this.#options.taken.fromNobody = true;
    return true;
  }

  #isHeld(holder = 'another deployment', own: string): ReconcileError {
    const message = `${holder} writes to this cluster, and so ${own} writes nothing: stop one of the two; where the other one is gone for good: kubectl --namespace ${NAMESPACE} delete lease ${NAME}`;
    return new ReconcileError('CLUSTER_HELD', message, { retryAfterMs: this.#options.intervalMs });
  }
}
