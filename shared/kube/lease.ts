import { errorText, ReconcileError } from '../model/errors.ts';
import type { Lease, Log } from '../ports.ts';
import type { Http } from './kube-http.ts';
import { leasePath } from './kube-objects.ts';

export interface LeaseOptions {
  /** Namespace of the Lease. */
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Holder, unique to a process or invocation. */
  readonly identity: string;
  readonly log: Log;
  /** The monotonic clock, in milliseconds; the process's own by default. */
  readonly monotonic?: () => number;
}

/** Our last confirmed write: its answer, and the earliest time, by the monotonic clock, that its renewTime may mean. */
interface Held {
  readonly record: LeaseRecord;
  readonly sinceMs: number;
}

function withoutNamespace(doing: string, namespace: string): ReconcileError {
  const message = `cannot ${doing}: the namespace of levelset's state is not there, or levelset has no right in it: kubectl create namespace ${namespace}, or give another one: --state-namespace`;
  return new ReconcileError('CONFIG_INVALID', message);
}

/** The error if no Lease could be written in the namespace, as each run does. The apiserver makes none. */
export async function missingNamespace(http: Http, namespace: string): Promise<ReconcileError | undefined> {
  const doing = `write a Lease in ${namespace}`;
  const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...emptyRecord('levelset-ready') };
  const request = { path: leasePath(namespace), query: { dryRun: 'All' }, body, doing };
  const { status } = await http({ method: 'POST', ...request, expected: [403, 404, 409] });
  return status === 403 || status === 404 ? withoutNamespace(doing, namespace) : undefined;
}

/**
 * A Lease of one unit (docs/sources/kubernetes.md, "Leases"). The apiserver's Date header alone tells whether another
 * holder is alive; the monotonic clock since our last confirmed write tells how long we hold it. Who was slow to hear the
 * apiserver's time writes an early one: others see an older Lease then, and so must we. `acquire` takes two
 * calls, `release` one, `renew` one in the second half of the time and none before.
 */
export class KubeLease implements Lease {
  private readonly http: Http;
  private readonly options: LeaseOptions;
  private readonly monotonic: () => number;
  private held: Held | undefined;
  /** This process created the Lease. */
  private made = false;
  private renewing: Promise<void> | undefined;
  /** The apiserver's time minus the monotonic clock, as an answer told it: never too much. */
  private clockOffsetMs = 0;
  /** By how much it may be too little: so long that answer, with its request, was on its way. Since the last read the quickest answer counts. */
  private clockLagMs = Infinity;

  constructor(http: Http, options: LeaseOptions) {
    this.http = http;
    this.options = options;
    this.monotonic = options.monotonic ?? (() => performance.now());
  }

  /** Takes the Lease, or throws LEASE_HELD. `fresh`: this holder had it last, or there was no Lease. */
  async acquire(): Promise<{ readonly fresh: boolean }> {
    const { identity, name } = this.options;
    const found = await this.read();
    const record = found ?? emptyRecord(name);
    const waitMs = heldForMs(record, identity, this.serverNow());
    if (waitMs > 0) throw this.isHeld(waitMs);
    if (!(await this.write(taken(record, identity, this.serverNow())))) throw this.isHeld(LEASE_DURATION_MS);
    this.made = found === undefined;
    return { fresh: found === undefined || lastHolder(found) === identity };
  }

  async hadLast(): Promise<boolean> {
    const found = await this.read();
    return found !== undefined && lastHolder(found) === this.options.identity;
  }

  /** Renews the Lease, or throws LEASE_LOST. Calls at the same time make one renewal. */
  renew(): Promise<void> {
    this.renewing ??= this.renewOnce().finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  private async renewOnce(): Promise<void> {
    for (let tries = 0; tries < MOST_RENEWALS; tries += 1) {
      if (!this.held) throw this.isLost('it is not held');
      if (this.monotonic() - this.held.sinceMs < LEASE_DURATION_MS / 2) return;
      // An unchanged resourceVersion proves that nobody held the Lease since, even if a write took longer than
      // the 15 s. An answer that took as long proves nothing about now.
      if (await this.write(renewed(this.held.record, this.serverNow()))) continue;
      this.held = undefined;
      throw this.isLost('another holder took it');
    }
    throw this.isLost('the kube-apiserver answers too late');
  }

  async release(unused = false): Promise<void> {
    const { held } = this;
    if (!held) return;
    if (unused && this.made) return this.remove();
    await this.quietly('release', () =>
      this.write(released(held.record, this.options.identity, this.serverNow())),
    );
    this.held = undefined;
  }

  /** Deletes the Lease, even one that we do not hold, unless another holder is alive. */
  async remove(): Promise<void> {
    const { held } = this;
    this.held = undefined;
    await this.quietly('delete', async () => {
      const record = held?.record ?? (await this.read());
      if (!record || heldForMs(record, this.options.identity, this.serverNow()) > 0) return;
      const { uid, resourceVersion } = record.metadata;
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } };
      const { path, doing } = this.request('delete');
      await this.http({ method: 'DELETE', path, body, doing, expected: [404, 409] });
    });
  }

  private async read(): Promise<LeaseRecord | undefined> {
    const sentMs = this.monotonic();
    const answer = await this.http({ method: 'GET', ...this.request('read'), expected: [404] });
    if (answer.serverTimeMs === undefined)
      throw new ReconcileError('UNEXPECTED_RESPONSE', 'the kube-apiserver answers without a Date', {
        status: answer.status,
      });
    this.clockLagMs = Infinity; // whether another holder is alive, this answer's clock alone tells
    this.learnClock(answer.serverTimeMs, sentMs);
    return answer.status === 404 ? undefined : (answer.body as LeaseRecord);
  }

  /**
   * Writes the Lease. False if somebody else wrote, created or deleted it meanwhile. The uid keeps a PUT from
   * creating a deleted Lease.
   */
  private async write(record: LeaseRecord): Promise<boolean> {
    const { namespace } = this.options;
    const sentMs = this.monotonic();
    const sinceMs = sentMs - this.clockLagMs;
    const isNew = record.metadata.resourceVersion === undefined;
    const { path, doing } = this.request('write');
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...record };
    const answer = isNew
      ? await this.http({ method: 'POST', path: leasePath(namespace), body, doing, expected: [404, 409] })
      : await this.http({ method: 'PUT', path, body, doing, expected: [404, 409] });
    if (answer.serverTimeMs !== undefined) this.learnClock(answer.serverTimeMs, sentMs);
    if (isNew && answer.status === 404) throw withoutNamespace(doing, namespace);
    if (answer.status >= 400) return false;
    this.held = { record: answer.body as LeaseRecord, sinceMs };
    return true;
  }

  private request(verb: string): { path: string; doing: string } {
    const { namespace, name } = this.options;
    return { path: leasePath(namespace, name), doing: `${verb} Lease ${namespace}/${name}` };
  }

  private learnClock(serverTimeMs: number, sentMs: number): void {
    const nowMs = this.monotonic();
    if (nowMs - sentMs > this.clockLagMs) return;
    this.clockOffsetMs = serverTimeMs - nowMs;
    this.clockLagMs = nowMs - sentMs;
  }

  private serverNow(): number {
    return this.clockOffsetMs + this.monotonic();
  }

  private isHeld(retryAfterMs: number): ReconcileError {
    const { namespace, name } = this.options;
    return new ReconcileError('LEASE_HELD', `Lease ${namespace}/${name} is held by another run`, {
      retryAfterMs,
    });
  }

  private isLost(why: string): ReconcileError {
    const { namespace, name } = this.options;
    return new ReconcileError('LEASE_LOST', `Lease ${namespace}/${name} is no longer ours: ${why}`);
  }

  private async quietly(verb: string, run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      const { namespace, name } = this.options;
      const reason = errorText(error);
      this.options.log.warn('a Lease could not be released or deleted', {
        lease: `${namespace}/${name}`,
        verb,
        reason,
      });
    }
  }
}

/** A coordination.k8s.io/v1 Lease on the wire. Fields that are not named here are sent back as they came. */
export interface LeaseRecord {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

export const LEASE_LABEL = { 'levelset.openstack.org/lease': 'unit' } as const;

const LEASE_DURATION_MS = 15_000;

/** So often a Lease is renewed before one write, while each answer comes too late. */
const MOST_RENEWALS = 3;

/** Margin for the Date header, which has whole seconds, and for clocks of several apiservers. */
const MARGIN_MS = 2_000;

/** Annotation with the last holder. It outlives a release, so that a holder knows whether anybody else wrote since. */
const LAST_HOLDER = 'levelset.openstack.org/last-holder';

function emptyRecord(name: string): LeaseRecord {
  return { metadata: { name, labels: LEASE_LABEL } };
}

/**
 * Milliseconds for which somebody else still holds the Lease, by the apiserver's time. 0 if it is free,
 * expired or our own.
 */
function heldForMs({ spec }: LeaseRecord, identity: string, nowMs: number): number {
  if (!spec?.holderIdentity || spec.holderIdentity === identity) return 0;
  const renewedMs = Date.parse(spec.renewTime ?? '');
  if (Number.isNaN(renewedMs)) return 0;
  const durationMs =
    spec.leaseDurationSeconds === undefined ? LEASE_DURATION_MS : spec.leaseDurationSeconds * 1000;
  return Math.max(0, renewedMs + durationMs + MARGIN_MS - nowMs);
}

function lastHolder({ metadata, spec }: LeaseRecord): string | undefined {
  const holder = spec?.holderIdentity ?? '';
  return holder === '' ? metadata.annotations?.[LAST_HOLDER] : holder;
}

export function taken(record: LeaseRecord, identity: string, nowMs: number): LeaseRecord {
  const before = lastHolder(record);
  const transitions = record.spec?.leaseTransitions ?? 0;
  return {
    ...record,
    spec: {
      ...record.spec,
      holderIdentity: identity,
      leaseDurationSeconds: LEASE_DURATION_MS / 1000,
      acquireTime: microTime(nowMs),
      renewTime: microTime(nowMs),
      leaseTransitions: before === undefined || before === identity ? transitions : transitions + 1,
    },
  };
}

export function renewed(record: LeaseRecord, nowMs: number): LeaseRecord {
  return { ...record, spec: { ...record.spec, renewTime: microTime(nowMs) } };
}

export function released(record: LeaseRecord, identity: string, nowMs: number): LeaseRecord {
  const annotations = { ...record.metadata.annotations, [LAST_HOLDER]: identity };
  return {
    ...record,
    metadata: { ...record.metadata, annotations },
    spec: { ...record.spec, holderIdentity: '', renewTime: microTime(nowMs) },
  };
}

/** A MicroTime. The apiserver refuses one without six digits after the point. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
