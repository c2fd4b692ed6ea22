import { onTestFinished } from 'vitest';
import { startSandbox, type Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { createKubeHttp } from '../../../shared/kube/kube-http.ts';
import { createWatch } from '../../../shared/kube/watch-http.ts';
import type { Key } from '../../../shared/model/request.ts';
import { Watches } from '../../../shared/watch/watches.ts';
import { pause, SILENT } from '../../support/sandbox-world.ts';

export interface Watching {
  readonly watches: Watches;
  /** Keys, since the watches were there. */
  readonly told: Key[];
  /** What the log says beside details. */
  readonly lines: string[];
  readonly isTold: (...keys: readonly string[]) => Promise<void>;
}

/** A sandbox of a test, gone after it. */
export async function sandboxOf(nodes: number): Promise<Sandbox> {
  const sandbox = await startSandbox({ nodes });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** The watches of a process, which end with the test; by way of another server than the sandbox itself, if one is named. */
export async function watching(
  sandbox: Sandbox,
  { server = sandbox.kubeUrl, stalledMs = 60_000, isSeen = true } = {},
): Promise<Watching> {
  const [told, lines]: [Key[], string[]] = [[], []];
  const note = (line: string): void => void lines.push(line);
  const credential = () => Promise.resolve({ authorization: `Bearer ${sandbox.kubeToken}` });
  const connection = { source: 'sandbox', server, tls: {}, credential };
  const watches = new Watches({
    ...{ http: createKubeHttp(connection), watch: createWatch(connection, stalledMs) },
    log: { ...SILENT, info: note, warn: note },
    changed: (keys) => void told.push(...keys),
  });
  onTestFinished(() => watches.stop());
  watches.start();
  if (isSeen) {
    await until('the watches', () => watches.troubles().length === 0);
    await pause(50);
    if (told.join() !== 'all') throw new Error(`not one sweep at first: ${told.join()}`);
    told.length = 0;
  }
  const isTold = (...keys: readonly string[]) =>
    until(keys.join(', '), () => keys.every((key) => told.includes(key as Key)));
  return { watches, told, lines, isTold };
}

export async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = Date.now() + 30_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`not so in 30 s: ${what}`);
    await pause(5);
  }
}
