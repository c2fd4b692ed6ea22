import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../functions/serve.ts';
import { listen } from '../../../functions/serve/listen.ts';
import { AUDIT_TOKEN } from '../../http/tokens.ts';
import { addressOf, aService, sandboxWorld, until, whatIsThere } from '../sandbox-world.ts';

describe.each([
  ['the webhook', false],
  ['--watch', true],
] as const)('by IPv6 alone, with %s', (_way, watch) => {
  test('a Service gets its address, and nothing is left when it is deleted', async () => {
    const world = await sandboxWorld({ host: '::1', pendingMs: 0 });
    const { kube, authUrl, kubeUrl } = world.sandbox;
    expect([new URL(authUrl).hostname, new URL(kubeUrl).hostname]).toEqual(['[::1]', '[::1]']);
    const lines: string[] = [];
    const note = (message: string): void => void lines.push(message);
    const serving = await serve({
      flags: { ...world.flags, sweepInterval: '1h', listen: '[::1]:0', ...(watch && { watch }) },
      env: { LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN },
      log: { debug: note, info: note, warn: note, error: note },
    });
    onTestFinished(() => serving.stop());
    const { url } = serving;
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    if (!watch) world.sandbox.setAuditSink(`${url}/audit/kubernetes`, AUDIT_TOKEN);
    await until('the first sweep', () => lines.includes('swept'));
    // the page needs no token on loopback
    for (const path of ['/readyz', '/']) expect((await fetch(url + path)).status).toBe(200);

    kube.apply(aService('web'));
    await until('an address', () => addressOf(kube.get('Service', 'default', 'web')) !== undefined);
    kube.delete('Service', 'default', 'web');
    await until('the Service is gone', () => kube.get('Service', 'default', 'web') === undefined);
    expect(whatIsThere(world.sandbox)).toMatchObject({ loadBalancers: 0, floatingIps: 0 });
  });
});

test.each([
  ['127.0.0.1:0', ['127.0.0.1']],
  ['[::1]:0', ['::1']],
  ['0.0.0.0:0', ['127.0.0.1']],
  ['[::]:0', ['127.0.0.1', '::1']],
  [':0', ['127.0.0.1', '::1']],
])('--listen %s is reached at %j', async (address, expected) => {
  const listening = await listen((_, response) => response.end(), address, { allowPlainHttp: true });
  onTestFinished(() => listening.close());
  const port = Number(new URL(listening.url).port);
  const reached = await Promise.all(
    ['127.0.0.1', '::1'].map(async (host) => ((await isOpen(port, host)) ? [host] : [])),
  );
  expect(reached.flat()).toEqual(expected);
});

function isOpen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => {
      resolve(true);
      socket.destroy();
    }).on('error', () => {
      resolve(false);
    });
  });
}
