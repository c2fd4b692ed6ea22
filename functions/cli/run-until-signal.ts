import type { Flags } from '../../shared/config/read-flags.ts';
import type { Log } from '../../shared/ports.ts';
import { logOf } from './options.ts';
import { untilSignal } from './until-signal.ts';

interface Running {
  stop(): Promise<void>;
}

/** What `levelset serve` does: start, and stop at SIGTERM or SIGINT. */
export async function runUntilSignal(
  start: (options: { flags: Flags; env: NodeJS.ProcessEnv; log: Log }) => Promise<Running>,
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const log = logOf(flags, 'info');
  const signalled = untilSignal(); // before anybody can know that it has started
  const running = await start({ flags, env, log });
  log.info('ending', { signal: await signalled });
  await running.stop();
  return 0;
}
