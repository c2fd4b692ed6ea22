import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { writeAccess } from '../../functions/sandbox/access-files.ts';
import {
  startSandbox,
  type KubeObject,
  type Sandbox,
  type SandboxOptions,
} from '../../infra/sandbox/sandbox.ts';

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
export async function silentUrl(): Promise<string> {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function aService(
  name: string,
  annotations: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default', annotations },
    spec: {
      type: 'LoadBalancer',
      selector: { app: name },
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    },
  };
}

/** The address in the Service's status. */
export function addressOf(service: KubeObject | undefined): string | undefined {
  const status = service?.status as { loadBalancer?: { ingress?: { ip?: string }[] } } | undefined;
  return status?.loadBalancer?.ingress?.[0]?.ip;
}

/** Load balancers and floating IPs that are there. */
export function whatIsThere({ cloud }: Sandbox): Readonly<Record<string, number>> {
  return {
    loadBalancers: cloud.loadbalancers.length,
    floatingIps: cloud.floatingips.length,
  };
}

/** Resolves when `check` holds. Throws after half a minute: the machine may be busy. */
export async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`not within 30 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
