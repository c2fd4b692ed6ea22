/** Writes that have waited for their turn, and their leases. */
import { expect, test } from 'vitest';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { createHttp, type HttpAnswer, type Transport } from '../../../shared/openstack/openstack-http.ts';
import { NO_RUN, type RunContext } from '../../../shared/run-context.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL } from '../../support/in-process.ts';

const POOLS = { service: 'load-balancer', url: 'http://octavia.invalid/v2.0/lbaas/pools' } as const;

/** A service that is held for a second by its first answer. */
async function afterHold() {
  const clock = new VirtualClock(0);
  const sent: string[] = [];
  const transport: Transport = {
    pause: (ms, signal) => clock.pause(ms, signal),
    now: () => clock.millis(),
    send: async ({ method }) => {
      sent.push(method);
      if (sent.length === 1) return { status: 429, headers: { 'retry-after': '1' }, text: '{}' };
      await clock.pause(10);
      return { status: 200, headers: {}, text: '{}' };
    },
  };
  const http = createHttp(aConfig(AUTH_URL).openstack, () => undefined, transport);
  await http({ ...POOLS, method: 'POST', body: {} });
  sent.length = 1;
  const write = (guard: () => Promise<void>, run: Partial<RunContext> = {}): Promise<HttpAnswer> =>
    http({ ...POOLS, method: 'PUT', body: {} }, { ...NO_RUN, ...run, guard });
  const read = (): Promise<HttpAnswer> => http({ ...POOLS, method: 'GET' });
  return { clock, sent, write, read };
}

test('an apiserver that does not answer for the leases of ten writes holds up other requests for two seconds', async () => {
  const { clock, sent, write, read } = await afterHold();
  const refused = Array.from({ length: 10 }, () =>
    expect(write(() => clock.pause(15_000).then(() => Promise.reject(new Error('lost'))))).rejects.toThrow(
      'lost',
    ),
  );
  await Promise.all([read(), read()]);
  expect(clock.millis()).toBeLessThan(3_300);
  await Promise.all(refused);
  expect(sent).toEqual(['POST', 'GET', 'GET']);
});

test('a write whose lease is renewed late is sent then', async () => {
  const { clock, sent, write } = await afterHold();
  const asked: number[] = [];
  await write(async () => {
    asked.push(clock.millis());
    await clock.pause(3_000);
  });
  expect(asked).toEqual([1_000]);
  expect([clock.millis(), sent]).toEqual([4_010, ['POST', 'PUT']]);
});

test('a write whose run is over when its lease is renewed is not sent', async () => {
  const { clock, sent, write } = await afterHold();
  const run = { remainingMs: () => 3_000 - clock.millis() };
  await expect(write(() => clock.pause(2_500), run)).rejects.toMatchObject({ code: 'BUDGET_SPENT' });
  expect(sent).toEqual(['POST']);
});
