import { logOf, type RunCommand } from './command.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      for (const each of SIGNALS) process.off(each, stop);
      resolve(signal);
    };
    for (const signal of SIGNALS) process.on(signal, stop);
  });
}

export const serveCommand: RunCommand = async (_words, flags, env) => {
  const { serve } = await import('../serve.ts');
  const log = logOf(flags, 'info');
  const signalled = untilSignal(); // before anybody can know that it has started
  const serving = await serve({ flags, env, log });
  log.info('ending', { signal: await signalled });
  await serving.stop();
  return 0;
};
