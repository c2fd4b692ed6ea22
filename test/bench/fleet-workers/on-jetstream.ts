/** `levelset serve --clusters` as it is shipped, in several processes on a real nats-server. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { startNats } from '../../conformance/queue/nats-server.ts';
import { buildProgram, type RunningProgram } from '../../support/levelset-program.ts';
import type { Registry, Workers } from './workers.ts';

const START_MS = 300_000;
const LOOK_MS = 500;

export async function onJetStream(count: number, registry: Registry): Promise<Workers> {
  const folder = mkdtempSync(join(tmpdir(), 'levelset-fleet-'));
  for (const [name, texts] of Object.entries(registry)) {
    mkdirSync(join(folder, name));
    for (const [text, value] of Object.entries(texts)) writeFileSync(join(folder, name, text), value);
  }
  const [nats, program] = await Promise.all([startNats(), buildProgram()]);
  const flags = [`--clusters=folder:${folder}`, `--queue=${nats.url}`, '--listen=127.0.0.1:0'];
  const workers = Array.from({ length: count }, () => follow(program.start(['serve', ...flags])));
  const stop = async (): Promise<void> => {
    for (const { running } of workers) running.process.kill('SIGTERM');
    await Promise.all(workers.map(({ running }) => running.ended));
    await Promise.all([nats.close(), program.remove()]);
    rmSync(folder, { recursive: true });
  };
  const until = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
    for (const end = Date.now() + START_MS; !(await isSo());) {
      await pause(LOOK_MS);
      for (const { running } of workers)
        if (running.process.exitCode !== null) throw new Error((await running.ended).output.slice(-2_000));
      if (Date.now() > end) throw new Error(`gave up waiting for ${what}`);
    }
  };
  try {
    await until('workers that listen', () => workers.every(({ url }) => url() !== ''));
  } catch (error) {
    await stop();
    throw error;
  }
  const urls = workers.map(({ url }) => url());
  const isAtRest = async (): Promise<boolean> => {
    const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
    return texts.every((text) => /^levelset_queue_depth 0$/m.test(text));
  };
  return {
    urls,
    pids: workers.map(({ running }) => running.process.pid ?? 0),
    async ready() {
      const all = Object.keys(registry).length;
      await until('clusters that are served', () => workers.every(({ served }) => served.size === all));
      await until('the first sweeps', () => new Set(workers.flatMap(({ swept }) => [...swept])).size === all);
      await until('rest', isAtRest);
    },
    worked: () => Promise.resolve(workers.map(({ takeWorked }) => takeWorked())),
    stop,
  };
}

/** What a worker logs. */
function follow(running: RunningProgram) {
  let url = '';
  let [runs, sweeps] = [0, 0];
  const served = new Set<unknown>();
  const swept = new Set<unknown>();
  const { stdout } = running.process;
  if (!stdout) throw new Error('a worker that prints nothing');
  createInterface({ input: stdout }).on('line', (text) => {
    const line = JSON.parse(text) as { message: string; url?: string; cluster?: string };
    if (line.message === 'listening') url = line.url ?? '';
    else if (line.message === 'the cluster is served') served.add(line.cluster);
    else if (line.message === 'reconciled') runs += 1;
    else if (line.message === 'swept') {
      sweeps += 1;
      swept.add(line.cluster);
    }
  });
  const takeWorked = () => {
    const worked = { runs, sweeps };
    [runs, sweeps] = [0, 0];
    return worked;
  };
  return { running, served, swept, url: () => url, takeWorked };
}
