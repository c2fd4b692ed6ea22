/** What levelset asks of an apiserver outside of runs, by somebody who may do this, and what it is told. */
import { onTestFinished } from 'vitest';
import type { Grant } from '../../infra/sandbox/kube/kube-access.ts';
import { startSandbox, type RecordedRequest } from '../../infra/sandbox/sandbox.ts';
import { SecretsSource } from '../../shared/clusters/secrets.ts';
import { labelLeader } from '../../shared/kube/home.ts';
import { KubeClient } from '../../shared/kube/kube-client.ts';
import { createKubeHttp } from '../../shared/kube/kube-http.ts';
import { createWatch } from '../../shared/kube/watch-http.ts';
import { Watches } from '../../shared/watch/watches.ts';
import { pause, SILENT } from '../support/sandbox-world.ts';
import { aService } from '../support/service.ts';
import { NAMESPACE } from './grants.ts';

interface Recorded {
  readonly requests: readonly RecordedRequest[];
  readonly told: string;
}

async function asking(grants: readonly Grant[]) {
  const sandbox = await startSandbox({ nodes: 1 });
  onTestFinished(() => sandbox.close());
  const token = sandbox.addUser('system:serviceaccount:levelset:levelset', grants);
  const credential = () => Promise.resolve({ authorization: `Bearer ${token}` });
  const connection = { source: 'sandbox', server: sandbox.kubeUrl, tls: {}, credential };
  let told = '';
  const say = (message: unknown, fields?: unknown): void => {
    told += `${String(message)} ${JSON.stringify(fields)}\n`.replaceAll('\\', '');
  };
  const isOver = (watches: number, words: string): boolean =>
    told.includes(words) ||
    sandbox.requests.filter(({ path, status }) => path.includes('watch=true') && status === 200).length >=
      watches;
  return {
    ...{ sandbox, http: createKubeHttp(connection), watch: createWatch(connection), say },
    /** Until so many watches are open, or something is told that has these words. */
    untilOver: async (watches: number, words: string, again?: () => Promise<unknown>): Promise<void> => {
      for (let tries = 0; !isOver(watches, words) && tries < 500; tries += 1) {
        await again?.().catch(say);
        await pause(10);
      }
    },
    recorded: (): Recorded => ({ requests: [...sandbox.requests], told }),
  };
}

/** The watches of `serve --watch`, with a Service whose members follow its endpoints. */
export async function recordWatch(grants: readonly Grant[]): Promise<Recorded> {
  const { sandbox, http, watch, say, untilOver, recorded } = await asking(grants);
  sandbox.kube.apply(aService({ spec: { externalTrafficPolicy: 'Local' } }));
  const log = { debug: say, info: say, warn: say, error: say };
  const watches = new Watches({ http, watch, log, changed: () => undefined });
  watches.start();
  await untilOver(3, 'cannot');
  await watches.stop();
  return recorded();
}

/** The registry of `serve --clusters=secrets`. */
export async function recordRegistry(grants: readonly Grant[]): Promise<Recorded> {
  const { http, watch, untilOver, recorded } = await asking(grants);
  const source = new SecretsSource(NAMESPACE, { http, watch });
  await untilOver(1, ' ', () => source.names());
  await source.stop();
  return recorded();
}

/** The Lease of a deployment, and the label of the Pod that leads. */
export async function recordLeader(grants: readonly Grant[]): Promise<Recorded> {
  const { sandbox, http, say, recorded } = await asking(grants);
  sandbox.kube.apply({ kind: 'Pod', metadata: { namespace: NAMESPACE, name: 'one' } });
  const held = new KubeClient(http, { namespace: NAMESPACE, deployment: () => 'one', log: SILENT })
    .deployment;
  for (let sweeps = 0; sweeps < 2; sweeps += 1) await held.renew().catch(say);
  await labelLeader(http, { namespace: NAMESPACE, name: 'one' }, true, { ...SILENT, warn: say });
  return recorded();
}
