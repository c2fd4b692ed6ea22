import { afterEach, beforeEach } from 'vitest';

/** The world of the test that runs: each test of the file has its own, which is closed after it. */
export function inEachTest<T extends { close(): unknown }>(start: () => Promise<T>): T {
  const its: { world?: T } = {};
  beforeEach(async () => {
    its.world = await start();
  });
  afterEach(() => its.world?.close());
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(its.world ?? {}, name) as unknown,
  });
}
