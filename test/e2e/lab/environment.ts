import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FLAGS } from '../../../shared/config/flags.ts';

/** Of levelset's ServiceAccount, Leases and ConfigMaps: the manifests' namespace, which `--state-namespace` has without the flag. */
export const NAMESPACE = FLAGS['state-namespace'].default;

/** The newest Kubernetes that the lab has, and the oldest that is supported (`infra/lab/kubernetes`). */
export type KubernetesVersion = '1.36' | '1.29';

/** What the tests stand on; written by prepareLab, read by everything else here. */
export interface Environment {
  readonly repository: string;
  /** Of Kubernetes: which of the lab's. */
  readonly version: KubernetesVersion;
  /** Where levelset listens, and the cluster's apiserver sends its audit events. */
  readonly listen: string;
  /** Files of this run: kubeconfigs, cloud.conf, logs of levelset. Gone afterwards. */
  readonly directory: string;
  /** Where the lab keeps its state. */
  readonly labState: string;
  readonly kubectl: string;
  readonly server: string;
  readonly certificateAuthority: string;
  /** For kubectl: whoever set up the cluster. */
  readonly adminKubeconfig: string;
  /** For the harness' own HTTP client. */
  readonly adminToken: string;
  /** What levelset runs with: the ServiceAccount of infra/kubernetes and its RBAC, never more. */
  readonly levelsetKubeconfig: string;
  readonly levelsetToken: string;
  readonly cloudConfig: string;
  /** What the lab's apiserver expects where it sends audit events. */
  readonly tls: TlsFiles;
  /** Who levelset is in OpenStack: in the lab a credential that may make the calls of infra/openstack/access-rules.json alone. */
  readonly levelsetCloud: CloudEntry;
  /** The same user with its password. */
  readonly levelsetPassword: CloudEntry;
  /** Its Keystone id. */
  readonly levelsetUser: string;
  /** Who the tests are. In the lab another user of the same project, so that calls can be told apart. */
  readonly cloud: CloudEntry;
  /** The UID of the namespace kube-system: levelset's id of the cluster. */
  readonly clusterId: string;
  readonly resources: LabResources;
  /** What was there before: never ours, never a leftover. */
  readonly before: readonly string[];
}

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** An entry of clouds.yaml, as far as it is used. */
export interface CloudEntry {
  readonly region_name?: string;
  readonly auth_type?: string;
  readonly auth: Readonly<Record<string, string>>;
}

/** What stands in a project of the lab: state/resources.json. */
export interface LabResources {
  readonly project_id: string;
  readonly public_network: string;
  readonly private_network: string;
  readonly private_v4: string;
  readonly private_v6: string;
  readonly private_v4_cidr: string;
  readonly private_v6_cidr: string;
  readonly router: string;
  readonly image: string;
}

const DIRECTORY = 'LEVELSET_E2E_ENVIRONMENTS';
const VERSION = 'LEVELSET_E2E_KUBERNETES';
const fileOf = (directory: string, version: string, cluster: number): string =>
  join(directory, `environment-${version}-${cluster}.json`);
let known: Environment | undefined;

/** That of the cluster which is this process' own: vitest numbers those that run side by side. */
export function lab(): Environment {
  if (known) return known;
  const { [DIRECTORY]: directory, [VERSION]: version = '1.36', VITEST_POOL_ID: cluster = '1' } = process.env;
  if (directory === undefined) throw new Error('the lab is not prepared: call prepareLab() first');
  known = JSON.parse(readFileSync(fileOf(directory, version, Number(cluster)), 'utf8')) as Environment;
  return known;
}

/** From now on lab() is this one here, and in child processes of this number. */
export async function publish(directory: string, cluster: number, environment: Environment): Promise<void> {
  const file = fileOf(directory, environment.version, cluster);
  await writeFile(file, JSON.stringify(environment), { mode: 0o600 });
  process.env[DIRECTORY] = directory;
  known = environment;
}

/** From now on lab() is the cluster of this version here: one with the same project. */
export function useVersion(version: KubernetesVersion): void {
  process.env[VERSION] = version;
  known = undefined;
}

/** From now on levelset logs in with its password, in this process: TLS at a load balancer needs it (decision 15). */
export function usePassword(): void {
  const { levelsetPassword: levelsetCloud, directory } = lab();
  known = { ...lab(), levelsetCloud, cloudConfig: join(directory, 'password.cloud.conf') };
}

/** A port of 127.0.0.1 that no file which runs beside this one has. */
export function ownPort(): number {
  return Number(new URL(`http://${lab().listen}`).port) + 40;
}

export const labResources = (): LabResources => lab().resources;
