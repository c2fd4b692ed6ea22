import type { Source } from '../../shared/clusters/entry.ts';
import { FolderSource } from '../../shared/clusters/folder.ts';
import { SecretsSource } from '../../shared/clusters/secrets.ts';
import { readFlags, type Flags } from '../../shared/config/read-flags.ts';
import { clustersFrom, NotAllowed, refusalOf } from '../../shared/config/read-value.ts';
import { externalCredential } from '../../shared/kube/connection/external-credential.ts';
import { findConnection } from '../../shared/kube/connection/find-connection.ts';
import { createHttp } from '../../shared/kube/kube-http.ts';
import { createWatch } from '../../shared/kube/watch-http.ts';
import { ReconcileError } from '../../shared/model/errors.ts';

/** What the deployment itself is given. */
interface Own {
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
}

/** Where --clusters says that the texts of the entries are. Sends nothing. Throws CONFIG_INVALID. */
export async function sourceOf(from: string, own: Own): Promise<Source> {
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
async function secretsOf({ flags, env }: Own): Promise<Source> {
  const { kubeconfig } = flags;
  const connection = await findConnection({
    ...{ env, login: externalCredential },
    ...(kubeconfig !== undefined && { kubeconfig }),
  });
  const { stateNamespace } = readFlags(flags, []);
  return new SecretsSource(stateNamespace, {
    http: createHttp(connection),
    watch: createWatch(connection),
  });
}
