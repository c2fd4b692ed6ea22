import { Watches } from '../../shared/watch/watches.ts';
import type { Grant } from '../../infra/sandbox/kube/kube-access.ts';
import { startSandbox, type RecordedRequest } from '../../infra/sandbox/sandbox.ts';
import { createKubeHttp } from '../../shared/kube/kube-http.ts';
import { createWatch } from '../../shared/kube/watch-http.ts';
import type { Log } from '../../shared/ports.ts';
import { pause } from '../support/sandbox-world.ts';
import { aService } from '../support/service.ts';

export interface Recorded {
  readonly requests: readonly RecordedRequest[];
  readonly told: string;
}

/**
 * The watches of `serve --watch` by somebody who may do this, with a Service whose members follow its endpoints and that has
 * a certificate: until all watch, or one is refused.
 */
export async function recordWatch(grants: readonly Grant[]): Promise<Recorded> {
  const sandbox = await startSandbox({ nodes: 1 });
  const { kubeUrl: server } = sandbox;
  const token = sandbox.addUser('system:serviceaccount:levelset:levelset', grants);
  const credential = () => Promise.resolve({ authorization: `Bearer ${token}` });
  const connection = { source: 'sandbox', server, tls: {}, credential };
  sandbox.kube.apply(aService({ spec: { externalTrafficPolicy: 'Local' } }));
  const told: string[] = [];
  const say = (message: string, fields?: unknown): void => {
    told.push(`${message} ${JSON.stringify(fields)}`);
  };
  const log: Log = { debug: say, info: say, warn: say, error: say };
  const watches = new Watches({
    http: createKubeHttp(connection),
    watch: createWatch(connection),
    log,
    changed: () => undefined,
  });
  const isOver = (): boolean =>
    sandbox.requests.filter(({ path, status }) => path.includes('watch=true') && status === 200).length >=
      3 ||
    (sandbox.requests.some(({ status }) => status === 403) && told.some((line) => line.includes('cannot')));
  try {
    watches.start();
    for (let tries = 0; !isOver() && tries < 500; tries += 1) await pause(10);
    return { requests: [...sandbox.requests], told: told.join('\n').replaceAll('\\', '') };
  } finally {
    await watches.stop();
    await sandbox.close();
  }
}
