import { startSandbox, type RecordedRequest } from '../../infra/sandbox/sandbox.ts';
import { createHttp } from '../../shared/kube/kube-http.ts';
import { createReviews } from '../../shared/kube/reviews.ts';

/** A caller of /resync with a token of Kubernetes; the requests that came of it. */
export async function recordReviews(): Promise<readonly RecordedRequest[]> {
  const sandbox = await startSandbox({ nodes: 0 });
  const credential = () => Promise.resolve({ authorization: `Bearer ${sandbox.kubeToken}` });
  const reviews = createReviews(
    createHttp({ source: 'sandbox', server: sandbox.kubeUrl, tls: {}, credential }),
  );
  try {
    const caller = await reviews.callerOf(sandbox.addUser('somebody', []));
    if (caller) await reviews.mayPatch(caller, { resource: 'services' });
    return [...sandbox.requests];
  } finally {
    await sandbox.close();
  }
}
