import { join, resolve } from 'node:path';
import type { KubernetesVersion } from './environment.ts';
import { must, run } from './run.ts';

export const REPOSITORY = resolve(import.meta.dirname, '../../..');

/** Where cluster and cloud are, before anything was asked of them. */
export interface Place {
  readonly version: KubernetesVersion;
  /** Of this version, from 1. */
  readonly cluster: number;
  readonly kubectl: string;
  readonly kubeconfig: string;
  readonly cloudsYaml: string;
  readonly cloudName: string;
}

export async function labPlaces(
  clusters: number,
  versions: readonly KubernetesVersion[],
): Promise<readonly Place[]> {
  const script = join(REPOSITORY, 'infra/lab/lab.sh');
  const wanted = { LAB_CLUSTERS: String(clusters), KUBE_VERSION: versions.join(' ') };
  const status = await run('bash', [script, 'status'], { env: wanted });
  if (status.code !== 0)
    throw new Error(
      `the lab is not up: run npm run lab:up first (as root)\n${status.stdout}${status.stderr}`,
    );
  const print =
    'eval "$("$0" env "$1" "$2")" && printf "%s\\n" "$KUBECONFIG" "$OS_CLIENT_CONFIG_FILE" "$OS_CLOUD" "$(command -v kubectl)"';
  const all = versions.flatMap((version) =>
    Array.from({ length: clusters }, (_, index) => ({ version, cluster: index + 1 })),
  );
  return Promise.all(
    all.map(async ({ version, cluster }) => {
      const lines = (await must('bash', ['-c', print, script, String(cluster), version])).split('\n');
      const [kubeconfig = '', cloudsYaml = '', cloudName = '', kubectl = ''] = lines;
      return { version, cluster, kubeconfig, cloudsYaml, cloudName, kubectl };
    }),
  );
}
