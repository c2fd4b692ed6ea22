/** A coordination.k8s.io/v1 Lease on the wire (kubernetes.md, 8); fields not named here are sent back as they came. */
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

export const LEASE_DURATION_MS = 15_000;

/** The Date header counts whole seconds, and two apiservers may differ. */
const MARGIN_MS = 2_000;

/** Who held it last, kept after a release so that the next holder knows whether anybody wrote in between. */
const LAST_HOLDER = 'levelset.openstack.org/last-holder';

export function emptyRecord(name: string): LeaseRecord {
  return { metadata: { name, labels: LEASE_LABEL } };
}

/** How long `identity` must leave it alone yet: 0 when it is free, run out, or its own. All times are the server's. */
export function heldForMs({ spec }: LeaseRecord, identity: string, nowMs: number): number {
  if (!spec?.holderIdentity || spec.holderIdentity === identity) return 0;
  const renewedMs = Date.parse(spec.renewTime ?? '');
  if (Number.isNaN(renewedMs)) return 0;
  const durationMs =
    spec.leaseDurationSeconds === undefined ? LEASE_DURATION_MS : spec.leaseDurationSeconds * 1000;
  return Math.max(0, renewedMs + durationMs + MARGIN_MS - nowMs);
}

export function lastHolder({ metadata, spec }: LeaseRecord): string | undefined {
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

/** The apiserver refuses a MicroTime that has not six digits. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
