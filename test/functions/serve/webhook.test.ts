import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import request from 'supertest';
import { serve } from '../../../functions/serve.ts';
import { Webhook } from '../../../functions/serve/webhook.ts';
import type { Key } from '../../../shared/model/request.ts';
import { eventList, serviceEvent } from '../../unit/trigger/audit-events.ts';
import { sweep } from '../../../shared/sweep.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import { AUDIT, testServer } from '../../http/test-server.ts';
import { aService, sandboxWorld, until } from '../sandbox-world.ts';

const MINUTE = 60_000;

describe('the webhook', () => {
  beforeEach(() => vi.useFakeTimers({ now: Date.parse('2026-11-21T03:00:00Z') }));
  afterEach(() => vi.useRealTimers());

  function aWebhook(known: readonly Key[] = []) {
    const lines: string[] = [];
    const note = (message: string): void => void lines.push(message);
    const webhook = new Webhook({
      clock: { now: () => Date.now() },
      log: { debug: note, info: note, warn: note, error: note },
      isKnown: (key) => known.includes(key),
    });
    return { webhook, lines };
  }

  test('that is refused warns once, until a batch is accepted', () => {
    const { webhook, lines } = aWebhook();
    for (let count = 0; count < 3; count += 1) webhook.refused('path');
    webhook.refused('token');
    expect(lines).toEqual([
      'levelset refuses events: the path must be /audit/ and the --cluster-name, or the UID of the namespace kube-system; until events come, changes wait for the sweep',
    ]);
    expect(webhook.view()).toMatchObject({ refused: { path: 3, token: 1 }, trouble: /refused/ });

    webhook.accepted([]);
    expect(webhook.view()).toEqual({
      lastAccepted: '2026-11-21T03:00:00.000Z',
      refused: { path: 3, token: 1 },
    });
    webhook.refused('token');
    expect(lines.slice(1)).toEqual(['events come again']);
    vi.advanceTimersByTime(2 * MINUTE);
    webhook.refused('token');
    expect(lines[2]).toContain('over HTTPS only');
  });

  test('of a registry is told by the name and the texts of its entry', () => {
    const lines: string[] = [];
    const note = (message: string): void => void lines.push(message);
    const log = { debug: note, info: note, warn: note, error: note };
    for (const reason of ['token', 'path'] as const)
      new Webhook({ clock: { now: () => 0 }, log, isKnown: () => true, cluster: 'prod-a' }).refused(reason);
    expect(lines).toEqual([
      expect.stringContaining('none of audit-tokens of its entry and LEVELSET_AUDIT_TOKENS'),
      expect.stringContaining('the path must be /audit/prod-a;'),
    ]);
  });

  test('that told nothing of what a sweep found is named a minute later', () => {
    const { webhook, lines } = aWebhook(['service/a/tried']);
    webhook.swept(['service/a/old']);
    webhook.swept(['service/a/tried']);
    vi.advanceTimersByTime(2 * MINUTE);
    expect(lines).toEqual([]);

    webhook.swept(['service/a/new']);
    vi.advanceTimersByTime(MINUTE);
    expect(lines).toEqual([
      'no event came since levelset began, and a sweep found changes: service/a/new; until events come, changes wait for the sweep',
    ]);
  });

  test.each([
    ['just before', -MINUTE / 2],
    ['soon after', MINUTE / 2],
  ])('that delivered %s the sweep is fine', (_when, atMs) => {
    const { webhook, lines } = aWebhook();
    webhook.swept([]);
    if (atMs < 0) webhook.accepted(['service/a/new']);
    vi.advanceTimersByTime(MINUTE / 2);
    webhook.swept(['service/a/new']);
    vi.advanceTimersByTime(MINUTE / 2);
    if (atMs > 0) webhook.accepted(['namespace/a']);
    vi.advanceTimersByTime(5 * MINUTE);
    expect(lines).toEqual([]);
  });

  test('whose events leave out what a sweep finds is told once, and for an hour', () => {
    const { webhook, lines } = aWebhook();
    webhook.swept([]);
    for (let minute = 0; minute < 60; minute += 1) {
      webhook.accepted(['service/shop/told']);
      if (minute % 10 === 5) webhook.swept([`service/shop/untold-${minute}`]);
      vi.advanceTimersByTime(MINUTE);
    }
    expect(lines).toEqual([
      'events come, and none told of changes that a sweep found: service/shop/untold-5; does each kube-apiserver send to the webhook, and does the audit policy have writes of Services?; until events come, changes wait for the sweep',
    ]);
    vi.advanceTimersByTime(50 * MINUTE);
    expect(webhook.view().trouble).toContain('each kube-apiserver');
    vi.advanceTimersByTime(10 * MINUTE);
    expect(webhook.view().trouble).toBeUndefined();
  });

  test('that told of a Service which still waits for its run is fine', () => {
    const { webhook, lines } = aWebhook();
    webhook.swept([]);
    webhook.accepted(['service/a/in-the-queue']);
    vi.advanceTimersByTime(5 * MINUTE);
    webhook.accepted(['nodeset']);
    webhook.swept(['service/a/in-the-queue']);
    vi.advanceTimersByTime(2 * MINUTE);
    expect(lines).toEqual([]);
  });

  test('of which a stranger knows is in trouble for ten minutes, and where watches see all, not at all', () => {
    const { webhook, lines } = aWebhook();
    webhook.refused('token', true);
    expect([webhook.view().trouble, lines]).toEqual([undefined, []]);
    webhook.refused('token');
    vi.advanceTimersByTime(9 * MINUTE);
    expect(webhook.view().trouble).toContain('refuses events');
    webhook.refused('path');
    vi.advanceTimersByTime(9 * MINUTE);
    expect(webhook.view().trouble).toContain('refuses events');
    vi.advanceTimersByTime(MINUTE);
    expect(webhook.view()).toEqual({ refused: { token: 2, path: 1 } });
    expect(lines).toHaveLength(1);
  });
});

interface Asked {
  readonly path: string;
  readonly token?: string;
  readonly type?: string;
  readonly body?: string;
}

test.each<[string, Asked]>([
  ['token', { path: '/audit/kubernetes', token: 'Bearer wrong' }],
  ['path', { path: '/audit/other' }],
  ['path', { path: '/audit' }],
  ['body', { path: '/audit/kubernetes', body: '{}' }],
  ['body', { path: '/events/kubernetes', type: 'text/plain' }],
  ['queue', { path: '/audit/kubernetes' }],
])('a refusal for its %s is told: %j', async (reason, asked) => {
  const { path, token = AUDIT, type = 'application/json', body }: Asked = asked;
  const reasons: string[] = [];
  const { app } = testServer({
    observeRefusal: (one) => void reasons.push(one),
    enqueue: () => Promise.reject(new Error('away')),
  });
  const batch = eventList([serviceEvent('create')]);
  const call = request(app).post(path).set('Authorization', token).set('Content-Type', type);
  await call.send(body ?? JSON.stringify(batch));
  expect(reasons).toEqual([reason]);
});

test('a request without a token learns that an apiserver keeps its token from plain HTTP', async () => {
  const { app, lines } = testServer();
  const answer = await request(app).post('/audit/kubernetes');
  expect(answer.status).toBe(401);
  expect((answer.body as { error: string }).error).toContain('over HTTPS only');
  expect(lines.join()).toContain('over HTTPS only');
});

test('page, metrics, /readyz and the log say that an apiserver posts with a wrong token', async () => {
  const world = await sandboxWorld();
  const warnings: string[] = [];
  const nothing = (): void => undefined;
  const serving = await serve({
    flags: { ...world.flags, sweepInterval: '1h', listen: '127.0.0.1:0' },
    env: {
      LEVELSET_AUDIT_TOKENS: 'the-token-of-the-webhook',
      LEVELSET_RESYNC_TOKENS: 'the-token-of-the-resync',
    },
    log: { debug: nothing, info: nothing, warn: (line) => void warnings.push(line), error: nothing },
  });
  onTestFinished(() => serving.stop());
  const read = async (path: string): Promise<string> => (await fetch(serving.url + path)).text();
  await until('ready', async () => (await read('/readyz')) === 'ok\n');

  world.sandbox.setAuditSink(`${serving.url}/audit/kubernetes`, 'the-token-of-before-yesterday');
  world.sandbox.kube.apply(aService('web'));
  await until('a warning', () => warnings.some((line) => line.includes('refuses events')));
  expect(await read('/readyz')).toContain('levelset refuses events: its token');
  expect(await read('/')).toMatch(/Last events.*none yet; refused: \d+ for its token/s);
  expect(await read('/metrics')).toMatch(/levelset_audit_refusals_total\{reason="token"\} [1-9]/);
  expect(await read('/metrics')).toContain('levelset_audit_last_batch_timestamp_seconds 0');

  world.sandbox.setAuditSink(`${serving.url}/audit/kubernetes`, 'the-token-of-the-webhook');
  world.sandbox.kube.apply(aService('api'));
  await until('an event', async () =>
    /audit_last_batch_timestamp_seconds [1-9]/.test(await read('/metrics')),
  );
  expect(await read('/readyz')).toBe('ok\n');
});

test('a sweep finds which Services began or ceased to want a load balancer', async () => {
  const it = await startSandboxWorld();
  onTestFinished(() => it.close());
  const changed = async (): Promise<readonly Key[]> => (await sweep(it.world)).changed;
  expect(await changed()).toEqual([]);
  it.sandbox.kube.apply(aService('web'));
  expect(await changed()).toEqual(['service/default/web']);
  await it.settle('web');
  expect(await changed()).toEqual([]);
  it.sandbox.kube.delete('Service', 'default', 'web');
  expect(await changed()).toEqual(['service/default/web']);
});
