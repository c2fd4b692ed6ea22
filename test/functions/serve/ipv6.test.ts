import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../functions/serve.ts';
import { listen } from '../../../functions/serve/listen.ts';
import { AUDIT_TOKEN } from '../../http/tokens.ts';
import { addressOf, aService, sandboxWorld, until, whatIsThere } from '../sandbox-world.ts';

test('by IPv6 alone a Service gets its address, and nothing is left when it is deleted', async () => {
  const world = await sandboxWorld({ host: '::1', pendingMs: 0 });
  const { kube, authUrl, kubeUrl } = world.sandbox;
  expect([new URL(authUrl).hostname, new URL(kubeUrl).hostname]).toEqual(['[::1]', '[::1]']);
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const serving = await serve({
    flags: { ...world.flags, sweepInterval: '1h', listen: '[::1]:0', watch: true },
    env: { LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN },
    log: { debug: note, info: note, warn: note, error: note },
  });
  onTestFinished(() => serving.stop());
  const { url } = serving;
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  await until('the first sweep', () => lines.includes('swept'));
  // the page needs no token on loopback
  for (const path of ['/readyz', '/']) expect((await fetch(url + path)).status).toBe(200);

  kube.apply(aService('web'));
  await until('an address', () => addressOf(kube.get('Service', 'default', 'web')) !== undefined);
  kube.delete('Service', 'default', 'web');
  await until('the Service is gone', () => kube.get('Service', 'default', 'web') === undefined);
  expect(whatIsThere(world.sandbox)).toMatchObject({ loadBalancers: 0, floatingIps: 0 });
});

test.each([
  ['127.0.0.1:0', ['127.0.0.1']],
  ['[::1]:0', ['::1']],
  ['0.0.0.0:0', ['127.0.0.1']],
  ['[::]:0', ['127.0.0.1', '::1']],
  [':0', ['127.0.0.1', '::1']],
])('--listen %s is reached at %j', async (address, expected) => {
  const own = randomUUID();
  const listening = await listen((_, response) => response.end(own), address, { allowPlainHttp: true });
  onTestFinished(() => listening.close());
  const port = new URL(listening.url).port;
  // another process may listen at the same port of the other address
  const isReached = (host: string): Promise<boolean> =>
    fetch(`http://${host}:${port}`)
      .then((answer) => answer.text())
      .then((body) => body === own)
      .catch(() => false);
  const reached = await Promise.all(
    ['127.0.0.1', '::1'].map(async (host) => ((await isReached(host.replace('::1', '[::1]'))) ? [host] : [])),
  );
  expect(reached.flat()).toEqual(expected);
});
