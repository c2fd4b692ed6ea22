import { expect, test } from 'vitest';
import { Asked } from '../../../shared/queue/jetstream/asked.ts';
import { aReport, aRequest } from './reports.ts';

const WEB = aRequest('web');
const report = aReport(aRequest('web'));

test('who asked hears of the first run at the place of its message, or later', async () => {
  const asked = new Asked();
  const answer = asked.wait(WEB, () => Promise.resolve(5));
  await Promise.resolve();

  asked.ended(4, aReport(aRequest('web'), { status: 'blocked', reason: 'an older run' }));
  asked.ended(9, aReport(aRequest('other')));
  asked.ended(6, report);

  expect(await answer).toBe(report);
});

test('a run of the same key in another cluster is no answer', async () => {
  const asked = new Asked();
  const inA = { ...aRequest('web'), cluster: 'prod-a' };
  const answer = asked.wait(inA, () => Promise.resolve(5));
  await Promise.resolve();

  asked.ended(6, report);
  asked.ended(7, aReport({ ...inA, cluster: 'prod-b' }));
  const its = aReport(inA);
  asked.ended(8, its);

  expect(await answer).toBe(its);
});

test('a run that ends before the queue has answered counts, too', async () => {
  const asked = new Asked();
  const answer = asked.wait(WEB, () => {
    asked.ended(5, report);
    return Promise.resolve(5);
  });
  expect(await answer).toBe(report);
});

test('who asked is told when nobody hears of runs any more, also while the queue has not answered', async () => {
  const asked = new Asked();
  const early = asked.wait(WEB, async () => {
    asked.giveUp(new Error('NATS: away'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    return 5;
  });
  await expect(early).rejects.toThrow('away');

  const late = asked.wait(WEB, () => Promise.resolve(5));
  setTimeout(() => {
    asked.giveUp(new Error('NATS: away'));
  }, 5);
  await expect(late).rejects.toThrow('away');
});
