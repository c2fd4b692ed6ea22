import { stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ReconcileError } from '../../model/errors.ts';
import { readNamedFile } from '../../named-file.ts';
import { proxyFromEnv } from '../../proxy.ts';
import type { Connection, Login } from './connection.ts';
import { readKubeconfig } from './kubeconfig.ts';
import { rotatedFile, tokenFile } from './kubeconfig-fields.ts';

interface WhereToLook {
  readonly kubeconfig?: string;
  readonly env: NodeJS.ProcessEnv;
  /** The environment as it is now, asked when the apiserver has refused the credential. */
  readonly envNow?: () => Promise<NodeJS.ProcessEnv>;
  /** For a kubeconfig that has `exec` or `auth-provider`. Absent: such a one is refused. */
  readonly login?: Login;
}

const TEXT = 'LEVELSET_KUBECONFIG_TEXT';

/**
 * The first that is there: `--kubeconfig`, LEVELSET_KUBECONFIG_TEXT, KUBECONFIG (its first file that exists), the
 * Pod's ServiceAccount, ~/.kube/config. Throws CONFIG_INVALID, also for a named file that is wrong.
 */
export async function findConnection(where: WhereToLook): Promise<Connection> {
  const found = await firstConnection(where);
  if (found) return { proxyFor: proxyFromEnv(where.env), ...found };
  throw new ReconcileError(
    'CONFIG_INVALID',
    `no kube-apiserver is configured: give --kubeconfig, KUBECONFIG or LEVELSET_KUBECONFIG_TEXT, run in a pod with ` +
      `a ServiceAccount token, or have ~/.kube/config`,
  );
}

export async function firstConnection({
  kubeconfig,
  env,
  envNow,
  login,
}: WhereToLook): Promise<Connection | undefined> {
  if (kubeconfig) return await readFrom(kubeconfig, '--kubeconfig', login);
  const text = env[TEXT];
  if (text) return await fromText(text, envNow ?? (() => Promise.resolve(env)), login);
  const list = env['KUBECONFIG'];
  if (list) return await readFrom(await firstThere(list), 'KUBECONFIG', login);
  const pod = await inCluster(env);
  if (pod) return pod;
  const own = join(env['HOME'] ?? '', '.kube', 'config');
  return env['HOME'] && (await exists(own)) ? await readFrom(own, 'the default', login) : undefined;
}

async function fromText(
  text: string,
  envNow: () => Promise<NodeJS.ProcessEnv>,
  login?: Login,
): Promise<Connection> {
  const connection = await readKubeconfig(text, { source: TEXT }, login);
  let { credential } = connection;
  let from = text;
  return {
    ...connection,
    credential: async (refused) => {
      const now = refused ? (await envNow())[TEXT] : undefined;
      if (now && now !== from) {
        ({ credential } = await readKubeconfig(now, { source: TEXT }, login));
        from = now;
      }
      return credential(refused);
    },
  };
}

async function firstThere(list: string): Promise<string> {
  const paths = list.split(delimiter).filter((path) => path !== '');
  for (const path of paths) if (await exists(path)) return path;
  throw new ReconcileError(
    'CONFIG_INVALID',
    'KUBECONFIG must name a file that exists; the text of a kubeconfig goes into LEVELSET_KUBECONFIG_TEXT',
  );
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function readFrom(path: string, named: string, login?: Login): Promise<Connection> {
  return await readKubeconfig(await readNamedFile(named, path), { source: path }, login);
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The connection of a Pod (Kubernetes docs, "Accessing the Kubernetes API from a Pod"); undefined outside of one.
 * Throws CONFIG_INVALID without a CA.
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
  const authority = rotatedFile(path, () => readNamedFile('in-cluster', path));
  await authority(false);
  const bearer = tokenFile('in-cluster', token);
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
  return {
    source: 'in-cluster',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls: {},
    credential: async (refused) => ({
      certificateAuthority: await authority(refused),
      ...(await bearer(refused)),
    }),
  };
}
