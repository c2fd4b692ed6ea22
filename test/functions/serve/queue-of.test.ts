import { expect, test } from 'vitest';
import { queueOf, queueOfClusters } from '../../../functions/serve/queue-of.ts';
import { SILENT } from '../../support/sandbox-world.ts';

test('without --queue, or with memory, the queue is that of the process', async () => {
  expect(await queueOf({})).toBeUndefined();
  expect(await queueOf({ queue: 'memory' })).toBeUndefined();
});

test('servers of NATS make a queue that replicas share', async () => {
  expect(await queueOf({ queue: 'nats://one:4222,tls://two.example:4222' })).toBeTypeOf('function');
});

test.each([
  [
    { queue: 'redis://host' },
    /^--queue has a value that is not allowed \(item 1\): give memory, or URLs of NATS/,
  ],
  [{ queue: 'nats://' }, /^--queue has a value that is not allowed \(item 1\)/],
  [{ queue: 'nats://one:4222,two:4222' }, /^--queue has a value that is not allowed \(item 2\)/],
  [{ queue: 'nats://one:4222', queueName: 'fleet' }, /^--queue-name needs --clusters/],
  [{ queueCaFile: 'ca.crt' }, /need --queue=nats:\/\/HOST:4222/],
  [{ queue: 'nats://one:4222', dryRun: true as const }, /^--dry-run takes no keys/],
])('%j is refused', async (flags, words) => {
  await expect(queueOf(flags)).rejects.toThrow(words);
});

test('several clusters share one queue, which can have a name', async () => {
  expect(await queueOfClusters({}, SILENT)).toBeUndefined();
  expect(await queueOfClusters({ queue: 'nats://one:4222', queueName: 'fleet' }, SILENT)).toMatchObject({
    of: expect.any(Function) as unknown,
  });
});

test.each([
  [
    { queue: 'nats://one:4222', queueName: 'a.b' },
    /^--queue-name has a value that is not allowed: give up to 63/,
  ],
  [{ queueName: 'fleet' }, /^--queue-name needs --queue=nats:/],
])('%j of several clusters is refused', async (flags, words) => {
  await expect(queueOfClusters(flags, SILENT)).rejects.toThrow(words);
});

test('a password in the URL is refused, and not repeated', async () => {
  const refused = await queueOf({ queue: 'nats://user:secret@host:4222' }).catch(String);
  expect(refused).toContain('--queue-credentials-file');
  expect(refused).not.toContain('secret');
});
