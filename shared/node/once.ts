/** Read when somebody asks for the first time; whoever asks later gets the same. */
export function once<T>(read: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | undefined;
  return () => (begun ??= read());
}
