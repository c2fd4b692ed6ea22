/**
 * The memory of watches: `levelset relay`, and `levelset serve` without and with `--watch`, each in a process of its own,
 * beside a simulated cluster of SERVICES (5000) Services and NODES (500) Nodes. `npm run build` first. Every Service
 * changes once while it is watched. Prints the resident memory at rest and at its highest, and the keys that came.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeAccess } from '../../functions/sandbox/access-files.ts';
import { startSandbox } from '../../infra/sandbox/sandbox.ts';
import { aService } from '../support/service.ts';

/** As in infra/kubernetes/relay/deployment.yaml. */
const NODE_OPTIONS = process.env['NODE_OPTIONS'] ?? '--max-semi-space-size=2';
const [SERVICES, NODES] = [Number(process.env['SERVICES'] ?? 5_000), Number(process.env['NODES'] ?? 500)];
const TOKEN = 'audit-token-of-the-bench';
/** What a real object has beside what counts: field managers, annotations of others. */
const BALLAST = 'x'.repeat(2_500);

const cidrs = { public: '203.0.0.0/16', private: '10.0.0.0/16' };
const sandbox = await startSandbox({ nodes: 0, cidrs });
const access = await writeAccess(sandbox);
const directory = await mkdtemp(join(tmpdir(), 'levelset-bench-'));
const names = Array.from({ length: SERVICES }, (_, at) => `svc-${at}`);
for (const name of names) sandbox.kube.apply(serviceWith(name, '1'));
for (let at = 0; at < NODES; at += 1) {
  sandbox.kube.addNode(`node-${at}`);
  sandbox.kube.apply({
    kind: 'Node',
    metadata: { name: `node-${at}`, annotations: { ballast: BALLAST.repeat(5) } },
  });
}
let keys = 0;
const receiver = http.createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (part: string) => (body += part));
  request.on('end', () => {
    const count = (JSON.parse(body) as { data: { keys: unknown[] } }).data.keys.length;
    keys += count;
    response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: count }));
  });
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
await writeFile(join(directory, 'token'), TOKEN);
const to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events/kubernetes`;
// no Services in serve's own work: what --watch adds is to be seen
const serve = ['serve', '--cloud-config', access.cloudConfig, '--controllers=cloud-node-lifecycle'];
try {
  console.log(
    `${SERVICES} Services, ${NODES} Nodes\nMB of RSS: | listed | all changed | at most | keys posted`,
  );
  await measure('relay', ['relay', '--events-url', to, '--events-token-file', join(directory, 'token')]);
  await measure('serve', serve);
  await measure('serve --watch', [...serve, '--watch']);
} finally {
  receiver.close();
  await sandbox.close();
  await rm(directory, { recursive: true });
  await rm(access.directory, { recursive: true });
}

async function measure(what: string, args: readonly string[]): Promise<void> {
  keys = 0;
  const common = ['--kubeconfig', access.levelsetKubeconfig, '--listen', '127.0.0.1:0'];
  const child = spawn(process.execPath, ['dist/levelset.mjs', ...args, ...common], {
    env: { PATH: process.env['PATH'], NODE_OPTIONS },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const megabytes = async (row: string): Promise<string> => {
    const status = await readFile(`/proc/${child.pid ?? 0}/status`, 'utf8');
    const kilobytes = Number(new RegExp(`^${row}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
    return (kilobytes / 1024).toFixed(0).padStart(6);
  };
  await sleep(8_000);
  const listed = await megabytes('VmRSS');
  const version = String(Date.now());
  for (const name of names) sandbox.kube.apply(serviceWith(name, version));
  await sleep(8_000);
  const cells = [what.padEnd(13), listed, await megabytes('VmRSS'), await megabytes('VmHWM'), keys];
  console.log(cells.join(' | '));
  child.kill('SIGTERM');
  await exited;
}

function serviceWith(name: string, version: string): Record<string, unknown> {
  return { ...aService({ name, annotations: { version, ballast: BALLAST } }) };
}
