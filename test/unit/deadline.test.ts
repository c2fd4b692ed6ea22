import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { CLOSING_MS, countdown, NO_RUN, type RunContext } from '../../shared/deadline.ts';
import { KubeClient } from '../../shared/kube/kube-client.ts';
import { createKubeHttp } from '../../shared/kube/kube-http.ts';
import { Answers } from '../../shared/memory/answers.ts';
import { connectCloud } from '../../shared/openstack/connect-cloud.ts';
import { portOf } from '../support/for-one-test.ts';
import { SILENT } from '../support/sandbox-world.ts';
import { configFor, startFake } from './openstack/fake-openstack.ts';

/** A Keystone, and a server whose answer never ends, as any other service and as an apiserver. */
async function startSlow(answers: 'nothing' | 'without end') {
  const fake = await startFake((_seen, response) => {
    if (answers === 'nothing') return;
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => {
      clearInterval(drip);
    });
  });
  const { cloud } = connectCloud({ ...fake.config, requestTimeoutMs: 60_000 });
  // as in a Pod, whose token is in a file
  const credential = (): Promise<object> => new Promise((resolve) => setTimeout(resolve, 20, {}));
  const connection = { source: '', server: fake.url, tls: {}, credential };
  const kube = new KubeClient(createKubeHttp(connection), { namespace: 'levelset', log: SILENT });
  await cloud.projectId();
  return { cloud, kube, asked: () => fake.seen.length };
}

const inTime = (ms: number): RunContext => ({ ...NO_RUN, remainingMs: countdown(ms) });

async function timed(run: () => Promise<unknown>): Promise<{ code: unknown; tookMs: number }> {
  const started = performance.now();
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown as { code: unknown },
  );
  return { code: error?.code, tookMs: performance.now() - started };
}

type Sides = Awaited<ReturnType<typeof startSlow>>;

describe.each<[string, string, (sides: Sides, run: RunContext) => Promise<unknown>]>([
  ['a read of OpenStack', 'CLOUD_UNAVAILABLE', ({ cloud }, run) => cloud.during(run).list('loadbalancer')],
  [
    'a write to OpenStack',
    'CLOUD_UNAVAILABLE',
    ({ cloud }, run) => cloud.during(run).update('pool', 'x', { name: 'y' }),
  ],
  ['a read of Kubernetes', 'KUBE_UNAVAILABLE', ({ kube }, run) => kube.during(run).listNodes()],
])('%s', (_what, expected, call) => {
  test.each(['nothing', 'without end'] as const)(
    'that is answered by %s ends when the time of its run ends, and is not sent when no time is left',
    async (answers) => {
      const sides = await startSlow(answers);
      const callIn = (ms: number) => timed(() => call(sides, inTime(ms)));
      const { code, tookMs } = await callIn(400);
      expect([code, sides.asked()]).toEqual([expected, 1]);
      expect(tookMs).toBeGreaterThan(350);
      expect(tookMs).toBeLessThan(1_500);
      expect([(await callIn(0)).code, sides.asked()]).toEqual(['BUDGET_SPENT', 1]);
    },
  );
});

test('a write to Kubernetes may end a run whose time is over, and all of them together take little', async () => {
  const slow = await startSlow('nothing');
  const codes: unknown[] = [];
  const kube = slow.kube.during(inTime(0));
  const node = { metadata: { name: 'a', uid: 'a', resourceVersion: '1' } };
  const { tookMs } = await timed(async () => {
    for (let at = 0; at < 4; at += 1) codes.push((await timed(() => kube.deleteNode(node))).code);
  });
  expect(codes).toEqual(['KUBE_UNAVAILABLE', 'KUBE_UNAVAILABLE', 'BUDGET_SPENT', 'BUDGET_SPENT']);
  expect(tookMs).toBeGreaterThan(CLOSING_MS - 200);
  expect(tookMs).toBeLessThan(CLOSING_MS + 1_000);
});

test('a connection to OpenStack or Kubernetes that nobody takes up is given up after 4 s', async () => {
  const server = `https://127.0.0.1:${await portOf(createServer((socket) => socket.resume()))}`;
  const { ready } = connectCloud({ ...configFor(server), requestTimeoutMs: 60_000 });
  const http = createKubeHttp({ source: '', server, tls: {}, credential: () => Promise.resolve({}) });
  const list = () => http({ method: 'GET', path: '/api/v1/nodes', doing: 'list Nodes' });
  for (const { code, tookMs } of await Promise.all([ready, list].map(timed))) {
    expect(code).toMatch(/UNAVAILABLE/);
    expect(tookMs).toBeGreaterThan(3_900);
    expect(tookMs).toBeLessThan(6_000);
  }
});

describe('what several runs read together', () => {
  const clock = { now: () => 0 };
  const later = (ms: number, value: unknown): Promise<unknown> =>
    new Promise((resolve) => setTimeout(resolve, ms, value));

  test('is begun anew where the time of the run that began it ends, and each run waits as long as it has time', async () => {
    const answers = new Answers(9);
    let asked = 0;
    const read = (ms: number): Promise<unknown> => {
      const run = inTime(ms);
      return answers.during(run).read('quota', { keepMs: 9_999, clock }, async () => {
        const nth = (asked += 1);
        await later(Math.min(300, run.remainingMs() + 5), ''); // a timer may end a moment early
        if (run.remainingMs() <= 0) throw new Error('cut by the end of the run');
        return `answer ${nth}`;
      });
    };
    const begun = timed(() => read(100));
    const [patient, other] = [read(2_000), read(2_000)];
    expect((await begun).tookMs).toBeLessThan(290);
    expect(await Promise.all([patient, other])).toEqual(['answer 2', 'answer 2']);
    expect(await read(0)).toBe('answer 2');
  });

  test('holds up only the run that began it where it hangs; the others ask once more, together', async () => {
    const answers = new Answers(9);
    let asked = 0;
    const ask = (): Promise<unknown> => {
      asked += 1;
      return asked === 1 ? new Promise(() => undefined) : later(50, 'an answer');
    };
    const read = (): Promise<unknown> => answers.during(inTime(600)).read('quota', { keepMs: 0, clock }, ask);
    const [first, ...others] = await Promise.allSettled(Array.from({ length: 20 }, read));
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'BUDGET_SPENT' } });
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['fulfilled']));
    expect(asked).toBe(2);
  });
});
