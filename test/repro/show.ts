/** One line on the terminal. */
export function show(what: string, seen: unknown): void {
  console.log(`${what}: ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`);
}
