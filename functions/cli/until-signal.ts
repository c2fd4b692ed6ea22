/** Resolves with SIGTERM or SIGINT; a second one of either ends the process at once, as without us. */
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
