/** What happens in a schedule: edits by people, what each process looks at, where it stalls, and how its clock goes. */
import fc from 'fast-check';

export const PORTS = [80, 443] as const;
export const NAMES = ['A', 'B', 'C'] as const;
export type Name = (typeof NAMES)[number];

export type Edit = {
  /** After the edit before, in milliseconds. */
  readonly afterMs: number;
  /** Which processes get the event. */
  readonly tells: readonly Name[];
  /** The event comes so much later, perhaps after those of later edits. */
  readonly lateMs?: number;
  /** The event comes once more, so long after the first time. */
  readonly againMs?: number;
} & (
  | { readonly do: 'ranges'; readonly ranges: readonly string[] }
  | { readonly do: 'ports'; readonly ports: readonly number[] }
  | { readonly do: 'internal'; readonly internal: boolean }
  | { readonly do: 'limit'; readonly limit: number }
  | { readonly do: Change }
);
type Change = (typeof CHANGES)[number];

const CHANGES = [
  ...(['delete', 'apply', 'force-delete', 'force-delete and apply', 'make it a ClusterIP'] as const),
  ...(['a Node joins', 'a Node leaves'] as const),
] as const;

/** Requests by what they are for. */
export type Place =
  'Service' | 'Lease' | 'Kubernetes' | 'login' | 'read of OpenStack' | 'create' | 'write to OpenStack';

/** A request, or its answer, that takes this much longer. */
export interface Stall {
  readonly place: Place;
  /** Counted from 0, for each place. */
  readonly nth: number;
  readonly what: 'request' | 'answer';
  readonly ms: number;
}

export interface ProcessPlan {
  /** Its time of day minus the true one. */
  readonly skewMs: number;
  /** Somebody sets its time of day, at this time of the schedule. */
  readonly isSet?: { readonly atMs: number; readonly byMs: number } | undefined;
  /** Each request and each answer takes one to eight times as long, by these lots. */
  readonly paceMs: number;
  readonly lots: number;
  readonly stalls: readonly Stall[];
  readonly sweepsAtMs: readonly number[];
}

export interface Schedule {
  /** Whether A has made the load balancer before the schedule begins. */
  readonly begins: 'settled' | 'with nothing';
  readonly manageSecurityGroups: boolean;
  /** How long Octavia holds its lock. */
  readonly octaviaMs: number;
  readonly tokenMs: number;
  readonly processes: readonly ProcessPlan[];
  readonly edits: readonly Edit[];
}

const anAge = fc.constantFrom(0, 100, 600, 2_000, 5_000, 11_000, 18_000);
const ranges = fc.constantFrom<(readonly string[])[]>(
  [],
  ['10.0.0.0/8'],
  ['192.0.2.0/24'],
  ['192.0.2.0/24', '10.0.0.0/8'],
);
const ports = fc.subarray([...PORTS], { minLength: 1 });

const edit: fc.Arbitrary<Edit> = fc
  .tuple(
    fc.record(
      {
        afterMs: anAge,
        tells: fc.subarray([...NAMES]),
        lateMs: fc.constantFrom(400, 3_000, 12_000, 45_000),
        againMs: fc.constantFrom(0, 30, 1_000, 9_000, 40_000),
      },
      { requiredKeys: ['afterMs', 'tells'] },
    ),
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constant('ranges' as const), ranges }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('ports' as const), ports }) },
      fc.record({ do: fc.constant('internal' as const), internal: fc.boolean() }),
      fc.record({ do: fc.constant('limit' as const), limit: fc.constantFrom(-1, 1000) }),
      { weight: 4, arbitrary: fc.record({ do: fc.constantFrom(...CHANGES) }) },
    ),
  )
  .map(([when, what]) => ({ ...when, ...what }));

const stall: fc.Arbitrary<Stall> = fc.record({
  place: fc.constantFrom<Place[]>(
    ...(['Service', 'Lease', 'Lease', 'Kubernetes', 'login', 'read of OpenStack'] as const),
    ...(['create', 'create', 'write to OpenStack', 'write to OpenStack'] as const),
  ),
  nth: fc.nat({ max: 5 }),
  what: fc.constantFrom('request', 'answer'),
  ms: fc.constantFrom(300, 2_000, 6_000, 12_000, 20_000, 40_000),
});

const HOUR_MS = 3_600_000;

const aProcess: fc.Arbitrary<ProcessPlan> = fc.record({
  skewMs: fc.constantFrom(0, 0, 3_000, -3_000, 90_000, -HOUR_MS, HOUR_MS),
  isSet: fc.option(fc.record({ atMs: anAge, byMs: fc.constantFrom(-HOUR_MS, -5_000, 5_000) }), {
    nil: undefined,
    freq: 3,
  }),
  paceMs: fc.constantFrom(5, 40, 150),
  lots: fc.nat(),
  stalls: fc.array(stall, { maxLength: 5 }),
  sweepsAtMs: fc.array(fc.constantFrom(50, 700, 3_000, 8_000, 20_000, 35_000), { maxLength: 2 }),
});

export const aSchedule: fc.Arbitrary<Schedule> = fc.record({
  begins: fc.constantFrom('settled', 'settled', 'with nothing'),
  manageSecurityGroups: fc.constantFrom(false, false, true),
  octaviaMs: fc.constantFrom(0, 300, 2_500),
  tokenMs: fc.constantFrom(HOUR_MS, 20_000),
  processes: fc.array(aProcess, { minLength: 2, maxLength: NAMES.length }),
  edits: fc.array(edit, { minLength: 1, maxLength: 5 }),
});
