import { rm } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { writeAccess } from '../../functions/sandbox/access-files.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../infra/sandbox/sandbox.ts';
import { listening } from '../support/for-one-test.ts';
import { aService as serviceWith } from '../support/service.ts';

export { until } from '../support/sandbox-world.ts';

export interface SandboxWorld {
  readonly sandbox: Sandbox;
  /** The command line's variables. */
  readonly env: NodeJS.ProcessEnv;
  readonly flags: { readonly kubeconfig: string; readonly cloudConfig: string };
}

/** A sandbox with the files that lead to it; gone when the test has ended. */
export async function sandboxWorld(options: SandboxOptions = {}): Promise<SandboxWorld> {
  const sandbox = await startSandbox({ pendingMs: 100, ...options });
  const access = await writeAccess(sandbox);
  onTestFinished(async () => {
    await sandbox.close();
    await rm(access.directory, { recursive: true });
  });
  return {
    sandbox,
    env: { ...access.variables },
    flags: { kubeconfig: access.levelsetKubeconfig, cloudConfig: access.cloudConfig },
  };
}

/** Where somebody takes requests and answers none. */
export const silentUrl = (): Promise<string> => listening(() => undefined);

export const aService = (name: string, annotations: Readonly<Record<string, string>> = {}) =>
  serviceWith({ name, annotations });

/** Load balancers and floating IPs that are there. */
export function whatIsThere({ cloud }: Sandbox): Readonly<Record<string, number>> {
  return { loadBalancers: cloud.loadbalancers.length, floatingIps: cloud.floatingips.length };
}
