import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as open } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../repo/files.ts';

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** SIGKILL. What it has stored stays. */
  kill(): Promise<void>;
  /** After `kill`: on the same port, with what was stored, or without. */
  restart(options?: { readonly empty?: boolean }): Promise<void>;
  close(): Promise<void>;
}

export interface NatsOptions {
  /** More lines of its configuration: TLS, accounts. */
  readonly config?: string;
}

/** A real nats-server with JetStream, on a free port of loopback; built by infra/lab/nats where it is missing. */
export async function startNats({ config = '' }: NatsOptions = {}): Promise<NatsServer> {
  const program = execFileSync('bash', [join(ROOT, 'infra/lab/nats/build.sh')], { encoding: 'utf8' }).trim();
  const folder = mkdtempSync(join(tmpdir(), 'levelset-nats-'));
  const store = join(folder, 'store');
  const configFile = join(folder, 'nats.conf');
  writeFileSync(configFile, `jetstream { store_dir: ${JSON.stringify(store)} }\n${config}\n`);
  const port = await freePort();
  const start = async (): Promise<ChildProcess> => {
    const args = ['--addr', '127.0.0.1', '--port', String(port), '--config', configFile];
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    for (let tries = 0; !(await answers(port)); tries += 1) {
      if (child.exitCode !== null || tries > 200) throw new Error(`nats-server does not answer:\n${said}`);
      await sleep(50);
    }
    return child;
  };
  let child = await start();
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    kill,
    async restart({ empty = false } = {}) {
      if (empty) rmSync(store, { recursive: true, force: true });
      child = await start();
    },
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Three servers of one NATS: the third copy of a stream needs the third server. */
export async function startThreeNats(): Promise<readonly NatsServer[]> {
  const ports = await Promise.all([1, 2, 3].map(() => freePort()));
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(', ');
  return Promise.all(
    ports.map((port, at) =>
      startNats({
        config: `server_name: n${at}\ncluster { name: levelset, listen: "127.0.0.1:${port}", routes: [${routes}] }`,
      }),
    ),
  );
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

async function answers(port: number): Promise<boolean> {
  const socket = open({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'data'); // INFO
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
