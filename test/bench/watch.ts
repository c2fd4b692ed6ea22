/**
 * The memory of watches: `levelset serve` without and with `--watch`, each in a process of its own, beside a simulated cluster
 * of SERVICES (5000) Services and NODES (500) Nodes. `npm run build` first. Every Service changes once while it is watched.
 * Prints the resident memory at rest and at its highest.
 */
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeAccess } from '../../functions/sandbox/access-files.ts';
import { startSandbox } from '../../infra/sandbox/sandbox.ts';
import { aService } from '../support/service.ts';

/** As in infra/kubernetes/deployment.yaml. */
const NODE_OPTIONS = process.env['NODE_OPTIONS'] ?? '--max-semi-space-size=4';
const [SERVICES, NODES] = [Number(process.env['SERVICES'] ?? 5_000), Number(process.env['NODES'] ?? 500)];
/** What a real object has beside what counts: field managers, annotations of others. */
const BALLAST = 'x'.repeat(2_500);

const cidrs = { public: '203.0.0.0/16', private: '10.0.0.0/16' };
const sandbox = await startSandbox({ nodes: 0, cidrs });
const access = await writeAccess(sandbox);
const names = Array.from({ length: SERVICES }, (_, at) => `svc-${at}`);
for (const name of names) sandbox.kube.apply(serviceWith(name, '1'));
for (let at = 0; at < NODES; at += 1) {
  sandbox.kube.addNode(`node-${at}`);
  sandbox.kube.apply({
    kind: 'Node',
    metadata: { name: `node-${at}`, annotations: { ballast: BALLAST.repeat(5) } },
  });
}
// no Services in serve's own work: what --watch adds is to be seen
const serve = ['serve', '--cloud-config', access.cloudConfig, '--controllers=cloud-node-lifecycle'];
try {
  console.log(`${SERVICES} Services, ${NODES} Nodes\nMB of RSS: | listed | all changed | at most`);
  await measure('serve', serve);
  await measure('serve --watch', [...serve, '--watch']);
} finally {
  await sandbox.close();
  await rm(access.directory, { recursive: true });
}

async function measure(what: string, args: readonly string[]): Promise<void> {
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
  const cells = [what.padEnd(13), listed, await megabytes('VmRSS'), await megabytes('VmHWM')];
  console.log(cells.join(' | '));
  child.kill('SIGTERM');
  await exited;
}

function serviceWith(name: string, version: string): Record<string, unknown> {
  return { ...aService({ name, annotations: { version, ballast: BALLAST } }) };
}
