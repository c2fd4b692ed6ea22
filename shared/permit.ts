/**
 * Whether what goes on here may still write to OpenStack. A write may have to wait between the check of its lease and the
 * moment when it is sent: for a token, for a repetition after a 401, for another call. So the client asks here, last.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

type Ask = () => Promise<void>;

const permits = new AsyncLocalStorage<Ask>();

/** Each write of `run` asks `permit`, which throws where the write must not be sent. */
export function withPermit<T>(permit: Ask, run: () => Promise<T>): Promise<T> {
  return permits.run(permit, run);
}

/** Outside of a run everything may be written. */
export async function askPermit(): Promise<void> {
  await permits.getStore()?.();
}
