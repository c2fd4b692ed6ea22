/** Every call of what levelset does to load balancers that others made, share or have broken goes wrong in every way. */
import { test } from 'vitest';
import { tellMatrix } from './matrix.ts';

test(
  'whatever call of a new pool, an adoption, a repair, of sharing or of gc goes wrong, sweeps end in the same world',
  { timeout: 1_800_000 },
  () =>
    tellMatrix([
      ...(['replace a pool', 'replace a monitor', 'adopt'] as const),
      ...(['share: one joins', 'share: the owner leaves', 'share: the last one leaves'] as const),
      ...(['gc: a Service has vanished', 'gc: a cluster is gone'] as const),
      ...(['repair: failed over', 'repair: rebuilt'] as const),
    ]),
);
