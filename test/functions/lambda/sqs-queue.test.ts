/** Calls of AWS, by the example of its queue: how often they are made, how long, and what counts as taken. */
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { bodyOf, type QueuedWork } from '../../../shared/queue/queued-work.ts';
import { SqsQueue } from '../../../shared/queue/sqs-queue.ts';
import { startAws, type AwsFake } from './aws-fake.ts';

let aws: AwsFake;
let queue: SqsQueue;
beforeEach(async () => {
  aws = await startAws();
  onTestFinished(() => aws.close());
  queue = new SqsQueue({
    url: `${aws.url}/123456789012/keys.fifo`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  });
});

const work = (...names: readonly string[]): readonly QueuedWork[] =>
  names.map((name) => ({ request: { key: `service/shop/${name}`, trigger: 'audit', cause: 'über' } }));

test('keys go out ten at a time, a group per key, and the same event only once', async () => {
  const all = work(...Array.from({ length: 23 }, (_, index) => `s${index}`));

  await queue.send(all);
  await queue.send(all.slice(0, 3));

  expect(aws.calls).toEqual([10, 10, 3, 3].map((size) => `SendMessageBatch ${size}`));
  expect(aws.sent.map(({ body }) => body)).toEqual(all.map(bodyOf));
});

const TOOK_ONE = '{"Successful":[{"Id":"1"}],"Failed":[{"Id":"0","Code":"InternalError"}]}';

test('an entry that is refused is sent once more, alone', async () => {
  aws.trouble.set('SQS', { status: 200, text: TOOK_ONE, times: 1 });

  await queue.send(work('a', 'b'));

  expect(aws.calls).toEqual(['SendMessageBatch 1']);
  expect(aws.sent).toMatchObject([{ groupId: 'service/shop/a' }]);
});

test.each([
  [TOOK_ONE, 'SQS refused 1 of 2 messages: InternalError'],
  ['{"Successful":[{"Id":"1"}],"Failed":null}', 'SQS refused 1 of 2 messages: not in the answer'],
  ['{}', 'SQS refused 2 of 2 messages: not in the answer'],
  ['<html>', 'another program than SQS answered SendMessageBatch'],
])('an answer of 200 with %s has not taken what it does not name', async (text, why) => {
  aws.trouble.set('SQS', { status: 200, text });
  await expect(queue.send(work('web', 'api'))).rejects.toThrow(why);
});

test.each([
  [503, 3],
  [429, 3],
  [400, 1],
])('a call that is answered by %i is made %i times', async (status, times) => {
  aws.trouble.set('SQS', { status });
  await expect(queue.send(work('web'))).rejects.toThrow(`SQS answered ${status}`);
  expect(aws.troubled).toBe(times);

  aws.trouble.set('SQS', { status, times: times - 1 });
  if (times > 1) await queue.send(work('web'));
});

test('a call that meets a connection which AWS has closed meanwhile is sent again, on a new one', async () => {
  await queue.send(work('web'));
  aws.trouble.set('SQS', 'resets');

  await queue.send(work('api'));

  expect([aws.troubled, aws.sent.length]).toEqual([1, 2]);
});

test('a call ends with the time of what goes on, within 3 s at most, and without time none is sent', async () => {
  aws.trouble.set('SQS', 'hangs');
  const timed = async (from: SqsQueue): Promise<number> => {
    const started = performance.now();
    await expect(from.send(work('web'))).rejects.toThrow(/timeout|no time is left/i);
    return performance.now() - started;
  };
  const during = (remainingMs: number) => queue.during({ remainingMs: () => remainingMs });

  expect(await timed(during(0))).toBeLessThan(100);
  expect(await timed(during(200))).toBeLessThan(1_500);
  expect(await timed(during(60_000))).toBeLessThan(4_000);
  expect(aws.troubled).toBe(2);
});
