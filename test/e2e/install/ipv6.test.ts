/**
 * Both sides by IPv6 alone. OpenStack's catalog names [::1], and so does the kubeconfig; behind, the lab's APIs listen where they
 * always do, since their own ports have IPv4. What is real: the APIs, TLS, and every socket of levelset.
 */
import { writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { startCloudFront } from '../fixtures/cloud-front.ts';
import { addressOf, apply, aService, kubectl, lab, ownPort, serviceGone, startLevelset } from '../lab/lab.ts';
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

/** The apiserver at a port of ::1. */
async function forward(): Promise<{ readonly port: number; readonly close: () => void }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const behind = connect(Number(new URL(lab().server).port), '127.0.0.1');
    for (const one of [socket, behind]) {
      open.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => {
        socket.destroy();
        behind.destroy();
      });
    }
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
  const close = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

const socketsOf = async (pid: number, family: '-4' | '-6'): Promise<readonly string[]> =>
  (await must('ss', ['-Htanp', family])).split('\n').filter((line) => line.includes(`pid=${pid},`));

it('a Service gets its address and goes, and levelset has no socket of IPv4', async () => {
  const apiserver = await forward();
  onTestFinished(apiserver.close);
  const kubeconfig = join(lab().directory, 'ipv6.kubeconfig');
  const { certificateAuthority, levelsetToken } = lab();
  const connection = { server: `https://[::1]:${apiserver.port}`, certificateAuthority };
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
  await kubectl(['-n', world.namespace, 'delete', 'service', 'web', '--wait=false']);
  await serviceGone(world.namespace, 'web');
});
