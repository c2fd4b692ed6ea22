/** What every queue promises, the same cases for both: in memory, and on SQS as the functions on AWS use it. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../../shared/model/outcome.ts';
import type { Step } from '../../../shared/model/plan.ts';
import type { Key, ReconcileRequest } from '../../../shared/model/request.ts';
import { aReport, failed, progressing, SETTLED } from '../../unit/queue/reports.ts';
import { MEMORY, sqsTarget, type QueueTarget } from './queue-target.ts';

const targets = [MEMORY, sqsTarget()];
afterAll(async () => {
  await Promise.all(targets.map((target) => target.close()));
});

type Opened = Awaited<ReturnType<typeof open>>;
type Answer = Outcome | { readonly outcome: Outcome; readonly wrote: string };

const step = (address: string): Step => ({ verb: 'update', kind: 'listener', address }) as unknown as Step;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const web = (name: string): Key => `service/shop/${name}`;
const asked = (name: string, cause = 'once'): ReconcileRequest => ({
  ...{ key: web(name), trigger: 'audit', cause: `${cause} ${name}` },
});

/** It is offered once, and so many runs of it end. */
async function once(queue: Opened, runs: number, name = 'web'): Promise<void> {
  await queue.offer(asked(name));
  await queue.ended(web(name), runs);
}

/** Each run takes 50 ms; `answer` gets the number of the key's run, from 1. */
async function open(
  target: QueueTarget,
  answer: (key: Key, run: number) => Answer | Promise<Answer> = () => SETTLED,
) {
  const began: { readonly request: ReconcileRequest; readonly at: number }[] = [];
  const ended = new Map<Key, number>();
  const running: Key[] = [];
  /** The most runs of one key, and of all, at once. */
  const most = { ofOne: 0, ofAll: 0 };
  const queue = await target.open(async (request) => {
    const { key } = request;
    began.push({ request, at: performance.now() });
    running.push(key);
    most.ofAll = Math.max(most.ofAll, running.length);
    most.ofOne = Math.max(most.ofOne, running.filter((one) => one === key).length);
    try {
      const number = began.filter((one) => one.request.key === key).length;
      await pause(50);
      const given = await answer(key, number);
      return 'wrote' in given
        ? aReport(request, given.outcome, { applied: [step(given.wrote)] })
        : aReport(request, given);
    } finally {
      running.splice(running.indexOf(key), 1);
      ended.set(key, (ended.get(key) ?? 0) + 1);
    }
  });
  return {
    ...{ ...queue, began, most },
    /** Resolves when so many runs of a key have ended. */
    async ended(key: Key, count: number) {
      for (const end = performance.now() + 20_000; (ended.get(key) ?? 0) < count;) {
        if (performance.now() > end)
          throw new Error(`${ended.get(key) ?? 0} of ${count} runs of ${key} ended`);
        await pause(2);
      }
    },
  };
}

describe.each(targets)('a queue $name', (target) => {
  const gapsOf = ({ began }: Opened, key: Key): readonly number[] => {
    const times = began.filter(({ request }) => request.key === key).map(({ at }) => at);
    return times.slice(1).map((at, index) => at - (times[index] ?? 0) - 50);
  };

  test.concurrent('runs what is offered, and says who asked', async () => {
    const queue = await open(target);
    const requests: readonly ReconcileRequest[] = [
      asked('web', 'a'),
      { key: 'node/worker-1.example', trigger: 'resync', cause: 'b' },
      { key: 'service/shop/api', trigger: 'events', cause: 'c' },
    ];
    await queue.offer(...requests);
    for (const { key } of requests) await queue.ended(key, 1);
    await queue.stop();
    expect(queue.began.map(({ request }) => request)).toEqual(expect.arrayContaining([...requests]));
    expect(queue.began).toHaveLength(3);
  });

  test.concurrent('has one run of a key at a time, and those of other keys beside it', async () => {
    const queue = await open(target);
    const names = Array.from({ length: 12 }, (_, at) => `web-${at}`);
    for (const cause of ['first', 'second', 'third'])
      await queue.offer(...names.map((name) => asked(name, cause)));
    for (const name of names) await queue.ended(web(name), 1);
    await pause(300);
    await queue.stop();
    expect(queue.most.ofOne).toBe(1);
    expect(queue.most.ofAll).toBeGreaterThan(3);
  });

  test.concurrent('runs a key once more that is offered while it runs', async () => {
    let offered = Infinity;
    const queue: Opened = await open(target, async (_, run) => {
      if (run > 1) return SETTLED;
      await queue.offer(asked('web', 'during'));
      await queue.offer(asked('web', 'again'));
      offered = performance.now();
      return SETTLED;
    });
    await queue.offer(asked('web', 'before'));
    await queue.ended(web('web'), 2);
    await pause(300);
    await queue.stop();
    expect(queue.most.ofOne).toBe(1);
    expect(queue.began.at(-1)?.at).toBeGreaterThan(offered);
    expect(queue.began.length).toBeLessThanOrEqual(3);
  });

  test.concurrent('runs a key once more after the last of many events', async () => {
    const queue = await open(target);
    let offered = 0;
    for (let hint = 0; hint < 30; hint += 1) {
      offered = performance.now();
      await queue.offer(asked('web', `hint ${hint}`));
      await pause(40);
    }
    while ((queue.began.at(-1)?.at ?? 0) < offered) await pause(2);
    await queue.ended(web('web'), queue.began.length);
    await queue.stop();
    expect(queue.most.ofOne).toBe(1);
    if (target.rests) for (const gap of gapsOf(queue, web('web'))) expect(gap + 50).toBeGreaterThan(490);
  });

  const wrote: Answer = { outcome: progressing(0), wrote: 'listener/tcp/80' };

  test.concurrent('asks later each time without progress, at once after it, and counts anew', async () => {
    const answers: readonly Answer[] = [failed(), failed(), wrote, failed(), SETTLED];
    const queue = await open(target, (_, run) => answers[run - 1] ?? SETTLED);
    await once(queue, answers.length);
    await pause(200);
    await queue.stop();
    const gaps = gapsOf(queue, web('web'));
    expect(gaps).toHaveLength(4);
    const [first = 0, second = 0, afterProgress = Infinity, anew = Infinity] = gaps;
    expect(first).toBeGreaterThanOrEqual(450);
    expect(second).toBeGreaterThanOrEqual(950);
    expect(afterProgress).toBeLessThan(anew);
    expect(anew).toBeLessThan(second);
    expect(queue.began.slice(1).every(({ request }) => request.trigger === 'requeue')).toBe(true);
  });

  test.concurrent('takes a write that was done before for no progress', async () => {
    const answers: readonly Answer[] = [wrote, wrote, wrote, SETTLED];
    const queue = await open(target, (_, run) => answers[run - 1] ?? SETTLED);
    await once(queue, answers.length);
    await queue.stop();
    const [, , afterNone = 0] = gapsOf(queue, web('web'));
    expect(afterNone).toBeGreaterThanOrEqual(950);
  });

  test.concurrent('holds up no other key while one waits for its next try', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `other-${at}`);
    const queue = await open(target, (key, run) =>
      key === web('bad') && run === 1 ? failed(30_000) : SETTLED,
    );
    await once(queue, 1, 'bad');
    const began = performance.now();
    await queue.offer(...names.map((name) => asked(name)));
    for (const name of names) await queue.ended(web(name), 1);
    expect(performance.now() - began).toBeLessThan(10_000);
    await queue.stop();
  });

  test.concurrent('runs a key again whose run was rejected', async () => {
    const queue = await open(target, (_, run) => {
      if (run === 1) throw new Error('rejected');
      return SETTLED;
    });
    await once(queue, 2);
    await queue.stop();
  });

  test.concurrent('ends what runs and begins nothing more when its process stops', async () => {
    let isOver = false;
    const queue = await open(target, async () => {
      await pause(150);
      isOver = true;
      return failed();
    });
    await queue.offer(asked('web'));
    while (queue.began.length === 0) await pause(2);
    await queue.stop();
    expect(isOver).toBe(true);
    const count = queue.began.length;
    await pause(800);
    expect(queue.began).toHaveLength(count);
  });

  test.runIf(target.isDurable)('goes on in another process with what one had that died', async () => {
    const queue = await open(target, (_, run) => (run === 1 ? failed(1_000) : SETTLED));
    await once(queue, 1);
    await queue.stop();
    await queue.reopen();
    await queue.ended(web('web'), 2);
    await queue.stop();
  });
});
