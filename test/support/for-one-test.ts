/** What is gone when the test that runs has ended. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { startSandboxWorld, type SandboxWorld } from './sandbox-world.ts';

/** Where a server listens. */
export async function portOf(
  server: Server & { closeAllConnections?(): void },
  host = '127.0.0.1',
): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}

/** The URL of an HTTP server. */
export async function listening(handler: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await portOf(createServer(handler))}`;
}

export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'levelset-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** What is printed meanwhile. */
export async function printedBy(doing: () => unknown): Promise<readonly string[]> {
  const written: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0),
  );
  try {
    await doing();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return written;
}

export async function aWorld(...given: Parameters<typeof startSandboxWorld>): Promise<SandboxWorld> {
  const it = await startSandboxWorld(...given);
  onTestFinished(() => it.close());
  return it;
}
