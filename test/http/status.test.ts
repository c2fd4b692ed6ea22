import { createHash } from 'node:crypto';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import type { ObjectView } from '../../shared/report/page/object-view.ts';
import type { StatusView } from '../../shared/report/page.ts';
import { renderPage } from '../../shared/report/page/objects-page.ts';
import { textOf } from '../functions/page/text-of.ts';
import { AUDIT, PAGE, testServer } from './test-server.ts';
import { AUDIT_TOKEN, PAGE_TOKEN } from './tokens.ts';
import { readTokens } from '../../functions/http/admit.ts';

const VIEW: StatusView = {
  cluster: 'kubernetes',
  generatedAt: '2026-11-21T03:00:00Z',
  rows: [
    {
      ...{ object: 'service/shop/ok', state: 'settled', reason: 'nothing to do', planSteps: 0 },
      ...{ loadBalancerId: '1', sharedWith: ['shop/also'] },
    },
    {
      ...{ object: 'service/shop/<script>alert(1)</script>', state: 'failed', reason: `it's "away" & gone` },
      ...{ plan: '+ lb\n    name: "<b>"', planSteps: 1, awaitingApproval: 1, problems: 1 },
      at: '2026-11-21T02:55:00Z',
    },
    {
      ...{ object: 'node/worker-7', state: 'blocked', reason: 'its server is gone', planSteps: 0 },
      ...{ serverId: 'server-7', address: '10.0.0.7' },
    },
    { object: 'service/node/web', state: 'settled', reason: 'as desired', planSteps: 0 },
  ],
  lastSweep: { at: '2026-11-21T02:58:30Z', services: 3, released: 0, nodes: 10, queued: 1, warnings: [] },
};
const status = () => Promise.resolve(VIEW);
const page = (path = '/') => request(testServer({ open: true, status }).app).get(path);
const OBJECT: ObjectView = {
  ...{ cluster: 'kubernetes', generatedAt: VIEW.generatedAt, runs: [] },
  row: { object: 'service/shop/web', state: 'unknown', reason: 'no run yet', planSteps: 0 },
};

describe('GET /', () => {
  test('shows the page, worst first, everything escaped', async () => {
    const { text, headers } = await page();
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('shop/&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).toContain('it&#39;s &quot;away&quot; &amp; gone');
    expect(text).toContain('name: &quot;&lt;b&gt;&quot;');
    expect(text).toContain('5 min ago');
    expect(text).toContain('with shop/also');
    expect(text).toContain('<summary>Plan: 1 step, 1 waiting for approval, 1 problem</summary>');
    expect(text.match(/<summary>/g)).toHaveLength(1);
    expect(text.indexOf('Needs a person</th>')).toBeLessThan(text.indexOf('alert(1)'));
    expect(text.indexOf('alert(1)')).toBeLessThan(text.indexOf('Node worker-7'));
    expect(text.indexOf('Node worker-7')).toBeLessThan(text.indexOf('role="rowheader">shop/ok'));
    expect(text).toContain('<title>(2) levelset: kubernetes</title>');
  });

  test('tells a Node from a Service, with its server, and counts what the sweep compared', async () => {
    const { text } = await page();
    expect(text).toContain('role="rowheader">Node worker-7<small><code>server-7</code></small></th>');
    expect(text).toContain('role="rowheader">node/web</th>');
    expect(text).toContain('90 s ago</time>: 3 Services and 10 Nodes, 1 queued');
  });

  test('allows its own style and script by hash and nothing else', async () => {
    const { text, headers } = await page();
    const hashed = (tag: string) => {
      const content = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(text)?.[1] ?? '';
      return `${tag}-src 'sha256-${createHash('sha256').update(content).digest('base64')}'`;
    };
    const policy = headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(hashed('style'));
    expect(policy).toContain(hashed('script'));
    expect(text).not.toMatch(/style=|onclick=|(src|href)="http/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-powered-by']).toBeUndefined();
  });

  test('the same as JSON, asked for either way', async () => {
    expect((await page('/?format=json')).body).toEqual(VIEW);
    expect((await page().set('Accept', 'application/json')).body).toEqual(VIEW);
  });

  const unknownSince = '2026-11-21T02:57:00Z';
  test.each<[string, string, object, string?]>([
    ['settled', 'what serves', {}],
    ['warned', 'what is ignored', { problems: 2 }, 'in sync, 2 warnings'],
    ['person', 'what is down, though it is in sync', { operatingStatus: 'ERROR' }],
    ['warned', 'what is down in part', { operatingStatus: 'DEGRADED' }],
    ['settled', 'what has no health check', { operatingStatus: 'NO_MONITOR' }, 'not monitored NO_MONITOR'],
    ['settled', 'what has no address', { address: undefined }, 'no address ONLINE'],
    ['unknown', 'what was up', { unknownSince }, 'not known since 3 min ago then in sync'],
    ['unknown', 'what was down', { operatingStatus: 'ERROR', unknownSince }, 'Not known: 1 of 1 objects'],
  ])('has as %s %s', (group, _what, change, words = '') => {
    const one = {
      ...({ state: 'settled', reason: 'as desired', planSteps: 0 } as const),
      ...{ address: '203.0.113.1', operatingStatus: 'ONLINE', object: 'service/shop/web' as const },
    };
    const html = renderPage({ ...VIEW, rows: [{ ...one, ...change }] });
    expect(html).toContain(`<tr class="${group}" role="row" id="row:service/shop/web"`);
    expect(textOf(html)).toContain(words);
    expect(html.includes('outage"')).toBe(group === 'unknown');
  });

  test.each([
    [
      { deletions: { nodes: 1, loadBalancers: 0, percent: 10 } },
      '1 Node, 0 load balancers without a Service; --deletion-share=10%',
    ],
    [{ queue: { depth: 0, oldestMs: 0 } }, '<dt>Queue</dt><dd>empty</dd>'],
    [{ queue: { depth: 2, oldestMs: 3_000 } }, '<dt>Queue</dt><dd>2 waiting, oldest 3 s</dd>'],
  ])('says of %j: %s', (change, words) => {
    expect(renderPage({ ...VIEW, ...change })).toContain(words);
  });

  test.each([
    ['q=WORKER', ['node/worker-7']],
    ['kind=node', ['node/worker-7']],
    ['namespace=node', ['service/node/web']],
    ['state=settled', ['service/node/web', 'service/shop/ok']],
    ['q=no-such', []],
    ['q=ok&namespace=shop&page=9', ['service/shop/ok']],
    ['q[]=x&page=-1&state=', 4],
  ])('the address filters: ?%s', async (query, expected) => {
    const { text } = await page(`/?${query}`);
    const found = [...text.matchAll(/id="row:([^"]+)"/g)].map(([, object]) => object);
    expect(typeof expected === 'number' ? found.length : found).toEqual(expected);
  });

  test('answers 304 to who has the page already, whatever the time is, and a new one when a row or the question changes', async () => {
    let view = VIEW;
    const { app } = testServer({ open: true, status: () => Promise.resolve(view) });
    const { etag = '' } = (await request(app).get('/')).headers;
    const again = (path: string) => request(app).get(path).set('If-None-Match', etag);
    view = { ...VIEW, generatedAt: '2026-11-21T03:00:05Z' };
    expect((await again('/')).status).toBe(304);
    expect((await again('/?format=json')).status).toBe(200);
    view = { ...VIEW, rows: [] };
    expect((await again('/')).status).toBe(200);
  });

  const GUARDED = ['/', '/objects/service/shop/web', '/metrics'];
  test.each(GUARDED)('%s wants a token when it is not on loopback', async (path) => {
    const object = (): Promise<ObjectView> => Promise.resolve(OBJECT);
    const { app } = testServer({ object, pageTokens: [PAGE_TOKEN, 'new:token'] });
    const withoutTokens = request(testServer({ object, pageTokens: [] }).app).get(path);
    const refused = await request(app).get(path);
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toMatch(/^Basic .*, Bearer$/);
    const basic = (text: string): string => `Basic ${btoa(text)}`;
    const lets = [PAGE, `bearer   ${PAGE_TOKEN}`, basic(`anyone:${PAGE_TOKEN}`), basic('x:new:token')];
    const others = [basic(`x:${AUDIT_TOKEN}`), basic(PAGE_TOKEN), basic(`${PAGE_TOKEN}:`), 'Basic !!!'];
    for (const header of [...lets, ...others]) {
      const { status } = await request(app).get(path).set('Authorization', header);
      expect([header, status]).toEqual([header, lets.includes(header) ? 200 : 401]);
    }
    expect((await withoutTokens.set('Authorization', PAGE)).status).toBe(401);
  });
});

describe('health', () => {
  test('GET /readyz says which side is missing, to whoever may see the page', async () => {
    expect((await request(testServer().app).get('/readyz')).status).toBe(200);
    const ready = () => Promise.resolve(['kube-apiserver: connection refused', 'Octavia: 503']);
    const all = 'kube-apiserver: connection refused\nOctavia: 503\n';
    const { app } = testServer({ ready });
    const told = await request(app).get('/readyz').set('Authorization', PAGE);
    expect([told.status, told.text]).toEqual([503, all]);
    const onLoopback = await request(testServer({ ready, open: true }).app).get('/readyz');
    expect([onLoopback.status, onLoopback.text]).toEqual([503, all]);
    const stranger = await request(app).get('/readyz');
    expect([stranger.status, stranger.text]).toEqual([503, 'not ready\n']);
  });

  test('GET /metrics answers what prom-client wrote', async () => {
    const answer = await request(testServer({ open: true }).app).get('/metrics');
    expect(answer.headers['content-type']).toContain('version=0.0.4');
    expect(answer.text).toBe('levelset_queue_depth 0\n');
  });
});

describe('anything else', () => {
  test('404 for the page of an object whose name is no UTF-8, which anybody may ask for, and no error in the log', async () => {
    const { app, lines } = testServer({ object: () => Promise.reject(new Error('asked')) });
    const answer = await request(app).get('/objects/service/%E0%A4%A');
    expect([answer.status, answer.body]).toEqual([404, { error: 'no such path: /objects/service/%E0%A4%A' }]);
    expect(lines.join()).not.toContain('unexpected error');
  });

  test('404 as JSON for an unknown path, 405 for another method, and a path that is no UTF-8 is a cluster like others', async () => {
    const { app } = testServer();
    const unknown = await request(app).get('/wp-login.php');
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'no such path: /wp-login.php' }]);
    const posted = await request(app).post('/healthz');
    expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD']);
    const broken = await request(app).post('/audit/%ff').set('Authorization', AUDIT);
    expect([broken.status, broken.body]).toEqual([404, { error: 'there is no cluster "%ff"' }]);
  });

  test('an error inside tells the caller nothing and the log everything', async () => {
    const server = testServer({ open: true, status: () => Promise.reject(new Error('secret internals')) });
    const answer = await request(server.app).get('/');
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ error: 'an unexpected error; the log has the details' });
    expect(server.lines).toHaveLength(1);
  });
});

const VARIABLES = ['LEVELSET_AUDIT_TOKENS', 'LEVELSET_RESYNC_TOKENS', 'LEVELSET_PAGE_TOKENS'];

test.each(VARIABLES)('a token that can be guessed is refused, and not repeated: %s', (name) => {
  const refusalOf = (tokens: string): string => {
    try {
      readTokens({ [name]: tokens });
      return '';
    } catch (error) {
      return String(error);
    }
  };
  for (const token of ['x'.repeat(19), 'change-me-audit', `please-CHANGEME-${'x'.repeat(40)}`]) {
    for (const tokens of [token, `${'g'.repeat(20)}, ${token}`]) {
      expect(refusalOf(tokens)).toContain(`${name}: a token`);
      expect(refusalOf(tokens)).toContain('openssl rand -hex 32');
      expect(refusalOf(tokens)).not.toContain(token);
    }
  }
  expect(refusalOf('g'.repeat(20))).toBe('');
  expect(refusalOf('')).toBe('');
});

const EVIL = ['evil.example', 'evil.example:8080', '127.0.0.1.evil.example', 'localhost.evil.example:80', ''];

describe('on loopback', () => {
  const server = () => testServer({ open: true, notes: () => ['a note'] });

  const OWN = ['127.0.0.1:8080', 'localhost', 'LOCALHOST:80', '[::1]:8080', '127.1.2.3'];
  test.each(OWN)('a request to %s needs no token', async (host) => {
    const { app } = server();
    for (const path of ['/', '/metrics'])
      expect((await request(app).get(path).set('Host', host)).status).toBe(200);
    expect((await request(app).get('/readyz').set('Host', host)).text).toBe('ok\na note\n');
  });

  test.each(EVIL)('a page of another site, whose name %j leads here, needs a token', async (host) => {
    const { app } = server();
    for (const path of ['/', '/metrics']) {
      expect((await request(app).get(path).set('Host', host)).status).toBe(403);
      const withToken = request(app).get(path).set({ Host: host, Authorization: PAGE });
      expect((await withToken).status).toBe(200);
    }
    expect((await request(app).get('/readyz').set('Host', host)).text).toBe('ok\n');
    expect((await request(app).get('/healthz').set('Host', host)).status).toBe(200);
  });
});
