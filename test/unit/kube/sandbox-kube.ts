import { onTestFinished } from 'vitest';
import { startSandbox, type Sandbox } from '../../../infra/sandbox/sandbox.ts';
import type { ConnectKubeOptions } from '../../../shared/kube/connection/connect-kube.ts';
import { KubeClient } from '../../../shared/kube/kube-client.ts';
import { createKubeHttp, type KubeHttp } from '../../../shared/kube/kube-http.ts';
import type { Kube } from '../../../shared/ports.ts';
import { SILENT } from '../../support/sandbox-world.ts';

export interface SandboxKube {
  readonly sandbox: Sandbox;
  readonly http: KubeHttp;
  readonly warnings: readonly string[];
  /** A client of its own, as another process has. */
  readonly connect: (options?: Pick<ConnectKubeOptions, 'deployment' | 'sweepIntervalMs'>) => Kube;
}

/** The apiserver simulator, reached as the ServiceAccount `levelset` with its rights; gone when the test has ended. */
export async function sandboxKube(): Promise<SandboxKube> {
  const sandbox = await startSandbox({ nodes: 2 });
  onTestFinished(() => sandbox.close());
  const warnings: string[] = [];
  const log = { ...SILENT, warn: (message: string) => void warnings.push(message) };
  const credential = () => Promise.resolve({ authorization: `Bearer ${sandbox.kubeToken}` });
  const http = createKubeHttp({ source: 'sandbox', server: sandbox.kubeUrl, tls: {}, credential });
  const connect: SandboxKube['connect'] = (options) =>
    new KubeClient(http, { ...options, namespace: 'levelset', log });
  return { sandbox, http, warnings, connect };
}
