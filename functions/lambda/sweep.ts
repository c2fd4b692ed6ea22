import { functionWorld } from './connected.ts';
import { runSweep } from './run-sweep.ts';

/** The schedule: everything at once. */
export async function handler(): Promise<void> {
  await runSweep({ scope: {}, attempt: 0 }, await functionWorld());
}
