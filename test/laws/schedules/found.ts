/** Schedules that broke a rule once, as they were found and made smaller. */
import type { ProcessPlan, Schedule } from './schedule.ts';

const PROMPT: ProcessPlan = { skewMs: 0, paceMs: 5, lots: 0, stalls: [], sweepsAtMs: [] };
const SETTLED: Omit<Schedule, 'edits'> = {
  begins: 'settled',
  manageSecurityGroups: false,
  octaviaMs: 0,
  tokenMs: 3_600_000,
  processes: [PROMPT, PROMPT],
};
const NOTHING = { ...SETTLED, begins: 'with nothing' } as const;

/** Without leases it breaks the rules. */
export const MADE_AND_DELETED: Schedule = {
  ...NOTHING,
  processes: [
    {
      ...PROMPT,
      ...{ paceMs: 40, lots: 1 },
      stalls: [{ place: 'Service', nth: 0, what: 'request', ms: 2_000 }],
    },
    { ...PROMPT, stalls: [{ place: 'create', nth: 0, what: 'request', ms: 12_000 }] },
  ],
  edits: [
    { afterMs: 0, tells: ['B'], do: 'ranges', ranges: [] },
    { afterMs: 5_000, tells: ['C'], do: 'limit', limit: -1 },
    { afterMs: 0, tells: ['A', 'C'], do: 'delete' },
  ],
};

export const FOUND: Readonly<Record<string, Schedule>> = {
  'a Service is deleted while its load balancer is made': MADE_AND_DELETED,
  'a narrow public Service becomes a wide internal one': {
    ...SETTLED,
    edits: [
      { afterMs: 0, tells: ['A'], do: 'ranges', ranges: ['192.0.2.0/24'] },
      { afterMs: 11_000, tells: ['A'], do: 'internal', internal: true },
      { afterMs: 0, tells: [], do: 'ranges', ranges: [] },
    ],
  },
  'a wide internal Service of two ports becomes a narrow public one': {
    ...SETTLED,
    edits: [
      { afterMs: 0, tells: [], do: 'ports', ports: [80, 443] },
      { afterMs: 0, tells: ['A'], do: 'internal', internal: true },
      { afterMs: 18_000, tells: ['A'], do: 'internal', internal: false },
      { afterMs: 0, tells: [], do: 'ranges', ranges: ['192.0.2.0/24'] },
    ],
  },
  'a create is refused for its token after its lease has expired': {
    ...NOTHING,
    tokenMs: 20_000,
    processes: [
      PROMPT,
      {
        ...PROMPT,
        stalls: [{ place: 'create', nth: 0, what: 'request', ms: 40_000 }],
        sweepsAtMs: [50],
      },
    ],
    edits: [{ afterMs: 11_000, tells: ['A'], do: 'ranges', ranges: [] }],
  },
  'a namesake comes between the group and its tags': {
    ...NOTHING,
    manageSecurityGroups: true,
    edits: [
      { afterMs: 0, tells: ['B'], do: 'ranges', ranges: [] },
      { afterMs: 2_000, tells: ['A', 'B'], do: 'force-delete and apply' },
      { afterMs: 0, tells: [], do: 'ports', ports: [443] },
    ],
  },
};
