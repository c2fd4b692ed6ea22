import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { withDeadline } from '../../../shared/deadline.ts';
import type { Trigger } from '../../../shared/model/request.ts';
import { EndpointLimit } from '../../../shared/openstack/endpoint-limit.ts';
import { EndpointLimits } from '../../../shared/openstack/endpoint-limits.ts';
import { NoAnswer, type HttpAnswer } from '../../../shared/openstack/openstack-http.ts';
import { sharedUrgency, urgencyOf } from '../../../shared/urgency.ts';

const OK: HttpAnswer = { status: 200, body: {} };
const REFUSED: HttpAnswer = { status: 429, body: { title: 'Too many requests' } };

const poolUrl = (n: number): string =>
  `http://octavia.invalid/v2.0/lbaas/pools/${String(n).padStart(32, '0')}`;
const get = (n: number) => ({ service: 'load-balancer', method: 'GET', url: poolUrl(n) }) as const;

function start() {
  const clock = new VirtualClock(0);
  const time = {
    pause: (ms: number, signal?: AbortSignal) => clock.pause(ms, signal),
    now: () => clock.millis(),
  };
  let asked = 0;
  const limit = new EndpointLimit<HttpAnswer>(time);
  return {
    clock,
    time,
    limit,
    /** Sends a request that the endpoint answers so, after so long. */
    ask: (answer: HttpAnswer, ms = 100): Promise<HttpAnswer> =>
      limit.pass(get((asked += 1)), async () => {
        await clock.pause(ms);
        return answer;
      }),
  };
}

/** An endpoint that refuses more than it bears, keeps them waiting, or works on all of them more slowly. */
function anEndpoint(
  clock: VirtualClock,
  how: 'refuses' | 'queues' | 'shares',
  bears: (atMs: number) => number,
) {
  const waiting: (() => void)[] = [];
  const served: number[] = [];
  let inside = 0;
  let working = 0;
  const it = {
    most: 0,
    refused: 0,
    /** What was answered well since a time. */
    servedSince: (ms: number) => served.filter((atMs) => atMs >= ms).length,
    async serve(): Promise<HttpAnswer> {
      const most = bears(clock.millis());
      inside += 1;
      it.most = Math.max(it.most, inside);
      try {
        if (how === 'refuses' && inside > most) {
          it.refused += 1;
          await clock.pause(5);
          return REFUSED;
        }
        if (how === 'shares') await clock.pause(WORK_MS * Math.max(1, inside / most));
        else {
          if (working >= most) await new Promise<void>((resolve) => waiting.push(resolve));
          working += 1;
          await clock.pause(WORK_MS);
          working -= 1;
          if (working < bears(clock.millis())) waiting.shift()?.();
        }
        served.push(clock.millis());
        return OK;
      } finally {
        inside -= 1;
      }
    },
  };
  return it;
}

const WORK_MS = 500;

describe.each(['refuses', 'queues', 'shares'] as const)(
  'an endpoint that %s what it does not bear',
  (how) => {
    test.each([
      [2, 2],
      [20, 20],
      [200, 200],
      [2, 20],
      [20, 2],
    ])('is used near what it bears: %i, then %i', async (bears, then) => {
      const { clock, limit } = start();
      const lastsMs = bears === then ? 22_000 : 70_000;
      const measuredMs = 10_000;
      const endpoint = anEndpoint(clock, how, (atMs) => (atMs < 20_000 ? bears : then));
      let n = 0;
      const work = async (): Promise<void> => {
        while (clock.millis() < lastsMs) {
          const { status } = await limit.pass(get((n += 1)), () => endpoint.serve());
          if (status === 429) await clock.pause(WORK_MS);
        }
      };
      const workers = Array.from({ length: 1.2 * Math.max(bears, then) + 8 }, work);
      await clock.pause(lastsMs - measuredMs);
      const before = endpoint.servedSince(0);
      [endpoint.most, endpoint.refused] = [0, 0];
      await clock.pause(measuredMs - 1);
      const served = endpoint.servedSince(0) - before;
      const atBest = (then * measuredMs) / WORK_MS;
      expect(served / atBest).toBeGreaterThan(0.8);
      expect(endpoint.most).toBeLessThanOrEqual(2 * then + 2);
      expect(endpoint.refused / served).toBeLessThan(0.03);
      await Promise.all(workers);
    });
  },
);

test('a strong endpoint is not throttled for lists that take long, or for one object that it always refuses', async () => {
  const { clock, limit } = start();
  const list = {
    service: 'load-balancer',
    method: 'GET',
    url: 'http://octavia.invalid/v2.0/lbaas/pools',
  } as const;
  let n = 0;
  const work = async (_: unknown, worker: number): Promise<void> => {
    for (let turn = 0; turn < 40; turn += 1) {
      const isBad = worker === 0;
      const isList = worker % 3 === 1;
      await limit.pass(isBad ? get(0) : isList ? list : get((n += 1)), async () => {
        await clock.pause(isList ? 1_500 : 100);
        return isBad ? { ...REFUSED, status: 503 } : OK;
      });
    }
  };
  await Promise.all(Array.from({ length: 30 }, work));
  expect(limit.limit).toBeGreaterThanOrEqual(20);
});

test('200 runs that ask a strong endpoint at once are served in the time of five', async () => {
  const { clock, ask } = start();
  await Promise.all(Array.from({ length: 200 }, () => ask(OK)));
  expect(clock.millis()).toBeLessThanOrEqual(500);
});

test('what people and events ask for goes first, then what comes back, and a sweep gets every fourth place', async () => {
  const { clock, limit } = start();
  const order: string[] = [];
  let open = true;
  const ask = (trigger: Trigger) =>
    urgencyOf(trigger).run(() =>
      limit.pass(get(order.length), async () => {
        while (open && order.length === 0 && trigger === 'command') await clock.pause(10);
        if (trigger !== 'command') order.push(trigger);
        await clock.pause(100);
        return REFUSED;
      }),
    );
  const busy = Array.from({ length: limit.limit }, () => ask('command'));
  const waiting = (['sweep', 'requeue', 'watch'] as const).flatMap((trigger) =>
    Array.from({ length: 8 }, () => ask(trigger)),
  );
  expect(limit.waiting).toBe(24);
  open = false;
  await Promise.all([...busy, ...waiting]);
  expect(order.slice(0, 3)).toEqual(['watch', 'watch', 'watch']);
  expect(order.slice(0, 12).filter((trigger) => trigger === 'sweep')).toHaveLength(3);
  expect(order.slice(0, 12).filter((trigger) => trigger === 'watch')).toHaveLength(8);
  expect(order.indexOf('requeue')).toBeGreaterThan(order.lastIndexOf('watch'));
});

test('what a sweep began goes first once somebody waits for it whose change is more urgent', async () => {
  const { clock, limit } = start();
  const order: string[] = [];
  const ask = (name: string) =>
    limit.pass(get(1), async () => {
      order.push(name);
      await clock.pause(100);
      return OK;
    });
  const busy = Array.from({ length: limit.limit }, () => ask('busy'));
  const others = urgencyOf('sweep').run(() => [1, 2, 3].map(() => ask('other')));
  const shared = urgencyOf('sweep').run(sharedUrgency);
  const joined = shared.run(() => ask('shared'));
  urgencyOf('audit').run(() => {
    shared.raise();
  });
  await Promise.all([...busy, ...others, joined]);
  expect(order[busy.length]).toBe('shared');
});

describe('Retry-After', () => {
  const after = (ms: number): HttpAnswer => ({ ...REFUSED, retryAfterMs: ms });

  test('of one request holds back the others, which wait as long', async () => {
    const { clock, ask } = start();
    expect(await ask(after(3_000))).toMatchObject({ status: 429 });
    const startedMs = clock.millis();
    const waited = await Promise.all(
      Array.from({ length: 20 }, async () => {
        expect(await ask(OK, 0)).toEqual(OK);
        return clock.millis() - startedMs;
      }),
    );
    expect(Math.min(...waited)).toBe(3_000);
    expect(Math.max(...waited)).toBe(3_000);
  });

  test('that is longer than the run or a function waits is the answer at once, and nothing is sent', async () => {
    const { clock, ask } = start();
    await ask(after(3_000));
    const startedMs = clock.millis();
    const brief = await withDeadline({ remainingMs: () => 2_000 }, () => ask(OK));
    expect(brief).toEqual({ ...REFUSED, retryAfterMs: 3_000 });
    expect(clock.millis()).toBe(startedMs);
    await clock.pause(4_000);
    await ask(after(300_000));
    const again = clock.millis();
    expect(await ask(OK)).toEqual({ ...REFUSED, retryAfterMs: 10_000 });
    expect(clock.millis()).toBe(again);
  });

  test('of five minutes has one look each ten seconds, and ends with the first good answer', async () => {
    const { clock, ask } = start();
    await ask(after(300_000));
    await clock.pause(9_000);
    expect(await ask(OK)).toMatchObject({ status: 429, retryAfterMs: 1_000 });
    await clock.pause(1_000);
    const bad = [ask(after(300_000)), ask(OK), ask(OK)];
    expect((await Promise.all(bad)).map(({ status }) => status)).toEqual([429, 429, 429]);
    await clock.pause(10_000);
    const good = [ask(OK), ask(OK), ask(OK)];
    expect((await Promise.all(good)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('of five minutes lets one request of a person look at a time, at once', async () => {
    const { clock, ask } = start();
    await ask(after(300_000));
    const byPerson = (answer: HttpAnswer) => urgencyOf('command').run(() => ask(answer));
    const refused = await Promise.all([byPerson(after(300_000)), ask(OK)]);
    expect(refused.map(({ status }) => status)).toEqual([429, 429]);
    expect(await Promise.all([byPerson(OK), ask(OK)])).toEqual([OK, OK]);
    expect(clock.millis()).toBeLessThan(1_000);
  });

  test('of five minutes is over as soon as a look is told', async () => {
    const { clock, ask } = start();
    await ask(after(300_000));
    await clock.pause(10_000);
    await ask(after(3_000));
    const startedMs = clock.millis();
    expect(await ask(OK, 0)).toEqual(OK);
    expect(clock.millis() - startedMs).toBe(3_000);
  });

  test('is looked at no sooner after a look that came to nothing', async () => {
    const { clock, ask } = start();
    await ask(after(300_000));
    await clock.pause(10_000);
    expect(await ask({ status: 500, body: undefined })).toMatchObject({ status: 500 });
    expect(await ask(OK)).toMatchObject({ status: 429, retryAfterMs: 9_900 });
  });

  test('of what is refused again while others are answered holds back nobody', async () => {
    const { clock, limit, ask } = start();
    const refused = () => limit.pass(get(0), () => Promise.resolve(after(4_000)));
    await refused();
    await ask(OK);
    const startedMs = clock.millis();
    await refused();
    await ask(OK, 0);
    expect(clock.millis()).toBe(startedMs);
  });

  test('of two that are refused in turn while others are answered holds back nobody', async () => {
    const { clock, limit, ask } = start();
    const refused = (n: number) => limit.pass(get(n), () => Promise.resolve(after(4_000)));
    for (const n of [91, 92]) {
      await refused(n);
      await ask(OK);
    }
    const startedMs = clock.millis();
    for (const n of [91, 92, 91]) {
      await refused(n);
      await ask(OK, 0);
    }
    expect(clock.millis()).toBe(startedMs);
  });

  test('holds for what it says though the clock is set back', async () => {
    const { clock, ask } = start();
    await ask(after(3_000));
    clock.advance(-86_400_000);
    const startedMs = clock.millis();
    await ask(OK, 0);
    expect(clock.millis() - startedMs).toBe(3_000);
  });

  test('of one service holds back no other, nor the same at another address', async () => {
    const { clock, time } = start();
    const limits = new EndpointLimits<HttpAnswer>(time);
    const ask = (service: 'network' | 'compute', host: string, answer: HttpAnswer) =>
      limits
        .of({ service, method: 'GET', url: `http://${host}/x` }, 'an account')
        .pass({ service, method: 'GET', url: `http://${host}/x` }, () => Promise.resolve(answer));
    await ask('network', 'one.invalid', after(3_000));
    await ask('compute', 'one.invalid', OK);
    await ask('network', 'two.invalid', OK);
    expect(clock.millis()).toBe(0);
    await ask('network', 'one.invalid', OK);
    expect(clock.millis()).toBe(3_000);
  });
});

describe('a request whose run is over while it waits', () => {
  function late() {
    const it = start();
    const busy = Array.from({ length: it.limit.limit }, () => it.ask(OK, 1_499));
    const run = { leftMs: 60_000, sent: 0 };
    const ahead = it.ask(OK);
    const left = withDeadline({ remainingMs: () => run.leftMs }, () =>
      it.limit.pass(get(99), () => {
        run.sent += 1;
        return Promise.resolve(OK);
      }),
    );
    const refused = expect(left).rejects.toMatchObject({ code: 'BUDGET_SPENT' });
    return { ...it, run, refused, all: [...busy, ahead] };
  }

  test('leaves the line, whoever is before it', async () => {
    const { clock, limit, run, refused, all } = late();
    await clock.pause(600);
    run.leftMs = 0;
    const abortedMs = clock.millis();
    await refused;
    expect(clock.millis() - abortedMs).toBeLessThanOrEqual(250);
    expect([run.sent, limit.waiting, limit.inFlight]).toEqual([0, 1, 10]);
    await Promise.all(all);
    expect(limit.inFlight).toBe(0);
  });

  test('takes no place that becomes free at the same time', async () => {
    const { clock, limit, run, refused, all } = late();
    await clock.pause(1_400);
    run.leftMs = 0;
    await refused;
    expect([run.sent, clock.millis()]).toEqual([0, 1_499]);
    await Promise.all(all);
    expect(limit.inFlight).toBe(0);
  });
});

test('requests that hang hold up the others for two seconds, and then no more', async () => {
  const { clock, limit, ask } = start();
  const hang = (): Promise<unknown> =>
    limit
      .pass(get(0), async () => {
        await clock.pause(30_000);
        throw new NoAnswer('the time for an answer is over', true);
      })
      .catch(() => undefined);
  const hanging = Array.from({ length: limit.limit }, hang);
  await Promise.all(Array.from({ length: 12 }, () => ask(OK, 10)));
  expect(clock.millis()).toBeLessThan(2_600);
  await ask(OK, 0);
  await Promise.all(hanging);
  expect(limit.inFlight).toBe(0);
  expect(limit.limit).toBeGreaterThanOrEqual(10);
});

test('an endpoint of which all hangs gets a few requests more, not all', async () => {
  const { clock, limit } = start();
  let sent = 0;
  const hang = (n: number): Promise<unknown> =>
    limit
      .pass(get(n), async () => {
        sent += 1;
        await clock.pause(30_000);
        throw new NoAnswer('the time for an answer is over', true);
      })
      .catch(() => undefined);
  const all = Array.from({ length: 200 }, (_, n) => hang(n));
  await clock.pause(29_000);
  expect(sent).toBe(10 + 3);
  await Promise.all(all);
  expect(limit.inFlight).toBe(0);
});
