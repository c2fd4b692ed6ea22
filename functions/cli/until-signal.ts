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
