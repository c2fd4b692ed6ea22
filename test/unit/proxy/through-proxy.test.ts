/** The clients of both sides through a real proxy, which alone knows where the names lead. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import https, { createServer } from 'node:https';
import { createServer as createTcpServer, Socket } from 'node:net';
import { inspect, promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { findConnection } from '../../../shared/kube/connection/find-connection.ts';
import { createKubeHttp } from '../../../shared/kube/kube-http.ts';
import { createWatch } from '../../../shared/kube/watch-http.ts';
import { createOpenStackHttp, overSockets } from '../../../shared/openstack/openstack-http.ts';
import { proxyFromEnv } from '../../../shared/proxy.ts';
import { SqsQueue } from '../../../shared/queue/sqs-queue.ts';
import { portOf } from '../../support/for-one-test.ts';
import { kubeconfigOf } from '../../support/sandbox-world.ts';
import { startForwardProxy, type ForwardProxy } from './forward-proxy.ts';
import { configFor } from '../openstack/fake-openstack.ts';

const certificate = (name: string, kind: string): string =>
  readFileSync(new URL(`../../support/certificates/${name}.${kind}`, import.meta.url), 'utf8');
/** Who issued the certificate of the servers, beside none above it. */
const CA = certificate('chain-issuer', 'crt');
const PASSWORD = 'geheim-und-lang';
const READ = { method: 'GET', path: '/version', doing: 'read the version' } as const;

let connections: number;
let proxy: ForwardProxy;
beforeEach(async () => {
  connections = 0;
  const server = { key: certificate('chain-leaf', 'key'), cert: certificate('chain-leaf', 'crt') + CA };
  const apiserver = await portOf(
    createServer(server, (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const isWatch = request.url?.includes('watch=true');
      response.end(isWatch ? '{"type":"ADDED","object":{"kind":"Node"}}\n' : '{"major":"1"}');
    }).on('connection', () => (connections += 1)),
  );
  const keystone = await portOf(
    createHttpServer((request, response) => response.end(JSON.stringify({ path: request.url }))),
  );
  const silent = await portOf(createTcpServer());
  proxy = await startForwardProxy({
    hosts: {
      ...{ 'one.example.org:6443': apiserver, 'two.example.org:6443': apiserver },
      ...{ 'keystone.example.org:5000': keystone, 'silent.example.org:443': silent },
    },
    credentials: `levelset:${PASSWORD}`,
  });
});
afterEach(() => proxy.close());

const withPassword = (password = PASSWORD): string => proxy.url.replace('//', `//levelset:${password}@`);

/** By the proxy, as the kubeconfig or the environment names it. */
async function connectionTo(
  host: string,
  by: 'proxy-url' | 'HTTPS_PROXY' = 'HTTPS_PROXY',
  password = PASSWORD,
) {
  const [url, ca] = [withPassword(password), Buffer.from(CA).toString('base64')];
  const inFile = { ...(by === 'proxy-url' && { 'proxy-url': url }), 'certificate-authority-data': ca };
  const text = kubeconfigOf({ server: `https://${host}`, ...inFile }, { token: 'a' });
  return findConnection({
    env: { LEVELSET_KUBECONFIG_TEXT: text, ...(by === 'HTTPS_PROXY' && { HTTPS_PROXY: url }) },
  });
}

describe('the kube-apiserver', () => {
  it('is reached by proxy-url with a password, over one tunnel', async () => {
    const http = createKubeHttp(await connectionTo('one.example.org:6443', 'proxy-url'));
    for (let at = 0; at < 3; at += 1) expect(await http(READ)).toMatchObject({ body: { major: '1' } });
    expect(proxy.asked).toEqual(['CONNECT one.example.org:6443']);
    expect(connections).toBe(1);
  });

  it('is reached by HTTPS_PROXY, and watched', async () => {
    const connection = await connectionTo('one.example.org:6443');
    expect(await createKubeHttp(connection)(READ)).toMatchObject({ status: 200 });
    const request = { path: '/api/v1/nodes', resourceVersion: '1', doing: 'watch Nodes' };
    const events: string[] = [];
    for await (const { type } of createWatch(connection)(request, new AbortController().signal))
      events.push(type);
    expect(events).toEqual(['OPENED', 'ADDED']);
    expect(proxy.asked).toEqual(Array(2).fill('CONNECT one.example.org:6443'));
  });

  it('has to show a certificate of its name', async () => {
    const http = createKubeHttp(await connectionTo('two.example.org:6443'));
    await expect(http({ ...READ, method: 'DELETE' })).rejects.toThrow(
      /two\.example\.org\. is not in the cert/,
    );
    expect(proxy.asked).toEqual(['CONNECT two.example.org:6443']);
  });

  it('is not reached with a wrong password, and none is told', async () => {
    const http = createKubeHttp(await connectionTo('one.example.org:6443', 'proxy-url', 'falsch'));
    const error = await http({ ...READ, method: 'DELETE' }).catch((refused: unknown) => refused);
    expect(error).toMatchObject({ code: 'KUBE_UNAVAILABLE' });
    expect(String(error)).toMatch(/tunnel to one\.example\.org:6443 via http:\/\/127\.0\.0\.1:\d+\/.* 407/);
    expect(inspect(error, { depth: 9 })).not.toContain('falsch');
    expect(connections).toBe(0);
  });

  it('counts as silent when TLS does not come up in the tunnel', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const http = createKubeHttp(await connectionTo('silent.example.org'));
    const failed = expect(http({ ...READ, method: 'DELETE' })).rejects.toThrow('no TLS within 8 s');
    await vi.waitFor(() => {
      expect(proxy.asked).toEqual(['CONNECT silent.example.org:443']);
    });
    await vi.advanceTimersByTimeAsync(8_500);
    await failed;
  });
});

const KEYSTONE = 'http://keystone.example.org:5000/v3';
it.each([
  ['without TLS is reached by HTTP_PROXY', KEYSTONE, `GET ${KEYSTONE}`],
  ['with TLS is reached by HTTPS_PROXY', 'https://one.example.org:6443/v3', 'CONNECT one.example.org:6443'],
])('OpenStack %s', async (_how, url, asked) => {
  const config = { ...configFor(url), ca: CA };
  const env = { HTTP_PROXY: withPassword(), HTTPS_PROXY: withPassword() };
  const http = createOpenStackHttp(config, () => undefined, overSockets(config, proxyFromEnv(env)));
  expect(await http({ service: 'identity', method: 'GET', url })).toMatchObject({ status: 200 });
  expect(proxy.asked).toEqual([asked]);
});

it('SQS is reached with the variables that serverless.yml gives to functions', async () => {
  const serverless = parse(readFileSync(new URL('../../../serverless.yml', import.meta.url), 'utf8'), {
    logLevel: 'silent',
  }) as { provider: { environment: Record<string, string> } };
  const { NODE_USE_ENV_PROXY = '' } = serverless.provider.environment;
  const queue = new URL('../../../shared/queue/sqs-queue.ts', import.meta.url);
  const script = `
    const { SqsQueue } = await import(${JSON.stringify(queue)});
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    const sqs = new SqsQueue({ url: 'http://keystone.example.org:5000/q', region: 'eu-central-1', credentials });
    await sqs.send([{ request: { key: 'service/a/b' } }]).catch((error) => console.log(error));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { HTTP_PROXY: withPassword(), NODE_USE_ENV_PROXY },
  });
  expect(stdout).not.toContain(PASSWORD);
  expect(new Set(proxy.asked)).toEqual(new Set(['POST http://keystone.example.org:5000/']));
});

it('no password is told where a Node tells the URL of a proxy that makes no tunnel', async () => {
  const connect = vi.spyOn(https.Agent.prototype, 'createConnection');
  onTestFinished(() => void vi.restoreAllMocks());
  connect.mockImplementation((_options, done) => {
    done?.(new Error(`Failed to establish tunnel via ${withPassword('p@ss')}/: 407`), new Socket());
    return undefined;
  });
  const http = createKubeHttp(await connectionTo('one.example.org:6443'));
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const sqs = new SqsQueue({ url: 'https://one.example.org:6443/q', region: 'eu-central-1', credentials });
  for (const asking of [
    http({ ...READ, method: 'DELETE' }),
    sqs.send([{ request: { key: 'service/a/b', trigger: 'audit' } }]),
  ]) {
    const error = await asking.catch((refused: unknown) => refused);
    expect(String(error)).toContain(`Failed to establish tunnel via ${proxy.url}/`);
    expect(inspect(error, { depth: 9 })).not.toMatch(/levelset:|p@ss|ss@/);
  }
});
