import type { Grant } from '../../infra/sandbox/kube/kube-access.ts';
import { startSandbox } from '../../infra/sandbox/sandbox.ts';
import { KubeClient } from '../../shared/kube/kube-client.ts';
import { createKubeHttp } from '../../shared/kube/kube-http.ts';
import { labelLeader } from '../../shared/kube/home.ts';
import { SILENT } from '../support/sandbox-world.ts';
import { NAMESPACE } from './grants.ts';
import type { Recorded } from './recorded-watch.ts';

/** The Lease of a deployment, and the label of the Pod that leads, written by somebody who may do this. */
export async function recordLeader(grants: readonly Grant[]): Promise<Recorded> {
  const sandbox = await startSandbox({ nodes: 0 });
  const token = sandbox.addUser('system:serviceaccount:levelset:levelset', grants);
  const credential = () => Promise.resolve({ authorization: `Bearer ${token}` });
  const http = createKubeHttp({ source: 'sandbox', server: sandbox.kubeUrl, tls: {}, credential });
  sandbox.kube.apply({ kind: 'Pod', metadata: { namespace: NAMESPACE, name: 'one' } });
  let told = '';
  const warn = (_: string, fields: object = {}): void =>
    void (told += JSON.stringify(fields).replaceAll('\\"', '"'));
  const deployment = (): string => 'one';
  const options = { namespace: NAMESPACE, deployment, log: SILENT };
  try {
    const held = new KubeClient(http, options).deployment;
    for (let sweeps = 0; sweeps < 2; sweeps += 1)
      await held.renew().catch((error: unknown) => void (told += String(error)));
    await labelLeader(http, { namespace: NAMESPACE, name: 'one' }, true, { ...SILENT, warn });
  } finally {
    await sandbox.close();
  }
  return { requests: [...sandbox.requests], told };
}
