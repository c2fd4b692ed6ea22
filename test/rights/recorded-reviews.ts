import type { Grant } from '../../infra/sandbox/kube/kube-access.ts';
import { startSandbox } from '../../infra/sandbox/sandbox.ts';
import { createKubeHttp } from '../../shared/kube/kube-http.ts';
import { createReviews } from '../../shared/kube/reviews.ts';
import type { Recorded } from './recorded-watch.ts';

/** A caller of /resync with a token of Kubernetes, of whom somebody asks who may do this. */
export async function recordReviews(grants: readonly Grant[]): Promise<Recorded> {
  const sandbox = await startSandbox({ nodes: 0 });
  const token = sandbox.addUser('system:serviceaccount:levelset:levelset', grants);
  const credential = () => Promise.resolve({ authorization: `Bearer ${token}` });
  const reviews = createReviews(
    createKubeHttp({ source: 'sandbox', server: sandbox.kubeUrl, tls: {}, credential }),
  );
  let told = '';
  try {
    const caller = await reviews.callerOf(sandbox.addUser('somebody', []));
    if (caller) await reviews.mayPatch(caller, { resource: 'services' });
  } catch (error) {
    told = String(error);
  } finally {
    await sandbox.close();
  }
  return { requests: [...sandbox.requests], told };
}
