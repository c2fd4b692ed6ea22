import { ReconcileError } from '../model/errors.ts';
import { fieldsOf, parseJson } from '../model/json.ts';
import { TAG_PREFIX } from '../model/ownership.ts';
import type { DeploymentHold, Log } from '../ports.ts';
import type { KubeHttp } from './kube-http.ts';
import { holderOf, LeaseObject, takenBy, type LeaseRecord } from './lease.ts';

/** Whatever `--state-namespace` says, so that two deployments meet wherever they keep their state. */
const NAMESPACE = 'levelset';
const NAME = `${TAG_PREFIX}deployment`;
const CLAIM = 'levelset.openstack.org/claim';

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
    const { by, sweeps, at } = fieldsOf(parseJson(metadata.annotations?.[CLAIM] ?? '{}'));
    const { leaseDurationSeconds = 0 } = spec ?? {};
    const everyMs = Math.max(this.#options.intervalMs, leaseDurationSeconds * 1_000);
    const sinceMs = Date.now() - Number(at);
    const isInARow = sinceMs >= 0 && sinceMs < SWEEPS * everyMs;
    if (!isInARow || typeof sweeps !== 'number') return { by: own, sweeps: 1, at: Date.now() };
    if (by !== own || sinceMs < ALMOST * everyMs) return undefined;
    return { by: own, sweeps: sweeps + 1, at: Date.now() };
  }

  async #take(record: LeaseRecord = { metadata: { name: NAME } }, own: string): Promise<boolean> {
    const taken = takenBy(withClaim(record, undefined), own, Math.ceil(this.#options.intervalMs / 1_000));
    if (!(await this.#lease.write(taken))) return false;
    if (holderOf(record) === undefined) this.#options.taken.fromNobody = true;
    return true;
  }

  #isHeld(holder = 'another deployment', own: string): ReconcileError {
    const message = `${holder} writes to this cluster, and so ${own} writes nothing: stop one of the two; where the other one is gone for good: kubectl --namespace ${NAMESPACE} delete lease ${NAME}`;
    return new ReconcileError('CLUSTER_HELD', message, { retryAfterMs: this.#options.intervalMs });
  }
}

function withClaim({ metadata, ...record }: LeaseRecord, claim: Claim | undefined): LeaseRecord {
  const { [CLAIM]: _, ...others } = metadata.annotations ?? {};
  const annotations = claim ? { ...others, [CLAIM]: JSON.stringify(claim) } : others;
  return { ...record, metadata: { ...metadata, annotations } };
}
