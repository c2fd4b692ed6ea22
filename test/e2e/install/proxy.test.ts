/** Both sides through a proxy that alone knows where their names lead: nobody else on this machine resolves them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCloudFront } from '../fixtures/cloud-front.ts';
import { addressOf, apply, aService, lab, ownPort, removeServices, startLevelset } from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import { kubeconfigText } from '../lab/prepare-lab.ts';
import { startForwardProxy, type ForwardProxy } from '../../unit/proxy/forward-proxy.ts';

/** Names in the certificates of the apiserver and of the front. */
const APISERVER = 'kubernetes.default.svc:6443';
const CLOUD = 'one.example.org';
const PASSWORD = 'through-the-proxy';

const certificate = (kind: 'crt' | 'key'): string =>
  join(import.meta.dirname, `../../support/certificates/one.${kind}`);
const [key, cert] = [readFileSync(certificate('key'), 'utf8'), readFileSync(certificate('crt'), 'utf8')];
const front = await startCloudFront({ tls: { name: CLOUD, key, cert } });
const clouds = front.ports.map((port) => `${CLOUD}:${port}`);
const world = labWorld({
  nodes: ['e2e-proxy-1'],
  cloudConfig: { Global: { 'auth-url': front.authUrl, 'ca-file': certificate('crt') } },
  levelsetByTest: true,
});
let proxy: ForwardProxy;
beforeAll(async () => {
  proxy = await startForwardProxy({
    hosts: {
      [APISERVER]: Number(new URL(lab().server).port),
      ...Object.fromEntries(front.ports.map((port) => [`${CLOUD}:${port}`, port])),
    },
    credentials: `levelset:${PASSWORD}`,
  });
});
afterAll(async () => {
  await proxy.close();
  await front.close();
});

const proxyUrl = (): string => proxy.url.replace('//', `//levelset:${PASSWORD}@`);

/** levelset's ServiceAccount at the apiserver's name. */
function kubeconfig(): string {
  const file = join(lab().directory, 'proxy.kubeconfig');
  const connection = { server: `https://${APISERVER}`, certificateAuthority: lab().certificateAuthority };
  writeFileSync(file, kubeconfigText(connection, lab().levelsetToken, { 'proxy-url': proxyUrl() }), {
    mode: 0o600,
  });
  return file;
}

it('a Service gets its address by the proxy-url of the kubeconfig and HTTPS_PROXY, and goes', async () => {
  const levelset = await startLevelset({
    kubeconfig: kubeconfig(),
    cloudConfig: world.cloudConfig,
    listen: `127.0.0.1:${ownPort()}`, // the lab's apiserver posts elsewhere: what is heard comes by the watches
    args: ['--watch'],
    env: { HTTPS_PROXY: proxyUrl(), NO_PROXY: '10.0.0.0/8,.svc' },
  });
  await apply([aService(world.namespace, 'web', [{ port: 80 }])]);
  await addressOf(world.namespace, 'web');
  await removeServices(world.namespace, ['web']);
  const asked = new Set(proxy.asked);
  expect([...asked].filter((line) => !line.startsWith('CONNECT '))).toEqual([]);
  expect(asked).toContain(`CONNECT ${APISERVER}`);
  expect(clouds.filter((host) => asked.has(`CONNECT ${host}`)).length).toBeGreaterThanOrEqual(3);
  expect(levelset.log()).not.toContain(PASSWORD);
});
