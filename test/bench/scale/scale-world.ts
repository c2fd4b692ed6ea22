import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LevelsetHandlers, Places } from './levelset-process.ts';
import { startProcess } from './own-process.ts';
import type { OwnProcess, Usage } from './own-process.ts';
import type { Requests, SandboxHandlers, ServicesWanted } from './sandbox-process.ts';

export type Levelset = OwnProcess<LevelsetHandlers>;

/** What a piece of work took. CPU is that of the work alone, memory that of the process since it began. */
export interface Figures {
  readonly wallMs: number;
  readonly levelset: Usage;
  readonly sandbox: Usage;
  readonly requests: Requests;
}

export interface Measured<T> extends Figures {
  readonly value: T;
}

/** Simulators with Services that nobody has worked on yet, and processes of levelset, each in a process of its own. */
export interface ScaleWorld {
  /** The names of the Services. */
  readonly names: readonly string[];
  readonly sandbox: OwnProcess<SandboxHandlers>;
  /** With the semi-space of the Deployment (infra/kubernetes/deployment.yaml), and the heap that Node takes in its 512 MiB. */
  levelset(nodeOptions?: string): Promise<Levelset>;
  measure<T>(levelset: Levelset, work: () => Promise<T>): Promise<Measured<T>>;
  close(): Promise<void>;
}

export async function startScaleWorld(wanted: ServicesWanted, sandboxOptions = ''): Promise<ScaleWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'levelset-scale-'));
  const sandbox = startProcess<SandboxHandlers>('./sandbox-process.ts', sandboxOptions);
  const started: Levelset[] = [];
  const places: Places = { ...(await sandbox.ask('start', wanted)), directory };
  const names = await sandbox.ask('addServices', wanted);
  return {
    names,
    sandbox,
    levelset: async (nodeOptions = '') => {
      const heap = '--max-semi-space-size=4 --max-old-space-size=256';
      const made: Levelset = startProcess('./levelset-process.ts', `${heap} ${nodeOptions}`);
      started.push(made);
      await made.ask('connect', places);
      return made;
    },
    measure: async (levelset, work) => {
      const usages = (): Promise<Usage[]> =>
        Promise.all([levelset.ask('usage', undefined), sandbox.ask('usage', undefined)]);
      await sandbox.ask('requests', undefined);
      const [before, start] = [await usages(), performance.now()];
      const value = await work();
      const wallMs = performance.now() - start;
      const [own, others] = (await usages()).map((usage, at) => ({
        ...usage,
        cpuMs: usage.cpuMs - (before[at]?.cpuMs ?? 0),
      }));
      if (!own || !others) throw new Error('no usage');
      const requests = await sandbox.ask('requests', undefined);
      return { value, wallMs, levelset: own, sandbox: others, requests };
    },
    close: async () => {
      await Promise.all([sandbox, ...started].map((one) => one.stop()));
      rmSync(directory, { recursive: true });
    },
  };
}
