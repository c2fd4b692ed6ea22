import type { Flags } from '../../shared/config/read-flags.ts';
import type { Log } from '../../shared/ports.ts';
import { logOf } from './options.ts';

/** Resolves with SIGTERM or SIGINT. A second signal ends the process at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const end = (signal: NodeJS.Signals): void => {
      process.off('SIGTERM', end);
      process.off('SIGINT', end);
      resolve(signal);
    };
    process.on('SIGTERM', end);
    process.on('SIGINT', end);
  });
}

/** Aborted at the first SIGTERM or SIGINT, with its name. A second signal ends the process at once, and so does any after `end`. */
export function stopAtSignal(): { readonly stopping: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    end();
    controller.abort(signal);
  };
  const end = (): void => {
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return { stopping: controller.signal, end };
}

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
