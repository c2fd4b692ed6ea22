import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { CLOSING_MS, inTime, timeLeftToCloseMs, within, withDeadline } from '../../shared/deadline.ts';
import { createHttp as createKubeHttp, type KubeRequest } from '../../shared/kube/kube-http.ts';
import { Answers } from '../../shared/memory/answers.ts';
import { connectCloud } from '../../shared/openstack/connect-cloud.ts';
import { configFor, issueToken } from './openstack/fake-openstack.ts';

const OPEN: { close(): unknown; closeAllConnections?(): void }[] = [];
afterAll(() => {
  for (const server of OPEN.splice(0)) {
    server.close();
    server.closeAllConnections?.();
  }
});

/** A server whose answer never ends, as a Keystone, any other service, and an apiserver. */
async function startSlow(answers: 'nothing' | 'without end') {
  let asked = 0;
  const server = http.createServer((request, response) => {
    if (request.url?.endsWith('/auth/tokens')) {
      issueToken()({ method: 'POST', path: '', token: undefined, body: undefined }, response, 1);
      return;
    }
    asked += 1;
    if (answers === 'nothing') return;
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => {
      clearInterval(drip);
    });
  });
  OPEN.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { cloud } = connectCloud({ ...configFor(url), requestTimeoutMs: 60_000 });
  // as in a Pod, whose token is in a file
  const credential = (): Promise<object> => new Promise((resolve) => setTimeout(resolve, 20, {}));
  const connection = { source: '', server: url, tls: {}, credential };
  const kube = createKubeHttp(connection);
  await cloud.projectId();
  return { cloud, kube, asked: () => asked };
}

const READ: KubeRequest = { method: 'GET', path: '/api/v1/nodes', doing: 'list Nodes' };
const WRITE: KubeRequest = { method: 'PATCH', path: '/api/v1/nodes/a', body: {}, doing: 'patch a Node' };

async function timed(run: () => Promise<unknown>): Promise<{ code: unknown; tookMs: number }> {
  const started = performance.now();
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown as { code: unknown },
  );
  return { code: error?.code, tookMs: performance.now() - started };
}

type Slow = Awaited<ReturnType<typeof startSlow>>;
const CALLS: readonly [string, string, (slow: Slow) => Promise<unknown>][] = [
  ['a read of OpenStack', 'CLOUD_UNAVAILABLE', ({ cloud }) => cloud.list('loadbalancer')],
  ['a write to OpenStack', 'CLOUD_UNAVAILABLE', ({ cloud }) => cloud.create('loadbalancer', {})],
  ['a read of Kubernetes', 'KUBE_UNAVAILABLE', ({ kube }) => kube(READ)],
];

describe.each(CALLS)('%s', (_what, code, call) => {
  test.each(['nothing', 'without end'] as const)(
    'that is answered by %s ends when the time of its run ends',
    async (answers) => {
      const slow = await startSlow(answers);
      const { code: seen, tookMs } = await timed(() => within(400, () => call(slow)));
      expect(seen).toBe(code);
      expect(tookMs).toBeGreaterThan(350);
      expect(tookMs).toBeLessThan(1_500);
      expect(slow.asked()).toBe(1);
    },
  );

  test('is not sent when no time is left', async () => {
    const slow = await startSlow('nothing');
    const { code: seen } = await timed(() => within(0, () => call(slow)));
    expect([seen, slow.asked()]).toEqual(['BUDGET_SPENT', 0]);
  });
});

describe.concurrent('with time of its own', () => {
  test('a write to Kubernetes may end a run whose time is over, and all of them together take little', async ({
    expect,
  }) => {
    const slow = await startSlow('nothing');
    const codes: unknown[] = [];
    const { tookMs } = await timed(() =>
      within(0, async () => {
        expect(timeLeftToCloseMs()).toBeGreaterThan(1_000);
        for (let at = 0; at < 4; at += 1) codes.push((await timed(() => slow.kube(WRITE))).code);
      }),
    );
    expect(codes).toEqual(['KUBE_UNAVAILABLE', 'KUBE_UNAVAILABLE', 'BUDGET_SPENT', 'BUDGET_SPENT']);
    expect(tookMs).toBeGreaterThan(CLOSING_MS - 200);
    expect(tookMs).toBeLessThan(CLOSING_MS + 1_000);
  });

  test.each([
    ['OpenStack', (url: string) => connectCloud({ ...configFor(url), requestTimeoutMs: 60_000 }).ready()],
    [
      'Kubernetes',
      (server: string) =>
        createKubeHttp({ source: '', server, tls: {}, credential: () => Promise.resolve({}) })(READ),
    ],
  ])('a connection to %s that nobody takes up is given up after 4 s', async (_what, call) => {
    const silent = net.createServer();
    OPEN.push({ close: () => silent.close() });
    silent.on('connection', (socket) => OPEN.push({ close: () => socket.destroy() }));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { code, tookMs } = await timed(() =>
      call(`https://127.0.0.1:${(silent.address() as AddressInfo).port}`),
    );
    expect(code).toMatch(/UNAVAILABLE/);
    expect(tookMs).toBeGreaterThan(3_900);
    expect(tookMs).toBeLessThan(6_000);
  });
});

describe('what several runs read together', () => {
  const clock = { now: () => 0 };
  const later = (ms: number, value: unknown): Promise<unknown> =>
    new Promise((resolve) => setTimeout(resolve, ms, value));

  test('does not end with the run that began it, and each run waits as long as it has time', async () => {
    const answers = new Answers(9);
    const read = (): Promise<unknown> =>
      answers.read('quota', { keepMs: 9_999, clock }, () =>
        inTime(later(300, 'an answer'), 'read the quota'),
      );
    const begun = timed(() => within(100, read));
    const patient = within(2_000, read);
    expect(await begun).toMatchObject({ code: 'BUDGET_SPENT' });
    expect(await patient).toBe('an answer');
    expect(await withDeadline({ remainingMs: () => 0 }, read)).toBe('an answer');
  });

  test('holds up only the run that began it where it hangs; the others ask once more, together', async () => {
    const answers = new Answers(9);
    let asked = 0;
    const ask = (): Promise<unknown> => {
      asked += 1;
      return asked === 1 ? new Promise(() => undefined) : later(50, 'an answer');
    };
    const read = (): Promise<unknown> => within(600, () => answers.read('quota', { keepMs: 0, clock }, ask));
    const [first, ...others] = await Promise.allSettled(Array.from({ length: 20 }, read));
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'BUDGET_SPENT' } });
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['fulfilled']));
    expect(asked).toBe(2);
  });

  test('that comes late is taken when it comes before the second answer', async () => {
    const answers = new Answers(9);
    let asked = 0;
    const ask = (): Promise<unknown> => later((asked += 1) === 1 ? 350 : 10_000, asked);
    const read = (): Promise<unknown> => within(600, () => answers.read('quota', { keepMs: 0, clock }, ask));
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
    expect(asked).toBe(2);
  });
});
