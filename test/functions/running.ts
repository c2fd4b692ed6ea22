/** `levelset serve` on a port of its own, until the test has ended. */
import { onTestFinished } from 'vitest';
import { serve } from '../../functions/serve.ts';
import type { ServeOptions, Serving } from '../../functions/serve/while-leading.ts';
import type { Log } from '../../shared/ports.ts';
import { AUDIT_TOKEN, RESYNC_TOKEN } from '../http/tokens.ts';
import type { SandboxWorld } from './sandbox-world.ts';

interface Heard {
  readonly log: Log;
  /** Each line of the log, as JSON: its message and its fields. */
  readonly lines: readonly string[];
  /** The messages of warnings and errors. */
  readonly warnings: readonly string[];
}

/** A log that is kept. */
export function heard(): Heard {
  const lines: string[] = [];
  const warnings: string[] = [];
  const note = (message: string, fields?: unknown): void =>
    void lines.push(JSON.stringify([message, fields]));
  const warn = (message: string, fields?: unknown): void => {
    note(message, fields);
    warnings.push(message);
  };
  return { log: { debug: note, info: note, warn, error: warn }, lines, warnings };
}

export interface Running extends Serving, Omit<Heard, 'log'> {
  readonly get: (path: string) => Promise<string>;
  readonly post: (path: string, token: string, body?: unknown) => Promise<Response>;
}

const TOKENS = { LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN, LEVELSET_RESYNC_TOKENS: RESYNC_TOKEN };

/** Serves the sandbox, which is swept once unless a flag says otherwise. */
export async function running(
  world: Pick<SandboxWorld, 'flags'>,
  flags: ServeOptions['flags'] = {},
  options: Partial<Pick<ServeOptions, 'env' | 'reported'>> = {},
): Promise<Running> {
  const { log, ...told } = heard();
  const serving = await serve({
    flags: { ...world.flags, sweepInterval: '1h', listen: '127.0.0.1:0', ...flags },
    ...{ env: TOKENS, ...options, log },
  });
  onTestFinished(() => serving.stop());
  return { ...serving, ...told, ...callsOf(serving) };
}

/** What a test asks of an endpoint. */
export function callsOf({ url }: Pick<Serving, 'url'>): Pick<Running, 'get' | 'post'> {
  return {
    get: async (path) => (await fetch(url + path)).text(),
    post: (path, token, body = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}
