import { onTestFinished } from 'vitest';
import { startSandbox } from '../../../infra/sandbox/sandbox.ts';
import { KubeClient } from '../../../shared/kube/kube-client.ts';
import { createKubeHttp } from '../../../shared/kube/kube-http.ts';
import type { Kube } from '../../../shared/ports.ts';
import { SILENT } from '../../support/sandbox-world.ts';

export type SandboxKube = Awaited<ReturnType<typeof sandboxKube>>;

/** The apiserver simulator, reached as the ServiceAccount `levelset` with its rights; gone when the test has ended. */
export async function sandboxKube() {
  const sandbox = await startSandbox({ nodes: 2 });
  onTestFinished(() => sandbox.close());
  const warnings: string[] = [];
  const log = { ...SILENT, warn: (message: string) => void warnings.push(message) };
  const credential = () => Promise.resolve({ authorization: `Bearer ${sandbox.kubeToken}` });
  const http = createKubeHttp({ source: 'sandbox', server: sandbox.kubeUrl, tls: {}, credential });
  /** A client of its own, as another process has. */
  const connect = (options?: Partial<ConstructorParameters<typeof KubeClient>[1]>): Kube =>
    new KubeClient(http, { ...options, namespace: 'levelset', log });
  return { sandbox, http, warnings, connect };
}
