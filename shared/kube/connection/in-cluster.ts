import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ReconcileError } from '../../model/errors.ts';
import type { Connection } from './connection.ts';
import { tokenFile } from './token-file.ts';

export const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The connection of a pod: the variables of the Service `kubernetes` and the mounted ServiceAccount (Kubernetes docs,
 * "Accessing the Kubernetes API from a Pod"). Undefined when this is no pod, or one without a token. Throws
 * CONFIG_INVALID when the CA is missing.
 */
export async function inCluster(
  env: NodeJS.ProcessEnv,
  folder: string = SERVICE_ACCOUNT,
): Promise<Connection | undefined> {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const token = join(folder, 'token');
  const mounted = await stat(token).catch(() => undefined);
  if (!host || mounted === undefined) return undefined;
  const path = join(folder, 'ca.crt');
  const certificateAuthority = await readFile(path, 'utf8').catch((cause: unknown) => {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ReconcileError('CONFIG_INVALID', `in-cluster: ${path} cannot be read: ${code}`);
  });
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
  return {
    source: 'in-cluster',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: { certificateAuthority },
    credential: tokenFile(token),
  };
}
