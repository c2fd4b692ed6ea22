import type { RefuseAddress } from '../../http.ts';
import type { Kube } from '../../ports.ts';
import { KubeClient, type KubeClientOptions } from '../kube-client.ts';
import type { Connection, Login } from './connection.ts';
import { findConnection } from './find-connection.ts';
import { missingNamespace } from '../lease.ts';
import { createKubeHttp, type KubeHttp, type KubeCall } from '../kube-http.ts';

interface ConnectKubeOptions extends KubeClientOptions {
  readonly kubeconfig?: string;
  readonly env: NodeJS.ProcessEnv;
  readonly envNow?: () => Promise<NodeJS.ProcessEnv>;
  readonly login?: Login;
  readonly onCall?: (call: KubeCall) => void;
  readonly refuse?: RefuseAddress | undefined;
  readonly guard?: () => void;
}

interface KubeConnection {
  readonly kube: Kube;
  readonly http: KubeHttp;
  readonly connection: Connection;
  /** Resolves when the apiserver is ready, we may read the cluster's id and, to write, Leases of our namespace; otherwise throws a ReconcileError. */
  readonly ready: (writes: boolean, leftMs?: () => number) => Promise<void>;
}

/** A client for the kube-apiserver that find-connection.ts finds. Sends nothing by itself. Throws CONFIG_INVALID. */
export async function connectKube(options: ConnectKubeOptions): Promise<KubeConnection> {
  const { kubeconfig, env, envNow, login, onCall, guard, refuse } = options;
  const found = await findConnection({
    ...{ env, ...(envNow && { envNow }), ...(login && { login }) },
    ...(kubeconfig !== undefined && { kubeconfig }),
  });
  const connection = { ...found, refuse };
  const http = createKubeHttp(connection, onCall, guard);
  const kube = new KubeClient(http, options);
  let isTold = false;
  const ready = async (writes: boolean, leftMs = (): number => Infinity): Promise<void> => {
    const its: KubeHttp = (request) => http({ ...request, leftMs });
    await its({ method: 'GET', path: '/readyz', doing: 'ask whether the kube-apiserver is ready' });
    await kube.during({ remainingMs: leftMs }).clusterId();
    const missing = writes ? await missingNamespace(its, options.namespace) : undefined;
    if (missing && !isTold) options.log.warn(`not ready: ${missing.message}`);
    isTold = missing !== undefined;
    if (missing) throw missing;
  };
  return { kube, http, connection, ready };
}
