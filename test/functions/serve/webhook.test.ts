import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import request from 'supertest';
import { Webhook } from '../../../functions/serve/webhook.ts';
import type { Key } from '../../../shared/model/request.ts';
import { eventList, serviceEvent } from '../../unit/trigger/audit-events.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aWorld } from '../../support/for-one-test.ts';
import { AUDIT, testServer } from '../../http/test-server.ts';
import { AUDIT_TOKEN } from '../../http/tokens.ts';
import { heard, running } from '../running.ts';
import { aService, sandboxWorld, until } from '../sandbox-world.ts';

const MINUTE = 60_000;

describe('the webhook', () => {
  beforeEach(() => vi.useFakeTimers({ now: Date.parse('2026-11-21T03:00:00Z') }));
  afterEach(() => vi.useRealTimers());

  function aWebhook({ known = [], cluster }: { known?: readonly Key[]; cluster?: string } = {}) {
    const { log, warnings, lines } = heard();
    const webhook = new Webhook({
      ...{ clock: { now: () => Date.now() }, log, isKnown: (key: Key) => known.includes(key) },
      ...(cluster !== undefined && { cluster }),
    });
    return { webhook, warnings, lines };
  }

  test('that is refused warns once, until a batch is accepted', () => {
    const { webhook, lines, warnings } = aWebhook();
    for (let count = 0; count < 3; count += 1) webhook.refused('path');
    webhook.refused('token');
    expect(warnings).toEqual([
      "levelset refuses events: the path of the webhook's address must be /audit/ and the --cluster-name, or the UID of the namespace kube-system; until events come, changes wait for the sweep",
    ]);
    expect(webhook.view()).toMatchObject({ refused: { path: 3, token: 1 }, trouble: /refused/ });

    webhook.accepted([]);
    const refused = { path: 3, token: 1 };
    expect(webhook.view()).toEqual({ lastAccepted: '2026-11-21T03:00:00.000Z', refused });
    webhook.refused('token');
    expect(lines.slice(1)).toEqual(['["events come again",null]']);
    vi.advanceTimersByTime(2 * MINUTE);
    webhook.refused('token');
    expect(warnings[1]).toContain('over HTTPS only');
  });

  test.each([
    ['token', 'none of audit-tokens of its entry and LEVELSET_AUDIT_TOKENS'],
    ['path', "the path of the webhook's address must be /audit/prod-a;"],
  ] as const)('of a registry is told by the name and the texts of its entry: %s', (reason, told) => {
    const { webhook, warnings } = aWebhook({ cluster: 'prod-a' });
    webhook.refused(reason);
    expect(warnings).toEqual([expect.stringContaining(told)]);
  });

  test('that told nothing of what a sweep found is named a minute later', () => {
    const { webhook, warnings } = aWebhook({ known: ['service/a/tried'] });
    webhook.swept(['service/a/old']);
    webhook.swept(['service/a/tried']);
    vi.advanceTimersByTime(2 * MINUTE);
    expect(warnings).toEqual([]);

    webhook.swept(['service/a/new']);
    vi.advanceTimersByTime(MINUTE);
    expect(warnings).toEqual([
      'no event came since levelset began, and a sweep found changes: service/a/new; until events come, changes wait for the sweep',
    ]);
  });

  test.each([
    ['just before the sweep', 0, -MINUTE / 2],
    ['soon after the sweep', 0, MINUTE / 2],
    ['long before, and what it told waits for its run', 5 * MINUTE, -MINUTE / 2],
  ])('that delivered %s is fine', (_when, longMs, atMs) => {
    const { webhook, warnings } = aWebhook();
    webhook.swept([]);
    if (atMs < 0) webhook.accepted(['service/a/new']);
    vi.advanceTimersByTime(longMs);
    if (longMs > 0) webhook.accepted(['nodeset']);
    vi.advanceTimersByTime(MINUTE / 2);
    webhook.swept(['service/a/new']);
    vi.advanceTimersByTime(MINUTE / 2);
    if (atMs > 0) webhook.accepted(['namespace/a']);
    vi.advanceTimersByTime(5 * MINUTE);
    expect(warnings).toEqual([]);
  });

  test('whose events leave out what a sweep finds is told once, and for an hour', () => {
    const { webhook, warnings } = aWebhook();
    webhook.swept([]);
    for (let minute = 0; minute < 60; minute += 1) {
      webhook.accepted(['service/shop/told']);
      if (minute % 10 === 5) webhook.swept([`service/shop/untold-${minute}`]);
      vi.advanceTimersByTime(MINUTE);
    }
    expect(warnings).toEqual([
      'events come, but none told of changes that a sweep found: service/shop/untold-5; check that each kube-apiserver sends to the webhook, and that the audit policy has writes of Services; until then, changes wait for the sweep',
    ]);
    vi.advanceTimersByTime(50 * MINUTE);
    expect(webhook.view().trouble).toContain('each kube-apiserver');
    vi.advanceTimersByTime(10 * MINUTE);
    expect(webhook.view().trouble).toBeUndefined();
  });

  test('of which a stranger knows is in trouble for ten minutes, and where watches see all, not at all', () => {
    const { webhook, warnings } = aWebhook();
    webhook.refused('token', true);
    expect([webhook.view().trouble, warnings]).toEqual([undefined, []]);
    webhook.refused('token');
    vi.advanceTimersByTime(9 * MINUTE);
    expect(webhook.view().trouble).toContain('refuses events');
    webhook.refused('path');
    vi.advanceTimersByTime(9 * MINUTE);
    expect(webhook.view().trouble).toContain('refuses events');
    vi.advanceTimersByTime(MINUTE);
    expect(webhook.view()).toEqual({ refused: { token: 2, path: 1 } });
    expect(warnings).toHaveLength(1);
  });
});

test.each([
  ['token', '/audit/kubernetes', { Authorization: 'Bearer wrong' }],
  ['path', '/audit/other', {}],
  ['path', '/audit', {}],
  ['body', '/audit/kubernetes', {}, '{}'],
  ['body', '/events/kubernetes', { 'Content-Type': 'text/plain' }],
  ['queue', '/audit/kubernetes', {}],
])('a refusal for its %s is told: %s %j %j', async (reason, path, headers, body?: string) => {
  const reasons: string[] = [];
  const { app } = testServer({
    observeRefusal: (one) => void reasons.push(one),
    enqueue: () => Promise.reject(new Error('away')),
  });
  const its = { Authorization: AUDIT, 'Content-Type': 'application/json', ...headers };
  await request(app)
    .post(path)
    .set(its)
    .send(body ?? JSON.stringify(eventList([serviceEvent('create')])));
  expect(reasons).toEqual([reason]);
});

test('page, metrics, /readyz and the log say that an apiserver posts with a wrong token', async () => {
  const world = await sandboxWorld();
  const { url, get, warnings } = await running(world);
  await until('ready', async () => (await get('/readyz')) === 'ok\n');

  world.sandbox.setAuditSink(`${url}/audit/kubernetes`, 'the-token-of-before-yesterday');
  world.sandbox.kube.apply(aService('web'));
  await until('a warning', () => warnings.some((line) => line.includes('refuses events')));
  expect(await get('/readyz')).toContain('levelset refuses events: their token');
  expect(await get('/')).toMatch(/Last events.*none yet; refused: \d+ for its token/s);
  expect(await get('/metrics')).toMatch(/levelset_audit_refusals_total\{reason="token"\} [1-9]/);
  expect(await get('/metrics')).toContain('levelset_audit_last_batch_timestamp_seconds 0');

  world.sandbox.setAuditSink(`${url}/audit/kubernetes`, AUDIT_TOKEN);
  world.sandbox.kube.apply(aService('api'));
  await until('an event', async () => /audit_last_batch_timestamp_seconds [1-9]/.test(await get('/metrics')));
  expect(await get('/readyz')).toBe('ok\n');
});

test('a sweep finds which Services began or ceased to want a load balancer', async () => {
  const it = await aWorld();
  const changed = async (): Promise<readonly Key[]> => (await sweep(it.world)).changed;
  expect(await changed()).toEqual([]);
  it.sandbox.kube.apply(aService('web'));
  expect(await changed()).toEqual(['service/default/web']);
  await it.settle('web');
  expect(await changed()).toEqual([]);
  it.sandbox.kube.delete('Service', 'default', 'web');
  expect(await changed()).toEqual(['service/default/web']);
});
