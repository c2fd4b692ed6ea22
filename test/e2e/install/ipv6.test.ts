/**
 * Both sides by IPv6 alone. OpenStack's catalog names [::1], and so does the kubeconfig; behind, the lab's APIs listen where they
 * always do, since their own ports have IPv4. What is real: the APIs, TLS, and every socket of levelset.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { startCloudFront } from '../fixtures/cloud-front.ts';
import { Door } from '../fixtures/door.ts';
import { addressOf, apply, aService, lab, ownPort, removeServices, startLevelset } from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import { kubeconfigText } from '../lab/prepare-lab.ts';
import { must } from '../lab/run.ts';

const front = await startCloudFront({ address: '::1' });
afterAll(() => front.close());
const world = labWorld({
  nodes: ['e2e-ipv6-1'],
  cloudConfig: { Global: { 'auth-url': front.authUrl } },
  levelsetByTest: true,
});

const socketsOf = async (pid: number, family: '-4' | '-6'): Promise<readonly string[]> =>
  (await must('ss', ['-Htanp', family])).split('\n').filter((line) => line.includes(`pid=${pid},`));

it('a Service gets its address and goes, and levelset has no socket of IPv4', async () => {
  const door = new Door({ host: '::1', port: 0 }, Number(new URL(lab().server).port));
  const port = await door.open();
  onTestFinished(() => door.shut());
  const kubeconfig = join(lab().directory, 'ipv6.kubeconfig');
  const { certificateAuthority, levelsetToken } = lab();
  const connection = { server: `https://[::1]:${port}`, certificateAuthority };
  // the lab's certificate has names and 127.0.0.1
  const text = kubeconfigText(connection, levelsetToken, { 'tls-server-name': 'localhost' });
  writeFileSync(kubeconfig, text, { mode: 0o600 });
  const levelset = await startLevelset({
    ...{ kubeconfig, cloudConfig: world.cloudConfig, args: ['--watch'], tls: false },
    listen: `[::1]:${ownPort()}`,
  });
  await apply([aService(world.namespace, 'web', [{ port: 80 }])]);
  await addressOf(world.namespace, 'web');
  expect(await socketsOf(levelset.pid, '-4')).toEqual([]);
  expect((await socketsOf(levelset.pid, '-6')).length).toBeGreaterThan(3);
  await removeServices(world.namespace, ['web']);
});
