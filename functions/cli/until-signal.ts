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
