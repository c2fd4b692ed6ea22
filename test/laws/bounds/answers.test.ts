/** Whatever an apiserver or an OpenStack API answers, what is kept of it is bounded (decision 486). */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createKubeHttp } from '../../../shared/kube/kube-http.ts';
import { listAllObjects } from '../../../shared/kube/kube-objects.ts';
import { createWatch } from '../../../shared/kube/watch-http.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import { startFake } from '../../unit/openstack/fake-openstack.ts';

type Answer = (response: ServerResponse, url: URL) => void;

const JSON_TYPE = { 'content-type': 'application/json' };
const BOMB = gzipSync(`{"kind":"NodeList","items":[],"ports":[],"x":"${'x'.repeat(100e6)}"}`);
const BRACKETS = gzipSync(`{"items":[${'{},'.repeat(3e6)}{}]}`);

const packed =
  (body: Buffer, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip', ...headers }).end(body);

/** What a Node has at the least, and as something of Neutron an id. */
const asNode = (id: string) => ({ id, metadata: { name: id, uid: id, resourceVersion: '1' }, status: {} });

/** Pages without an end, of so many objects each with so much in it. */
const endless =
  (count: number, size: number): Answer =>
  (response, { searchParams }) => {
    const nth = Number(searchParams.get('continue') ?? searchParams.get('marker') ?? 0) + 1;
    const pad = 'x'.repeat(size);
    const items = Array.from({ length: count }, (_, at) => ({ ...asNode(`${nth}-${at}`), pad }));
    const ports_links = [{ rel: 'next', href: `http://any/?marker=${nth}` }];
    const page = { kind: 'NodeList', items, metadata: { continue: `${nth}` }, ports: items, ports_links };
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(page));
  };

const LENGTH = { 'content-length': `${BOMB.length}` };
const ANSWERS: readonly (readonly [string, Answer, RegExp])[] = [
  ['a bomb', packed(BOMB), /longer than 32 MB/],
  ['a bomb that says how long it is', packed(BOMB, LENGTH), /longer than 32 MB/],
  ['brackets', packed(BRACKETS), /more than 1000000 values|is not JSON/],
  ['pages without an end', endless(500, 15_000), /list is longer than 256 MB/],
  ['empty pages without an end', endless(0, 0), /list has no end/],
  ['pages of small objects without an end', endless(2_000, 0), /more than 100000 objects/],
];

/** An apiserver and the APIs of OpenStack that answer so. */
async function serving(answer: Answer) {
  const fake = await startFake(({ path }, response) => {
    answer(response, new URL(path, 'http://any'));
  });
  const credential = () => Promise.resolve({});
  return { config: fake.config, apiserver: { source: 'test', server: fake.url, tls: {}, credential } };
}

const NODES = { kind: 'Node', path: '/api/v1/nodes', doing: 'list Nodes' } as const;

test.each(ANSWERS)('an API that answers with %s is not listened to', async (_what, answer, reason) => {
  const { config, apiserver } = await serving(answer);
  const http = createKubeHttp(apiserver);
  const { cloud } = connectCloud({ ...config, requestTimeoutMs: 20_000 });
  const refusal = { code: 'UNEXPECTED_RESPONSE', message: expect.stringMatching(reason) as unknown };
  for (const list of [() => listAllObjects(http, NODES), () => cloud.list('port')])
    await expect(list()).rejects.toMatchObject(refusal);
});

test('of objects so large that a page of them is too long fewer are asked for', async () => {
  const asked: number[] = [];
  const all = Array.from({ length: 24 }, (_, at) => ({ ...asNode(`${at}`), pad: 'x'.repeat(2e6) }));
  const { apiserver } = await serving((response, { searchParams }) => {
    const [from, limit] = [Number(searchParams.get('continue')), Number(searchParams.get('limit'))];
    asked.push(limit);
    const items = all.slice(from, from + limit);
    const next = from + limit < all.length ? { continue: `${from + limit}` } : {};
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ kind: 'NodeList', items, metadata: next }));
  });
  expect(await listAllObjects(createKubeHttp(apiserver), NODES)).toEqual(all);
  expect(asked).toEqual([500, 63, 8, 8, 8]);
});

test.each<[string, number, RegExp]>([
  ['an event', 200, /an event is longer than 8 MB/],
  ['a refusal', 500, /500/],
])('a watch that is %s without an end is given up', async (_what, status, reason) => {
  const { apiserver } = await serving((response) => {
    response.writeHead(status, JSON_TYPE);
    const part = Buffer.alloc(65_536, 'x');
    const go = (): void => {
      while (response.write(part));
      response.once('drain', go);
    };
    response.on('error', () => undefined);
    go();
  });
  const from = { path: '/w', resourceVersion: '1', doing: 'watch Nodes' };
  const watch = createWatch(apiserver)(from, AbortSignal.timeout(60_000));
  const all = async (): Promise<void> => {
    for await (const { type } of watch) expect(type).toBe('OPENED');
  };
  await expect(all()).rejects.toThrow(reason);
});
