/** Two halves of a bench in processes of their own, so that each one's CPU and memory are told apart. */
import { fork } from 'node:child_process';
import { once } from 'node:events';

type Handlers = Readonly<Record<string, (given: never) => unknown>>;

interface Asked {
  readonly id: number;
  readonly name: string;
  readonly given: unknown;
}

interface Answered {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

export interface OwnProcess<H extends Handlers> {
  ask<N extends keyof H & string>(name: N, given: Parameters<H[N]>[0]): Promise<Awaited<ReturnType<H[N]>>>;
  /** Resolves when the process is gone. */
  stop(): Promise<unknown>;
}

/** Starts a file beside this one that calls `answerParent`. */
export function startProcess<H extends Handlers>(file: string, nodeOptions = ''): OwnProcess<H> {
  const child = fork(new URL(file, import.meta.url), {
    env: { ...process.env, NODE_OPTIONS: nodeOptions.trim() },
  });
  const waiting = new Map<number, (answer: Answered) => void>();
  child.on('message', (answer: Answered) => waiting.get(answer.id)?.(answer));
  child.on('exit', (code, signal) => {
    for (const [id, end] of waiting) end({ id, error: `${file} ended with ${code ?? signal}` });
  });
  let last = 0;
  return {
    ask: async (name, given) => {
      const id = (last += 1);
      const answer = await new Promise<Answered>((resolve) => {
        waiting.set(id, resolve);
        child.send({ id, name, given } satisfies Asked);
      });
      waiting.delete(id);
      if (answer.error !== undefined) throw new Error(`${file}, ${name}: ${answer.error}`);
      return answer.value as never;
    },
    stop: () => {
      const gone = child.exitCode === null ? once(child, 'exit') : Promise.resolve();
      if (child.connected) child.disconnect();
      return gone;
    },
  };
}

/** Answers until the parent hangs up. */
export function answerParent(handlers: Handlers): void {
  process.on('message', ({ id, name, given }: Asked) => {
    const handle = handlers[name] as ((given: unknown) => unknown) | undefined;
    Promise.resolve()
      .then(() => handle?.(given))
      .then(
        (value) => process.send?.({ id, value } satisfies Answered),
        (error: unknown) => process.send?.({ id, error: String((error as Error).stack) } satisfies Answered),
      );
  });
  process.on('disconnect', () => {
    process.exit();
  });
}

/** What this process has taken since it began. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}
