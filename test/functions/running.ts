/** `levelset serve` on a port of its own, until the test has ended. */
import { onTestFinished } from 'vitest';
import { serve } from '../../functions/serve.ts';
import type { ServeOptions, Serving } from '../../functions/serve/while-leading.ts';
import type { Log } from '../../shared/ports.ts';
import { AUDIT_TOKEN, RESYNC_TOKEN } from '../http/tokens.ts';
import type { SandboxWorld } from './sandbox-world.ts';

/** A log that is kept. */
export function heard() {
  /** Each line, as JSON: its message and its fields. */
  const lines: string[] = [];
  /** The messages of warnings and errors. */
  const warnings: string[] = [];
  const note = (message: string, fields?: unknown) => void lines.push(JSON.stringify([message, fields]));
  const warn = (message: string, fields?: unknown): void => {
    note(message, fields);
    warnings.push(message);
  };
  const log: Log = { debug: note, info: note, warn, error: warn };
  return { log, lines, warnings };
}

export type Running = Awaited<ReturnType<typeof running>>;

const TOKENS = { LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN, LEVELSET_RESYNC_TOKENS: RESYNC_TOKEN };

/** Serves the sandbox, which is swept once unless a flag says otherwise. */
export async function running(
  world: Pick<SandboxWorld, 'flags'>,
  flags: ServeOptions['flags'] = {},
  options: Partial<Pick<ServeOptions, 'env' | 'reported'>> = {},
) {
  const { log, ...told } = heard();
  const serving = await serve({
    flags: { ...world.flags, sweepInterval: '1h', listen: '127.0.0.1:0', ...flags },
    ...{ env: TOKENS, ...options, log },
  });
  onTestFinished(() => serving.stop());
  return { ...serving, ...told, ...callsOf(serving) };
}

export function callsOf({ url }: Pick<Serving, 'url'>) {
  return {
    get: async (path: string) => (await fetch(url + path)).text(),
    post: (path: string, token: string, body: unknown = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}
