import type { Flags } from '../../shared/config/read-flags.ts';
import { relay } from '../relay.ts';
import { logOf } from './options.ts';
import { untilSignal } from './until-signal.ts';

/** `levelset relay`: relays until SIGTERM or SIGINT. */
export async function relayCommand(flags: Flags, env: NodeJS.ProcessEnv): Promise<number> {
  const log = logOf(flags, 'info');
  const signalled = untilSignal(); // before anybody can know that it listens
  const relaying = await relay({ flags, env, log });
  const signal = await signalled;
  log.info('ending', { signal });
  await relaying.stop();
  return 0;
}
