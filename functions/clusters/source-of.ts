import type { EntrySource } from '../../shared/clusters/entry.ts';
import { FolderSource } from '../../shared/clusters/folder.ts';
import { SecretsSource } from '../../shared/clusters/secrets.ts';
import { readFlags, type Flags } from '../../shared/config/read-flags.ts';
import { clustersFrom, NotAllowed, refusalOf } from '../../shared/config/read-value.ts';
import { externalCredential } from '../../shared/kube/connection/external-credential.ts';
import type { Connection } from '../../shared/kube/connection/connection.ts';
import { findConnection, inCluster } from '../../shared/kube/connection/find-connection.ts';
import { homeOf, type Home } from '../../shared/kube/home.ts';
import { createKubeHttp } from '../../shared/kube/kube-http.ts';
import { createWatch } from '../../shared/kube/watch-http.ts';
import { ReconcileError } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';

interface Own {
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
}

/** Where --clusters says that the texts of the entries are. Sends nothing. Throws CONFIG_INVALID. */
export async function sourceOf(from: string, own: Own): Promise<EntrySource> {
  const where = clustersFrom(from);
  if (where instanceof NotAllowed)
    throw new ReconcileError('CONFIG_INVALID', refusalOf('--clusters', from, where));
  if ('parameters' in where)
    throw new ReconcileError(
      'CONFIG_INVALID',
      '--clusters with parameters: is for the functions on AWS alone: give secrets or folder:PATH here',
    );
  return 'secrets' in where ? secretsOf(own) : new FolderSource(where.folder);
}

/** Those of --state-namespace in the cluster where levelset runs, or that --kubeconfig leads to. */
async function secretsOf({ flags, env }: Own): Promise<EntrySource> {
  const connection = await ownConnection({ flags, env });
  const { stateNamespace } = readFlags(flags, []);
  return new SecretsSource(stateNamespace, {
    http: createKubeHttp(connection),
    watch: createWatch(connection),
  });
}

function ownConnection({ flags: { kubeconfig }, env }: Own): Promise<Connection> {
  return findConnection({
    ...{ env, login: externalCredential },
    ...(kubeconfig !== undefined && { kubeconfig }),
  });
}

/** The cluster in which the processes of a deployment of several clusters meet: that of the Secrets, else that of their Pods, else none. */
export async function homeOfClusters(
  from: string,
  { flags, env, log }: Own & { readonly log: Log },
): Promise<Home | undefined> {
  const connection = await (from === 'secrets' ? ownConnection({ flags, env }) : inCluster(env));
  const { stateNamespace } = readFlags(flags, []);
  return connection && homeOf({ connection, namespace: stateNamespace, env, log });
}
