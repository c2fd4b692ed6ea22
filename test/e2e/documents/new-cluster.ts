import { join } from 'node:path';
import { lab, NAMESPACE } from '../lab/environment.ts';
import { kube, kubectl } from '../lab/kubernetes.ts';
import { grantAgain } from '../lab/prepare-lab.ts';

const EXAMPLE = 'examples/nginx.yaml';

/** Takes away what the tests have in the cluster for levelset, as if nobody had heard of it; a call that puts it back. */
export async function newCluster(): Promise<() => Promise<void>> {
  await clear();
  return async () => {
    await clear();
    await grantAgain();
  };
}

/** The example of the documents, if it is there still, while levelset runs. */
export async function removeExample(): Promise<void> {
  const file = join(lab().repository, EXAMPLE);
  await kubectl(['delete', '--ignore-not-found', '--timeout=60s', '-f', file]);
}

/** Of a test that was cut off, too: no levelset and no kubelet is there to let go. */
async function clear(): Promise<void> {
  const { repository } = lab();
  const service = '/api/v1/namespaces/default/services/nginx';
  if (await kube.get(service)) await kube.patch(service, { metadata: { finalizers: null } });
  await removeExample();
  const manifests = join(repository, 'infra/kubernetes');
  await kubectl(['delete', '--ignore-not-found', '--wait=false', '-k', manifests]);
  await kubectl(['-n', NAMESPACE, 'delete', 'pods', '--all', '--force', '--grace-period=0']);
  await kubectl(['wait', '--for=delete', '--timeout=60s', `namespace/${NAMESPACE}`]);
}
