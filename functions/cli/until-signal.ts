import { once } from 'node:events';
import { logOf, type RunCommand } from './command.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Aborted at the first SIGTERM or SIGINT, with its name. A second signal ends the process at once, and so does any after `end`. */
export function stopAtSignal(): { readonly stopping: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const end = (): void => {
    for (const signal of SIGNALS) process.off(signal, stop);
  };
  const stop = (signal: NodeJS.Signals): void => {
    end();
    controller.abort(signal);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  return { stopping: controller.signal, end };
}

/** Resolves with SIGTERM or SIGINT. A second signal ends the process at once. */
export async function untilSignal(): Promise<NodeJS.Signals> {
  const { stopping } = stopAtSignal();
  await once(stopping, 'abort');
  return stopping.reason as NodeJS.Signals;
}

/** `levelset serve`: starts, and stops at SIGTERM or SIGINT. */
export const serveCommand: RunCommand = async (_words, flags, env) => {
  const { serve } = await import('../serve.ts');
  const log = logOf(flags, 'info');
  const signalled = untilSignal(); // before anybody can know that it has started
  const serving = await serve({ flags, env, log });
  log.info('ending', { signal: await signalled });
  await serving.stop();
  return 0;
};
