import { setTimeout as sleep } from 'node:timers/promises';
import { isCloudAtWork } from './openstack.ts';

export interface UntilOptions {
  /** 30 s when not said. While Octavia or Neutron is at work then, so often again: a slow machine is no fault of levelset's. */
  readonly timeoutMs?: number;
  /** Not said: after 100 ms first, then less often, every 400 ms in the end. Who asks takes the lab's processors. */
  readonly everyMs?: number;
}

const FIRST_MS = 100;
const LAST_MS = 400;
/** So many times as long as the test says, at most. */
const MOST_TIMES = 4;

/** Asks again until the answer is neither undefined nor false; the answer. Says at the end what it last saw. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 30_000, everyMs }: UntilOptions = {},
): Promise<T> {
  const started = Date.now();
  let end = started + timeoutMs;
  let last = 'nothing yet';
  for (let pause = FIRST_MS; ; pause = Math.min(LAST_MS, pause * 1.25)) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    if (Date.now() >= end && end - started < MOST_TIMES * timeoutMs && (await isCloudAtWork())) {
      console.log(`after ${(end - started) / 1000} s the cloud is still at work; waits on for: ${what}`);
      end += timeoutMs;
    }
    if (Date.now() >= end)
      throw new Error(`gave up after ${timeoutMs / 1000} s waiting for: ${what} (${last})`);
    await sleep(everyMs ?? pause);
  }
}
