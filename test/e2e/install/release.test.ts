/** A release of the chart on the real apiserver: its Pods run with what the apiserver has of them, and upgrades lose nothing. */
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startCloudFront } from '../fixtures/cloud-front.ts';
import { runPods, type PodProcesses } from '../fixtures/pod-processes.ts';
import { CHART, runHelm, set } from '../fixtures/release.ts';
import { labWorld } from '../lab/lab-world.ts';
import { must } from '../lab/run.ts';
import {
  loadBalancersOf,
  uidOf,
  writeCloudConfig,
  addressOf,
  apply,
  aService,
  kube,
  kubectl,
  lab,
  loadBalancers,
  aNamespace,
  removeNamespace,
  removeServices,
  until,
} from '../lab/lab.ts';

const world = labWorld({ nodes: ['e2e-release-1'], servers: ['e2e-release-2'], levelsetByTest: true });
const RELEASE = 'levelset-release';
const PORT = 18190;

let pods: PodProcesses;
let namespace = '';

beforeEach(async () => {
  namespace = await aNamespace();
  await kube.patch(`/api/v1/namespaces/${namespace}`, {
    metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
  });
  const dist = join(lab().repository, 'dist');
  pods = runPods(namespace, {
    node: 'e2e-release-1',
    images: { 'levelset:0.1.0': dist, 'levelset:0.1.1': anotherBuild(dist) },
  });
});

afterEach(async () => {
  await pods.stop();
  await runHelm(['uninstall', RELEASE, '--namespace', namespace, '--ignore-not-found']);
  // as docs/how-to/uninstall.md says; a release in another namespace would wait for it
  await kubectl(['-n', 'levelset', 'delete', 'lease', 'levelset-deployment', '--ignore-not-found']);
  await removeNamespace(namespace);
});

/** The same source under another version. */
function anotherBuild(dist: string): string {
  const folder = join(lab().directory, 'another-build');
  cpSync(dist, folder, { recursive: true });
  const changed = globSync('**/*.mjs', { cwd: folder }).filter((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), text.replaceAll('"0.1.0"', '"0.1.1"'));
    return text.includes('"0.1.0"');
  });
  if (changed.length === 0) throw new Error(`no version in ${dist}`);
  return folder;
}

interface ReleaseOptions {
  readonly cloudConfig?: string;
  readonly values?: readonly string[];
}

async function helmRelease(
  command: 'install' | 'upgrade',
  { cloudConfig = lab().cloudConfig, values = [] }: ReleaseOptions = {},
): Promise<void> {
  await runHelm([
    ...[command, RELEASE, CHART, '--namespace', namespace],
    ...['--set-file', `cloudConfig.content=${cloudConfig}`, ...set({ clusterName: 'lab', port: PORT })],
    ...values,
  ]);
  await kubectl(['-n', namespace, 'rollout', 'status', `deployment/${RELEASE}`, '--timeout=60s']);
}

it('loses no Service, and makes none twice, while one build takes the place of another', async () => {
  await helmRelease('install');
  const names = Array.from({ length: 10 }, (_, index) => `load-${index}`);
  const creating = (async () => {
    for (const name of names) {
      await apply([aService(world.namespace, name)]);
      await sleep(500);
    }
  })();
  await sleep(1_000);
  await helmRelease('upgrade', { values: set({ 'image.tag': '0.1.1' }) });
  await creating;
  for (const name of names) await addressOf(world.namespace, name, { timeoutMs: 120_000 });
  await until('the old build to have ended', () => pods.pods[0]?.exitCode !== undefined);
  expect(pods.pods).toMatchObject([
    { image: 'levelset:0.1.0', exitCode: 0 },
    { image: 'levelset:0.1.1', exitCode: undefined },
  ]);
  for (const name of names)
    expect(await loadBalancersOf(await uidOf(world.namespace, name)), name).toHaveLength(1);
  expect(
    (await loadBalancers()).filter(({ id }) => !lab().before.some((one) => one.includes(id))),
  ).toHaveLength(names.length);
  await removeServices(world.namespace, names, { timeoutMs: 120_000 });
});

it('believes a private CA that it was given', async () => {
  const [key, cert] = [join(lab().directory, 'corporate.key'), join(lab().directory, 'corporate.crt')];
  await must('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
    ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
  ]);
  const authority = readFileSync(cert, 'utf8');
  const tls = { name: '127.0.0.1', key: readFileSync(key, 'utf8'), cert: authority };
  const front = await startCloudFront({ tls });
  try {
    const cloudConfig = await writeCloudConfig('private-ca', { Global: { 'auth-url': front.authUrl } });
    await kube.create(`/api/v1/namespaces/${namespace}/configmaps`, {
      metadata: { name: 'corporate' },
      data: { 'ca.crt': authority },
    });
    await expect(helmRelease('install', { cloudConfig })).rejects.toThrow(/timed out/);
    await helmRelease('upgrade', {
      cloudConfig,
      values: set({ 'privateCA.configMapName': 'corporate' }),
    });
  } finally {
    await front.close();
  }
});
