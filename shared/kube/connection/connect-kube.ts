import type { Kube, Log } from '../../ports.ts';
import { KubeClient } from '../kube-client.ts';
import { findConnection } from './find-connection.ts';
import { createHttp, type KubeCall } from '../kube-http.ts';

export interface ConnectKubeOptions {
  /** `--kubeconfig`. */
  readonly kubeconfig?: string;
  readonly env: NodeJS.ProcessEnv;
  /** Of Leases and state. */
  readonly namespace: string;
  /** Holder of our Leases: unique per process or invocation. */
  readonly identity: string;
  readonly log: Log;
  /** Called after each attempt, for metrics. */
  readonly onCall?: (call: KubeCall) => void;
}

export interface KubeConnection {
  readonly kube: Kube;
  /** Resolves when the apiserver says it is ready and lets us read the cluster's id; throws what is wrong. */
  readonly ready: () => Promise<void>;
}

/** Finds the kube-apiserver as find-connection.ts says; sends nothing yet. Throws CONFIG_INVALID. */
export async function connectKube(options: ConnectKubeOptions): Promise<KubeConnection> {
  const { kubeconfig, env, onCall } = options;
  const http = createHttp(
    await findConnection({ env, ...(kubeconfig !== undefined && { kubeconfig }) }),
    onCall,
  );
  const kube = new KubeClient(http, options);
  const ready = async (): Promise<void> => {
    await http({ method: 'GET', path: '/readyz', doing: 'ask whether the kube-apiserver is ready' });
    await kube.clusterId();
  };
  return { kube, ready };
}
