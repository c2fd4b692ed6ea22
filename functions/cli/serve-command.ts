import type { Flags } from '../../shared/config/read-flags.ts';
import { serve } from '../serve.ts';
import { logOf } from './options.ts';
import { untilSignal } from './until-signal.ts';

/** `levelset serve`: serves until SIGTERM or SIGINT. */
export async function serveCommand(flags: Flags, env: NodeJS.ProcessEnv): Promise<number> {
  const log = logOf(flags, 'info');
  const signalled = untilSignal(); // before anybody can know that it serves
  const serving = await serve({ flags, env, log });
  const signal = await signalled;
  log.info('ending', { signal });
  await serving.stop();
  return 0;
}
