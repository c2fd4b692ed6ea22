import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bodyOf, type QueuedWork } from '../../../shared/queue/queued-work.ts';
import { SqsQueue } from '../../../shared/queue/sqs-queue.ts';
import { startAws, type AwsFake } from './aws-fake.ts';

let aws: AwsFake;
beforeEach(async () => {
  aws = await startAws();
});
afterEach(() => aws.close());

const queue = (name: string): SqsQueue =>
  new SqsQueue({
    url: `${aws.url}/123456789012/${name}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  });

const work = (name: string, cause?: string): QueuedWork => ({
  request: { key: `service/shop/${name}`, trigger: 'audit', ...(cause !== undefined && { cause }) },
});

test('keys go out ten at a time, a group per key, and the same event only once', async () => {
  const all = Array.from({ length: 23 }, (_, index) => work(`s${index}`, 'audit-1'));

  await queue('keys.fifo').send(all);
  await queue('keys.fifo').send(all.slice(0, 3));

  expect(aws.calls).toEqual([10, 10, 3, 3].map((size) => `SendMessageBatch ${size}`));
  expect(aws.sent).toHaveLength(23);
  expect(aws.sent[22]).toMatchObject({ groupId: 'service/shop/s22', body: bodyOf(all[22] ?? work('none')) });
});

test('a key that is too long for a group id is taken all the same', async () => {
  await queue('keys.fifo').send([
    { request: { key: `service/${'n'.repeat(63)}/${'s'.repeat(63)}`, trigger: 'audit' } },
  ]);

  expect(aws.sent).toHaveLength(1);
});

test('an entry that is refused is sent once more, alone', async () => {
  aws.refuse.set('shop/b"', 1);

  await queue('keys.fifo').send(['a', 'b', 'c'].map((name) => work(name)));

  expect(aws.calls).toEqual(['SendMessageBatch 3', 'SendMessageBatch 1']);
  expect(aws.sent.map(({ groupId }) => groupId)).toEqual([
    'service/shop/a',
    'service/shop/c',
    'service/shop/b',
  ]);
});

test('an entry that is refused twice makes it throw, after the others were sent', async () => {
  aws.refuse.set('shop/s0"', 2);
  const all = Array.from({ length: 11 }, (_, index) => work(`s${index}`));

  await expect(queue('keys.fifo').send(all)).rejects.toThrow('SQS refused 1 of 11 messages: InternalError');

  expect(aws.sent).toHaveLength(10);
});

test('the same event counts anew after five minutes, and another deduplication id at once', async () => {
  const now = Date.now();
  await queue('keys.fifo').send([work('web', 'audit-1')]);
  await queue('keys.fifo').send([work('web', 'audit-1')], () => 'message-1');
  expect(aws.sent).toHaveLength(2);
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 301_000);
  await queue('keys.fifo').send([work('web', 'audit-1')]);
  clock.mockRestore();
  expect(aws.sent).toHaveLength(3);
});

test('a message is hidden from others only by who has it', async () => {
  await queue('keys.fifo').hide('receipt-1', 75);
  aws.stale.add('receipt-1');

  await expect(queue('keys.fifo').hide('receipt-1', 75)).rejects.toThrow('MessageNotInflight');
  expect([...aws.hidden]).toEqual([['receipt-1', 75]]);
});

test('nothing to send sends nothing', async () => {
  await queue('keys.fifo').send([]);

  expect(aws.calls).toEqual([]);
});

test('a queue that does not answer is an error', async () => {
  const unreachable = queue('keys.fifo');
  await aws.close();

  await expect(unreachable.send([work('web')])).rejects.toThrow();

  aws = await startAws();
});

test.each([
  ['<html>', 'another program than SQS answered SendMessageBatch'],
  ['[]', 'another program than SQS answered SendMessageBatch'],
  ['{}', 'SQS refused 2 of 2 messages: not in the answer'],
  ['{"Successful":[{"Id":"1"}],"Failed":null}', 'SQS refused 1 of 2 messages: not in the answer'],
])('an answer of 200 with %s has not taken what it does not name', async (garbled, why) => {
  aws.garbled = garbled;
  await expect(queue('keys.fifo').send([work('web'), work('api')])).rejects.toThrow(why);
});

test('no call outlasts the time of what goes on, and without time none is sent', async () => {
  aws.down.set('SQS', 'hangs');
  const sending = (remainingMs: number): Promise<void> =>
    queue('keys.fifo')
      .during({ remainingMs: () => remainingMs })
      .send([work('web')]);
  const started = performance.now();

  await expect(sending(200)).rejects.toThrow(/timeout/i);
  await expect(sending(0)).rejects.toThrow('no time is left');

  expect(performance.now() - started).toBeLessThan(1_500);
});

test('a queue that does not answer is given up after 3 s, within what a function has left after its runs', async () => {
  const silent = http.createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/123456789012/keys.fifo`;
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
  const started = performance.now();
  await expect(
    new SqsQueue({ url, region: 'eu-central-1', credentials }).send([work('web')]),
  ).rejects.toThrow(/timeout/i);
  expect(performance.now() - started).toBeLessThan(4_000);
  silent.close();
  silent.closeAllConnections();
});
