import { expect, onTestFinished, test } from 'vitest';
import { Outbox } from '../../../functions/relay/outbox.ts';
import { NotTaken, type Post } from '../../../functions/relay/post-keys.ts';
import type { Key } from '../../../shared/model/request.ts';
import type { Log } from '../../../shared/ports.ts';
import { pause, SILENT } from '../../support/sandbox-world.ts';
import { until } from '../sandbox-world.ts';

const services = (many: number): readonly Key[] =>
  Array.from({ length: many }, (_, i) => `service/default/web-${i}` as const);

/** An outbox whose receiver answers as `answer` says, and what it was sent. */
function sending(answer: (nth: number) => Promise<void> | void = () => undefined, log: Log = SILENT) {
  const posts: (readonly Key[])[] = [];
  const post: Post = async (keys) => {
    posts.push(keys);
    await answer(posts.length);
  };
  const dropped: number[] = [];
  const outbox = new Outbox({
    post,
    log,
    observe: (result, keys) => {
      if (result === 'dropped') dropped.push(keys);
    },
  });
  onTestFinished(() => outbox.stop());
  return { outbox, posts, dropped };
}

test('what changes together is posted together, each key once, at most a hundred in a post', async () => {
  const { outbox, posts } = sending();
  outbox.add(services(150));
  outbox.add(services(250));
  await until('all are posted', () => outbox.size === 0 && posts.length === 3);
  expect(posts.map((keys) => keys.length)).toEqual([100, 100, 50]);
  expect(new Set(posts.flat()).size).toBe(250);
});

test('one post is under way at a time, and what changes meanwhile is in the next one, once', async () => {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  const { outbox, posts } = sending((nth) => (nth === 1 ? gate : undefined));
  outbox.add(['node/a']);
  await until('the first post', () => posts.length === 1);
  for (let i = 0; i < 50; i += 1) outbox.add(['node/a', 'node/b']);
  await pause(100);
  expect(posts).toEqual([['node/a']]);
  open();
  await until('the second post', () => posts.length === 2 && outbox.size === 0);
  expect(posts[1]).toEqual(['node/a', 'node/b']);
});

test('keys that are not taken wait, are said to wait once, and are posted again', async () => {
  const warnings: string[] = [];
  const log = { ...SILENT, warn: (message: string) => void warnings.push(message) };
  const { outbox, posts } = sending((nth) => {
    if (nth === 1) throw new NotTaken('503');
  }, log);
  outbox.add(['node/a']);
  await until('trouble', () => outbox.trouble === '503');
  await until('taken', () => outbox.size === 0 && posts.length === 2);
  expect(outbox.trouble).toBeUndefined();
  expect(warnings).toEqual(['the receiver takes no keys']);
});

test('too many keys become a sweep', async () => {
  const { outbox, posts, dropped } = sending();
  outbox.add(services(10_001));
  expect(outbox.size).toBe(1);
  await until('it is posted', () => outbox.size === 0 && posts.length === 1);
  expect(posts).toEqual([['all']]);
  expect(dropped).toEqual([10_001]);
});

test('who ends posts what waits at once, and tries again what was not taken', async () => {
  const { outbox, posts } = sending((nth) => {
    if (nth === 1) throw new NotTaken('429', 60_000);
  });
  outbox.add(['node/a']);
  await until('trouble', () => outbox.trouble === '429');
  const began = performance.now();
  await outbox.stop();
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(posts).toEqual([['node/a'], ['node/a']]);
  expect(outbox.size).toBe(0);
});
