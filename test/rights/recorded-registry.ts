import type { Grant } from '../../infra/sandbox/kube/kube-access.ts';
import { startSandbox } from '../../infra/sandbox/sandbox.ts';
import { SecretsSource } from '../../shared/clusters/secrets.ts';
import { createKubeHttp } from '../../shared/kube/kube-http.ts';
import { createWatch } from '../../shared/kube/watch-http.ts';
import { pause } from '../support/sandbox-world.ts';
import { NAMESPACE } from './grants.ts';
import type { Recorded } from './recorded-watch.ts';

/** The registry of `serve --clusters=secrets` by somebody who may do this: until it watches, or is refused. */
export async function recordRegistry(grants: readonly Grant[]): Promise<Recorded> {
  const sandbox = await startSandbox({ nodes: 0 });
  const token = sandbox.addUser('system:serviceaccount:levelset:levelset', grants);
  const credential = () => Promise.resolve({ authorization: `Bearer ${token}` });
  const connection = { source: 'sandbox', server: sandbox.kubeUrl, tls: {}, credential };
  const source = new SecretsSource(NAMESPACE, {
    http: createKubeHttp(connection),
    watch: createWatch(connection),
  });
  let told = '';
  const isOver = (): boolean =>
    told !== '' || sandbox.requests.some(({ path, status }) => path.includes('watch=true') && status === 200);
  try {
    for (let tries = 0; !isOver() && tries < 500; tries += 1) {
      await source.names().catch((error: unknown) => (told = String(error)));
      await pause(10);
    }
    return { requests: [...sandbox.requests], told };
  } finally {
    await source.stop();
    await sandbox.close();
  }
}
