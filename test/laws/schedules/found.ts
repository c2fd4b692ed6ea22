/** Schedules that broke a rule once, as they were found and made smaller. */
import type { MachinePlan, Moment, Place, Schedule, Stall } from './schedule.ts';

const PROMPT: MachinePlan = {
  ...{ skewMs: 0, isSet: undefined, paceMs: 5, lots: 0, stalls: [], troubles: [], sweepsAtMs: [] },
};
const SETTLED: Omit<Schedule, 'edits'> = {
  ...{ begins: 'settled', besides: 'none', manageSecurityGroups: false },
  ...{ octaviaMs: 0, tokenMs: 3_600_000, machines: [PROMPT, PROMPT] },
};
const NOTHING = { ...SETTLED, begins: 'with nothing' } as const;

const answer = (place: Place, nth: number, ms: number): Stall => ({ place, nth, what: 'answer', ms });
const request = (place: Place, nth: number, ms: number): Stall => ({ place, nth, what: 'request', ms });
const CREATES: Moment = { place: 'create', nth: 0, what: 'request' };

const MADE_AND_DELETED: Schedule = {
  ...NOTHING,
  machines: [
    { ...PROMPT, paceMs: 40, lots: 1, stalls: [request('Service', 0, 2_000)] },
    { ...PROMPT, stalls: [request('create', 0, 12_000)] },
  ],
  edits: [
    { afterMs: 0, tells: ['B'], wish: { ranges: [] } },
    { afterMs: 5_000, tells: ['C'], wish: { ranges: [] } },
    { afterMs: 0, tells: ['A', 'C'], do: 'delete' },
  ],
};

const STANDS: Moment = { place: 'write to OpenStack', nth: 0, what: 'answer' };
const standing = (how: 'freeze' | 'sleep'): Schedule => ({
  ...SETTLED,
  machines: [{ ...PROMPT, troubles: [{ at: STANDS, do: how, ms: 30_000 }] }, PROMPT],
  edits: [{ afterMs: 0, tells: ['A'], wish: { ports: [443] } }],
});

/** Many writes in a row, under a renewal that is the last one. */
const CUT_OFF: Schedule = {
  ...NOTHING,
  manageSecurityGroups: true,
  machines: [
    {
      ...PROMPT,
      stalls: [
        ...[answer('create', 0, 11_000), answer('create', 1, 800)],
        ...[0, 1, 2, 3, 4, 5].map((nth) => answer('write to OpenStack', nth, 800)),
      ],
      troubles: [{ at: CREATES, do: 'cut off', from: 'Kubernetes', ms: 60_000 }],
    },
    PROMPT,
  ],
  edits: [{ afterMs: 0, tells: [], wish: { ranges: [] } }],
};

export const FOUND: Readonly<Record<string, Schedule>> = {
  'the leader stands still between two writes': standing('freeze'),
  'the machine of the leader sleeps between two writes': standing('sleep'),
  'the leader is cut off between many writes': CUT_OFF,
  'a Service is deleted while its load balancer is made': MADE_AND_DELETED,
  'a Service is deleted that shares, before the other one has joined': {
    ...NOTHING,
    besides: 'shared',
    octaviaMs: 2_500,
    machines: [
      { ...PROMPT, lots: 34_260 },
      { ...PROMPT, paceMs: 150 },
    ],
    edits: [
      { of: 'web', afterMs: 2_000, tells: [], do: 'delete' },
      { of: 'web', afterMs: 0, tells: [], wish: { ports: [443] } },
    ],
  },
  'each of two leaders makes one, for Services that share': {
    ...NOTHING,
    besides: 'shared',
    machines: [
      { ...PROMPT, lots: 1 },
      {
        ...PROMPT,
        lots: 577_526_416,
        stalls: [request('Service', 2, 300), request('create', 0, 18_000)],
        troubles: [{ at: CREATES, do: 'freeze', ms: 18_000 }],
      },
    ],
    edits: [{ afterMs: 0, tells: [], wish: { ranges: [] } }],
  },
  'a Service that joined is no load balancer for a moment': {
    ...SETTLED,
    besides: 'shared',
    machines: [{ ...PROMPT, skewMs: 3_600_000 }, PROMPT, PROMPT],
    edits: [
      { of: 'web', afterMs: 0, tells: [], do: 'make it a ClusterIP' },
      { of: 'web', afterMs: 0, tells: [], do: 'apply' },
    ],
  },
  'a narrow public Service becomes a wide internal one': {
    ...SETTLED,
    edits: [
      { afterMs: 0, tells: ['A'], wish: { ranges: ['192.0.2.0/24'] } },
      { afterMs: 11_000, tells: ['A'], wish: { internal: true } },
      { afterMs: 0, tells: [], wish: { ranges: [] } },
    ],
  },
  'a wide internal Service of two ports becomes a narrow public one': {
    ...SETTLED,
    edits: [
      { afterMs: 0, tells: [], wish: { ports: [80, 443] } },
      { afterMs: 0, tells: ['A'], wish: { internal: true } },
      { afterMs: 18_000, tells: ['A'], wish: { internal: false } },
      { afterMs: 0, tells: [], wish: { ranges: ['192.0.2.0/24'] } },
    ],
  },
  'a create is refused for its token': {
    ...NOTHING,
    tokenMs: 20_000,
    machines: [PROMPT, { ...PROMPT, stalls: [request('create', 0, 40_000)], sweepsAtMs: [50] }],
    edits: [{ afterMs: 11_000, tells: ['A'], wish: { ranges: [] } }],
  },
  'a namesake comes between the group and its tags': {
    ...NOTHING,
    manageSecurityGroups: true,
    edits: [
      { afterMs: 0, tells: ['B'], wish: { ranges: [] } },
      { afterMs: 2_000, tells: ['A', 'B'], do: 'force-delete and apply' },
      { afterMs: 0, tells: [], wish: { ports: [443] } },
    ],
  },
};
