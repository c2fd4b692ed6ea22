/** What happens in a schedule: edits by people, which machines hear of them, what happens to these, and how their clocks go. */
import fc from 'fast-check';
import type { Drawn } from '../seed.ts';
import type { Wish } from './watch.ts';

/** Of machines; one process runs on each. */
export const NAMES = ['A', 'B', 'C'] as const;
export type Name = (typeof NAMES)[number];

/** The Services, and the ports that they may have. */
export const PORTS = { web: [80, 443], api: [8080, 8443] } as const;
export type ServiceName = keyof typeof PORTS;

export interface Edit {
  /** `web` where it is not said. */
  readonly of?: ServiceName;
  /** After the edit before, in milliseconds. */
  readonly afterMs: number;
  /** Which machines get the event. */
  readonly tells: readonly Name[];
  /** The event comes so much later, perhaps after those of later edits. */
  readonly lateMs?: number;
  /** The event comes once more, so long after the first time. */
  readonly againMs?: number;
  /** What is wished otherwise than before. */
  readonly wish?: Partial<Wanted>;
  readonly do?: Change;
}
export type Wanted = Omit<Wish, 'uid'>;
export type Change = (typeof CHANGES)[number];

const CHANGES = [
  ...(['delete', 'apply', 'force-delete', 'force-delete and apply', 'make it a ClusterIP'] as const),
  ...(['a Node joins', 'a Node leaves'] as const),
] as const;

const anAge = fc.constantFrom(0, 100, 600, 2_000, 5_000, 11_000, 14_000, 18_000);
const [TEN, TEST] = ['10.0.0.0/8', '192.0.2.0/24'] as const;
const ranges = fc.constantFrom<(readonly string[])[]>([], [TEN], [TEST], [TEST, TEN]);

const somePorts = (of: ServiceName) => fc.subarray<number>([...PORTS[of]], { minLength: 1 });

const change = (of: ServiceName): fc.Arbitrary<Edit> =>
  fc
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
        { weight: 5, arbitrary: fc.record({ wish: fc.record({ ranges }) }) },
        { weight: 3, arbitrary: fc.record({ wish: fc.record({ ports: somePorts(of) }) }) },
        fc.record({ wish: fc.record({ internal: fc.boolean() }) }),
        { weight: 4, arbitrary: fc.record({ do: fc.constantFrom(...CHANGES) }) },
      ),
    )
    .map(([when, what]) => ({ of, ...when, ...what }));

const edit = fc.oneof({ weight: 2, arbitrary: change('web') }, change('api'));

/** Requests by what they are for. `Lease`: the leader Lease. */
const place = fc.constantFrom(
  ...(['Service', 'Lease', 'Lease', 'Kubernetes', 'login', 'read of OpenStack'] as const),
  ...(['create', 'create', 'write to OpenStack', 'write to OpenStack'] as const),
);
export type Place = Drawn<typeof place>;

/** When a request has been sent, or its answer comes; counted from 0, for each place. */
const what = fc.constantFrom('request' as const, 'answer' as const);
const moment = { place, nth: fc.nat({ max: 5 }), what };
const aMoment = fc.record(moment);
export type Moment = Drawn<typeof aMoment>;

/** A request, or its answer, that takes this much longer. */
const stall = fc.record({
  ...moment,
  ms: fc.constantFrom<number[]>(300, 2_000, 6_000, 12_000, 20_000, 40_000),
});
export type Stall = Drawn<typeof stall>;

export type Side = 'Kubernetes' | 'OpenStack';

const ms = fc.constantFrom<number[]>(1_000, 5_000, 9_000, 14_000, 18_000, 30_000, 60_000);
const backMs = fc.constantFrom<(number | undefined)[]>(undefined, 0, 1_000, 12_000, 25_000);
/** In milliseconds of the schedule, or at a request. */
const at = fc.oneof(aMoment, fc.constantFrom<number[]>(0, 0, 700, 3_000, 8_000, 15_000, 22_000, 35_000));
const trouble = fc.oneof(
  // nothing of a process goes on; where it sleeps, its monotonic clock stands still, too
  fc.record({ at, do: fc.constantFrom('freeze' as const, 'sleep' as const), ms }),
  fc.record({
    ...{ at, do: fc.constant('cut off' as const), ms },
    from: fc.constantFrom<Side[]>('Kubernetes', 'Kubernetes', 'OpenStack'),
  }),
  // SIGKILL, and SIGTERM: another process starts so long afterwards, or none
  fc.record({ at, do: fc.constantFrom('kill' as const, 'end' as const), backMs }),
);
export type Trouble = Drawn<typeof trouble>;

/** A write that is on its way while its process is in trouble, so that it may come when another one leads. */
const late: fc.Arbitrary<{ stalls: Stall[]; troubles: Trouble[] }> = fc
  .tuple(
    fc.record({
      place: fc.constantFrom('create' as const, 'write to OpenStack' as const),
      nth: fc.nat({ max: 4 }),
      what: fc.constant('request' as const),
    }),
    fc.constantFrom(18_000, 25_000, 40_000),
    fc.constantFrom(
      { do: 'freeze' as const, ms: 18_000 },
      { do: 'sleep' as const, ms: 60_000 },
      { do: 'cut off' as const, from: 'Kubernetes' as const, ms: 60_000 },
      { do: 'kill' as const, backMs: 1_000 },
      { do: 'kill' as const, backMs: 25_000 },
    ),
  )
  .map(([when, byMs, what]) => ({ stalls: [{ ...when, ms: byMs }], troubles: [{ at: when, ...what }] }));

const HOUR_MS = 3_600_000;

const wrongMs = fc.constantFrom(-HOUR_MS, -5_000, 5_000, HOUR_MS);
const sweptAt = fc.constantFrom(50, 700, 3_000, 8_000, 13_500, 15_000, 16_500, 20_000, 35_000);

const anyMachine = fc.record({
  /** Its time of day minus the true one. */
  skewMs: fc.constantFrom(0, 0, 3_000, -3_000, 90_000, -HOUR_MS, HOUR_MS),
  /** Somebody sets its time of day, at this time of the schedule. */
  isSet: fc.option(fc.record({ atMs: anAge, byMs: wrongMs }), { nil: undefined, freq: 3 }),
  /** Each request and each answer takes one to eight times as long, by these lots. */
  paceMs: fc.constantFrom(5, 40, 150),
  lots: fc.nat(),
  stalls: fc.array(stall, { maxLength: 5 }),
  troubles: fc.array(trouble, { maxLength: 3 }),
  // each of them writes: the Lease of the deployment
  sweepsAtMs: fc.array(sweptAt, { maxLength: 4 }),
});

const aMachine = fc.tuple(anyMachine, fc.option(late, { freq: 2 })).map(([plan, more]) => ({
  ...plan,
  stalls: [...plan.stalls, ...(more?.stalls ?? [])],
  troubles: [...plan.troubles, ...(more?.troubles ?? [])],
}));

export type MachinePlan = Drawn<typeof aMachine>;

export const aSchedule = fc.record({
  /** Whether A has made the load balancers before the schedule begins. */
  begins: fc.constantFrom('settled', 'settled', 'with nothing'),
  /** Besides `web`: no Service, or `api`, which has a load balancer of its own, or shares that of `web` by its name. */
  besides: fc.constantFrom('none', 'its own', 'shared', 'shared'),
  manageSecurityGroups: fc.constantFrom(false, false, true),
  /** How long Octavia holds its lock. */
  octaviaMs: fc.constantFrom(0, 300, 2_500),
  tokenMs: fc.constantFrom(HOUR_MS, 20_000),
  machines: fc.array(aMachine, { minLength: 2, maxLength: NAMES.length }),
  edits: fc.array(edit, { minLength: 1, maxLength: 5 }),
});
export type Schedule = Drawn<typeof aSchedule>;
