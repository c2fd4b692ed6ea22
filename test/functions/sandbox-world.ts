import { readFile, rm, writeFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { writeAccess } from '../../functions/sandbox/access-files.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../infra/sandbox/sandbox.ts';
import { listening } from '../support/for-one-test.ts';
import { aService as serviceWith } from '../support/service.ts';

export { until } from '../support/sandbox-world.ts';

export type SandboxWorld = Awaited<ReturnType<typeof sandboxWorld>>;

/** A sandbox with the files that lead to it; gone when the test has ended. */
export async function sandboxWorld(options: SandboxOptions = {}) {
  const sandbox = await startSandbox({ pendingMs: 100, ...options });
  const access = await writeAccess(sandbox);
  onTestFinished(async () => {
    await sandbox.close();
    await rm(access.directory, { recursive: true });
  });
  return {
    sandbox,
    /** The command line's variables. */
    env: { ...access.variables } as NodeJS.ProcessEnv,
    flags: { kubeconfig: access.levelsetKubeconfig, cloudConfig: access.cloudConfig },
  };
}

/** Edits a file as a person does. */
export async function replaceIn(file: string, from: string | RegExp, to: string): Promise<void> {
  await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
}

/** Where somebody takes requests and answers none. */
export const silentUrl = (): Promise<string> => listening(() => undefined);

export const aService = (name: string, annotations: Readonly<Record<string, string>> = {}) =>
  serviceWith({ name, annotations });

export function whatIsThere({ cloud }: Sandbox): Readonly<Record<string, number>> {
  return { loadBalancers: cloud.loadbalancers.length, floatingIps: cloud.floatingips.length };
}
