import { expect, test } from 'vitest';
import type { ReconcileRequest } from '../../../shared/model/request.ts';
import { Outbox } from '../../../shared/queue/jetstream/outbox.ts';
import { aRequest } from './reports.ts';

interface Sending {
  readonly request: ReconcileRequest;
  readonly answer: (isSent: boolean) => void;
}

function anOutbox(): { readonly outbox: Outbox; readonly sending: Sending[] } {
  const sending: Sending[] = [];
  const outbox = new Outbox(
    (request) =>
      new Promise((resolve, reject) => {
        const answer = (isSent: boolean): void => {
          if (isSent) resolve();
          else reject(new Error('away'));
        };
        sending.push({ request, answer });
      }),
  );
  return { outbox, sending };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a key that changes while the queue is away is kept once, for who asked most urgently', async () => {
  const { outbox, sending } = anOutbox();

  await outbox.put('web', aRequest('web', 'sweep'));
  await outbox.put('web', aRequest('web', 'audit'));
  await outbox.put('web', aRequest('web', 'sweep'));
  await outbox.put('other', aRequest('other', 'sweep'));
  expect(outbox.size).toBe(2);
  expect(sending).toEqual([]);
  outbox.open();

  expect(sending.map(({ request }) => request)).toEqual([
    aRequest('web', 'audit'),
    aRequest('other', 'sweep'),
  ]);
});

test('who puts a key waits until the queue has it, and no longer once the queue is away', async () => {
  const { outbox, sending } = anOutbox();
  outbox.open();
  let isThere = false;
  const put = outbox.put('web', aRequest('web')).then(() => (isThere = true));
  await turn();
  expect(isThere).toBe(false);

  outbox.close();
  sending[0]?.answer(false);
  await put;

  expect(outbox.size).toBe(1);
  outbox.open();
  expect(sending).toHaveLength(2);
  sending[1]?.answer(true);
  await turn();
  expect(outbox.size).toBe(0);
});

test('no more than 64 are under way at once', async () => {
  const { outbox, sending } = anOutbox();
  outbox.open();
  for (let at = 0; at < 100; at += 1)
    void outbox.put(String(at), aRequest(String(at))).catch(() => undefined);
  await turn();
  expect(sending).toHaveLength(64);

  sending[0]?.answer(true);
  await turn();
  expect(sending).toHaveLength(65);
});

test('a key that the queue refuses waits until the outbox is opened again', async () => {
  let sent = 0;
  const outbox = new Outbox(() => {
    sent += 1;
    return sent < 1_000 ? Promise.reject(new Error('refused')) : Promise.resolve();
  });
  outbox.open();
  await outbox.put('web', aRequest('web'));
  await turn();
  expect(sent).toBe(1);
  expect(outbox.size).toBe(1);

  outbox.open();
  await turn();
  expect(sent).toBe(2);
});

test('what came for two causes is sent without one, and the same event twice keeps its own', async () => {
  const { outbox, sending } = anOutbox();
  const [one, other] = ['17', '18'].map((cause) => ({ ...aRequest('web'), cause }));
  if (!one || !other) throw new Error('two requests');
  await outbox.put('web', one);
  await outbox.put('web', other);
  await outbox.put('db', { ...aRequest('db'), cause: '17' });
  await outbox.put('db', { ...aRequest('db'), cause: '17' });
  outbox.open();
  expect(sending.map(({ request }) => request)).toEqual([
    aRequest('web'),
    { ...aRequest('db'), cause: '17' },
  ]);
});
