import { onTestFinished } from 'vitest';
import { startSandbox, type RecordedRequest, type Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { connectKube, type ConnectKubeOptions } from '../../../shared/kube/connection/connect-kube.ts';
import type { Kube } from '../../../shared/ports.ts';
import { kubeconfigFor } from '../../support/sandbox-world.ts';
import { keptLog } from './fake-apiserver.ts';

export interface SandboxKube {
  readonly sandbox: Sandbox;
  readonly log: ReturnType<typeof keptLog>;
  /** A client of its own, as another process has. */
  readonly connect: (options?: Pick<ConnectKubeOptions, 'deployment' | 'sweepIntervalMs'>) => Promise<Kube>;
  /** `METHOD STATUS` of the requests since the last call. */
  readonly asked: () => string[];
}

/** The apiserver simulator, reached as the ServiceAccount `levelset` with its rights; gone when the test has ended. */
export async function sandboxKube(): Promise<SandboxKube> {
  const sandbox = await startSandbox({ nodes: 2 });
  onTestFinished(() => sandbox.close());
  const log = keptLog();
  let told = 0;
  return {
    sandbox,
    log,
    connect: async (options = {}) => {
      const env = { LEVELSET_KUBECONFIG_TEXT: kubeconfigFor(sandbox) };
      const { kube } = await connectKube({ ...options, env, namespace: 'levelset', log });
      return kube;
    },
    asked: () => {
      const since: readonly RecordedRequest[] = sandbox.requests.slice(told);
      told = sandbox.requests.length;
      return since.map(({ method, status }) => `${method} ${status}`);
    },
  };
}
