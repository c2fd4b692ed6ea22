import { Watches } from '../../shared/watch/watches.ts';
import { startSandbox, type RecordedRequest } from '../../infra/sandbox/sandbox.ts';
import { createHttp } from '../../shared/kube/kube-http.ts';
import { createWatch } from '../../shared/kube/watch-http.ts';
import { pause, SILENT } from '../support/sandbox-world.ts';
import { aService } from '../support/service.ts';

/** The watches of `serve --watch`, with a Service whose members follow its endpoints and that has a certificate; the requests that came of it. */
export async function recordWatch(): Promise<readonly RecordedRequest[]> {
  const sandbox = await startSandbox({ nodes: 1 });
  const { kubeUrl: server, kubeToken } = sandbox;
  const credential = () => Promise.resolve({ authorization: `Bearer ${kubeToken}` });
  const connection = { source: 'sandbox', server, tls: {}, credential };
  const annotations = { 'levelset.openstack.org/tls-secret': 'web-tls' };
  sandbox.kube.apply(aService({ annotations, spec: { externalTrafficPolicy: 'Local' } }));
  const http = createHttp(connection);
  const watches = new Watches({
    http,
    watch: createWatch(connection),
    log: SILENT,
    changed: () => undefined,
  });
  const count = (): number => sandbox.requests.filter(({ path }) => path.includes('watch=true')).length;
  try {
    watches.start();
    for (let tries = 0; count() < 4 && tries < 500; tries += 1) await pause(10);
    return [...sandbox.requests];
  } finally {
    await watches.stop();
    await sandbox.close();
  }
}
