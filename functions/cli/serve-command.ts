import { serve } from '../serve.ts';
import { logOf, type CliFlags } from './options.ts';
import { untilSignal } from './until-signal.ts';

/** `levelset serve`: until SIGTERM or SIGINT. */
export async function serveCommand(flags: CliFlags, env: NodeJS.ProcessEnv): Promise<number> {
  const log = logOf(flags, 'info');
  const serving = await serve({ flags, listen: flags.listen, env, log });
  const signal = await untilSignal();
  log.info('ending', { signal });
  await serving.stop();
  return 0;
}
