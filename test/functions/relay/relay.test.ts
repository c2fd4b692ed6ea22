/** `levelset relay` between a sandbox and a receiver. */
import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { relay, type Relaying } from '../../../functions/relay.ts';
import { serve } from '../../../functions/serve.ts';
import type { Key } from '../../../shared/model/request.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { testServer } from '../../http/test-server.ts';
import { AUDIT_TOKEN, NEXT_AUDIT_TOKEN } from '../../http/tokens.ts';
import { addressOf, aService, sandboxWorld, until, type SandboxWorld } from '../sandbox-world.ts';

interface Started extends Relaying {
  readonly tokenFile: string;
}

/** A relay of the sandbox's cluster, which knows nothing of its cloud. */
async function relaying({ flags }: SandboxWorld, to: string, token = AUDIT_TOKEN): Promise<Started> {
  const directory = await mkdtemp(join(tmpdir(), 'levelset-relay-'));
  const tokenFile = join(directory, 'token');
  await writeFile(tokenFile, `${token}\n`);
  const started = await relay({
    flags: {
      kubeconfig: flags.kubeconfig,
      listen: '127.0.0.1:0',
      eventsUrl: `${to}/events/kubernetes`,
      eventsTokenFile: tokenFile,
    },
    env: {},
    log: SILENT,
  });
  onTestFinished(async () => {
    await started.stop();
    await rm(directory, { recursive: true });
  });
  return { ...started, tokenFile };
}

interface Receiver {
  readonly url: string;
  readonly keys: () => readonly Key[];
  /** Every request is answered with this status, until it is undefined again. */
  readonly refuse: (status: number | undefined) => void;
  readonly posts: () => number;
}

/** The endpoint /events as it is shipped, behind something that can refuse. */
async function receiving(): Promise<Receiver> {
  const { app, queued } = testServer();
  let [refusal, posts] = [undefined as number | undefined, 0];
  const server = http.createServer((request, response) => {
    posts += 1;
    if (refusal === undefined) app(request, response);
    else response.writeHead(refusal, { 'retry-after': '0' }).end('{"error":"not now"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: () => queued.map(({ key }) => key),
    posts: () => posts,
    refuse: (status) => {
      refusal = status;
    },
  };
}

const answerOf = async (url: string): Promise<string> => {
  const answer = await fetch(url);
  return `${answer.status} ${await answer.text()}`;
};

test('what changes in the cluster is work of a levelset elsewhere: an address, a member, nothing left', async () => {
  const world = await sandboxWorld();
  const { kube, cloud } = world.sandbox;
  const serving = await serve({
    flags: { ...world.flags, sweepInterval: '1h', listen: '127.0.0.1:0' },
    env: { LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN },
    log: SILENT,
  });
  onTestFinished(() => serving.stop());
  const { url } = await relaying(world, serving.url);
  await until('it is ready', async () => (await answerOf(`${url}/readyz`)) === '200 ok\n');

  kube.apply(aService('web'));
  await until('an address', () => addressOf(kube.get('Service', 'default', 'web')) !== undefined);
  const before = cloud.members.length;
  kube.addNode('node-9');
  await until('another member', () => cloud.members.length === before + 1);
  kube.delete('Service', 'default', 'web');
  await until('the Service is gone', () => kube.get('Service', 'default', 'web') === undefined);

  await until('idle', serving.idle);
  expect(await answerOf(`${url}/healthz`)).toBe('200 ok\n');
  const metrics = await answerOf(`${url}/metrics`);
  expect(metrics).toContain('levelset_watch_up{collection="Services"} 1');
  expect(metrics).toMatch(/levelset_relay_keys_total\{result="posted"\} \d+/);
  expect(metrics).toMatch(/levelset_relay_posts_total\{status="202"\} \d+/);
});

test('at its start it asks for a sweep; then a Service is one key, and a Node the keys that depend on it', async () => {
  const world = await sandboxWorld({ nodes: 1 });
  world.sandbox.kube.apply(aService('old'));
  const { url, keys } = await receiving();
  await relaying(world, url);
  await until('a sweep', () => keys().length > 0);
  expect(keys()).toEqual(['all']);

  world.sandbox.kube.apply(aService('web'));
  await until('the Service', () => keys().length === 2);
  world.sandbox.kube.addNode('node-9');
  await until('the Node', () => keys().length >= 5);
  expect(keys()).toEqual(['all', 'service/default/web', 'node/node-9', 'nodeset', 'routes']);
});

test('while the receiver refuses, keys wait and /readyz says why; nothing is lost', async () => {
  const world = await sandboxWorld();
  const { url, keys, refuse } = await receiving();
  refuse(503);
  const relayed = await relaying(world, url);
  await until('trouble', async () =>
    (await answerOf(`${relayed.url}/readyz`)).includes('answered 503: not now'),
  );
  world.sandbox.kube.apply(aService('web'));
  refuse(undefined);
  await until('both keys', () => keys().length === 2);
  expect(new Set(keys())).toEqual(new Set(['all', 'service/default/web']));
  await until('ready', async () => (await answerOf(`${relayed.url}/readyz`)) === '200 ok\n');
});

test('a token that was replaced is read again, and never told', async () => {
  const world = await sandboxWorld();
  const { url, keys, posts } = await receiving();
  const relayed = await relaying(world, url, 'a-token-that-nobody-takes');
  await until('it is refused', async () =>
    (await answerOf(`${relayed.url}/readyz`)).includes('answered 401'),
  );
  const before = posts();
  expect(before).toBeLessThan(3);
  expect(await answerOf(`${relayed.url}/readyz`)).not.toContain('a-token-that');
  const { atime, mtime } = await stat(relayed.tokenFile);
  await writeFile(relayed.tokenFile, NEXT_AUDIT_TOKEN);
  await utimes(relayed.tokenFile, atime, mtime);
  await until('a sweep', () => keys().includes('all'));
});

test('when it ends it posts what waits', async () => {
  const world = await sandboxWorld();
  const { url, keys, refuse } = await receiving();
  const relayed = await relaying(world, url);
  await until('a sweep', () => keys().includes('all'));
  refuse(429);
  world.sandbox.kube.apply(aService('web'));
  await until('trouble', async () => (await answerOf(`${relayed.url}/readyz`)).includes('429'));
  refuse(undefined);
  await relayed.stop();
  expect(keys()).toContain('service/default/web');
});

test.each([
  [{}, '--events-url is missing'],
  [{ eventsUrl: 'https://levelset.example/events/kubernetes' }, '--events-token-file is missing'],
  [{ eventsUrl: 'http://levelset.example/events/kubernetes', eventsTokenFile: 'x' }, 'with https'],
  [
    { eventsUrl: 'https://levelset.example/audit/kubernetes', eventsTokenFile: 'x' },
    '--events-url has a value',
  ],
  [{ eventsUrl: 'https://user:word@levelset.example/events/k', eventsTokenFile: 'x' }, 'nothing but a path'],
])('with %o it does not start: %s', async (flags, message) => {
  await expect(relay({ flags, env: {}, log: SILENT })).rejects.toThrow(message);
});
