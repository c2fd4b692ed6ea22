import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { retryAfterMs } from '../../../shared/http.ts';
import type { Trigger } from '../../../shared/model/request.ts';
import { EndpointSemaphores } from '../../../shared/openstack/endpoint-semaphore.ts';
import { NoAnswer, type HttpAnswer } from '../../../shared/openstack/openstack-http.ts';
import { NO_RUN, priorityOf } from '../../../shared/deadline.ts';

const OK: HttpAnswer = { status: 200, body: {} };
const after = (ms: number, status = 429): HttpAnswer => ({ status, body: {}, retryAfterMs: ms });

function start() {
  const clock = new VirtualClock(0);
  const semaphores = new EndpointSemaphores<HttpAnswer>({
    pause: (ms, signal) => clock.pause(ms, signal),
    now: () => clock.millis(),
  });
  const sent: string[] = [];
  const at = (host: string) => semaphores.of({ service: 'network', url: `http://${host}/x` }, 'an account');
  return {
    clock,
    sent,
    /** What is at work at an endpoint. */
    load: () => semaphores.loads().get('network'),
    /** Sends a request that the endpoint answers so, after so long. */
    ask: (answer: HttpAnswer, ms = 100, { name = '', host = 'one.invalid', run = NO_RUN } = {}) =>
      at(host).pass('network', run, async () => {
        sent.push(name);
        await clock.pause(ms);
        return answer;
      }),
    hang: (host = 'one.invalid'): Promise<unknown> =>
      at(host)
        .pass('network', NO_RUN, async () => {
          await clock.pause(30_000);
          throw new NoAnswer('the time for an answer is over', true);
        })
        .catch(() => undefined),
  };
}

const times = <T>(n: number, make: () => T): T[] => Array.from({ length: n }, make);

test('ten requests are on their way at once', async () => {
  const { clock, load, ask } = start();
  const all = times(25, () => ask(OK));
  expect(load()).toEqual({ inFlight: 10, waiting: 15, restMs: 0 });
  await Promise.all(all);
  expect(clock.millis()).toBe(300);
  expect(load()).toEqual({ inFlight: 0, waiting: 0, restMs: 0 });
});

test('what a person, an event or a requeue asks goes before a hundred of a sweep, which gets every fourth place', async () => {
  const { sent, ask } = start();
  const by = (name: Trigger) => ask(OK, 100, { name, run: { ...NO_RUN, priority: priorityOf(name) } });
  const all = times(110, () => by('sweep'));
  for (const trigger of ['command', 'audit', 'requeue', 'watch', 'resync', 'events'] as const)
    all.push(by(trigger));
  await Promise.all(all);
  const places = sent.slice(10, 18);
  expect(places.filter((trigger) => trigger === 'sweep')).toHaveLength(2);
  expect(places.slice(0, 4)).toContain('sweep');
  expect(places.filter((trigger) => trigger !== 'sweep')).toEqual([
    ...['command', 'audit', 'requeue', 'watch', 'resync', 'events'],
  ]);
});

describe('Retry-After', () => {
  test.each([
    ['3', 3_000],
    [' 1.5 ', 1_500],
    ['Thu, 01 Jan 1970 00:00:07 GMT', 7_000],
    ['3600', 300_000],
    ['99999999999999999999', 300_000],
    ['in a while', undefined],
  ])('%s is read', (header, ms) => {
    expect(retryAfterMs(header, 0)).toBe(ms);
  });

  test.each([429, 503])('of a %i holds back the others, which wait as long', async (status) => {
    const { clock, load, ask } = start();
    await ask(after(3_000, status));
    const all = times(20, () => ask(OK, 0));
    expect(load()).toEqual({ inFlight: 0, waiting: 20, restMs: 3_000 });
    expect(await Promise.all(all)).toEqual(times(20, () => OK));
    expect(clock.millis()).toBe(3_100);
  });

  test('that is longer than the run or a function waits is the answer at once, and nothing is sent', async () => {
    const { clock, sent, ask } = start();
    await ask(after(3_000));
    const brief = await ask(OK, 100, { run: { ...NO_RUN, remainingMs: () => 2_000 } });
    expect(brief).toEqual(after(3_000));
    await clock.pause(3_000);
    await ask(after(20_000));
    const again = clock.millis();
    expect(await ask(OK)).toEqual(after(20_000));
    expect([clock.millis(), sent.length]).toEqual([again, 2]);
  });

  test('of five minutes counts for half a minute, and the next answer says how it goes on', async () => {
    const { clock, sent, ask } = start();
    await ask(after(300_000));
    await clock.pause(24_000);
    expect(await ask(OK)).toEqual(after(6_000));
    await clock.pause(6_000);
    await ask(after(300_000));
    expect(await ask(OK)).toEqual(after(30_000));
    expect(sent).toHaveLength(2);
  });

  test('that comes while others wait for a place reaches them', async () => {
    const { sent, ask } = start();
    const all = times(12, () => ask(after(20_000)));
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(times(12, () => 429));
    expect(sent).toHaveLength(10);
  });

  test('of one address holds back no other', async () => {
    const { clock, ask } = start();
    await ask(after(3_000), 0);
    await ask(OK, 0, { host: 'two.invalid' });
    expect(clock.millis()).toBe(0);
  });
});

test.each([600, 1_400])('a request whose run is over after %i ms leaves the line', async (ms) => {
  const { clock, load, sent, ask } = start();
  const all = times(11, () => ask(OK, 1_499));
  let leftMs = 60_000;
  const late = ask(OK, 0, { name: 'late', run: { ...NO_RUN, remainingMs: () => leftMs } });
  const refused = expect(late).rejects.toMatchObject({ code: 'BUDGET_SPENT' });
  await clock.pause(ms);
  leftMs = 0;
  const overMs = clock.millis();
  await refused;
  expect(clock.millis() - overMs).toBeLessThanOrEqual(250);
  await Promise.all(all);
  expect(sent).not.toContain('late');
  expect(load()).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('requests that hang hold up the others for two seconds, and another endpoint not at all', async () => {
  const { clock, load, ask, hang } = start();
  const hanging = times(10, () => hang());
  await ask(OK, 10, { host: 'two.invalid' });
  expect(clock.millis()).toBe(10);
  await Promise.all(times(12, () => ask(OK, 10)));
  expect(clock.millis()).toBeLessThan(2_300);
  await Promise.all(hanging);
  expect(load()).toMatchObject({ inFlight: 0, waiting: 0 });
});
