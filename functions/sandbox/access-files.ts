import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Sandbox } from '../../infra/sandbox/sandbox.ts';

export interface SandboxAccess {
  readonly directory: string;
  readonly levelsetKubeconfig: string;
  readonly cloudConfig: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Writes kubeconfigs and a cloud.conf of the sandbox into a new directory. The caller removes it. */
export async function writeAccess(sandbox: Sandbox): Promise<SandboxAccess> {
  const directory = await mkdtemp(join(tmpdir(), 'levelset-sandbox-'));
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const adminKubeconfig = await write('admin.kubeconfig', kubeconfig(sandbox, sandbox.adminToken));
  const levelsetKubeconfig = await write('levelset.kubeconfig', kubeconfig(sandbox, sandbox.kubeToken));
  const cloudConfig = await write('cloud.conf', cloudConf(sandbox.authUrl));
  return {
    directory,
    levelsetKubeconfig,
    cloudConfig,
    variables: {
      KUBECONFIG: adminKubeconfig,
      LEVELSET_KUBECONFIG: levelsetKubeconfig,
      LEVELSET_CLOUD_CONFIG: cloudConfig,
    },
  };
}

function kubeconfig({ kubeUrl: server, kubeAuthority }: Sandbox, token: string): string {
  const name = 'sandbox';
  const authority = kubeAuthority !== undefined && {
    'certificate-authority-data': Buffer.from(kubeAuthority).toString('base64'),
  };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, ...authority } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}

function cloudConf(authUrl: string): string {
  return `[Global]
auth-url = ${authUrl}
username = demo
password = demo
tenant-name = demo
domain-name = Default
`;
}
