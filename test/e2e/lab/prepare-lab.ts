import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { cloudConfig } from './cloud-config.ts';
import { allRules, makeCredential, removeOldCredentials } from './credential.ts';
import {
  lab,
  NAMESPACE,
  publish,
  type CloudEntry,
  type Environment,
  type KubernetesVersion,
  type LabResources,
  type TlsFiles,
} from './environment.ts';
import { E2E_LABEL, kube, kubectl as kubectlOfLab, removeNamespace } from './kubernetes.ts';
import { everything } from './leftovers.ts';
import { removeOldNodes } from '../fixtures/nodes.ts';
import { OpenStack } from './openstack.ts';
import { labPlaces, REPOSITORY, type Place } from './places.ts';
import { must } from './run.ts';

const MANIFESTS = join(REPOSITORY, 'infra/kubernetes');

type CleanUp = () => Promise<void>;

/**
 * Before the first test file: the manifests are applied, and levelset has its token and its cloud.conf, in each of the lab's
 * clusters. Afterwards lab() works, here and in child processes.
 */
export default async function prepareLab({ config }: TestProject): Promise<CleanUp> {
  const versions: KubernetesVersion[] =
    process.env['LEVELSET_E2E_OLDEST'] === 'yes' ? ['1.36', '1.29'] : ['1.36'];
  const places = await labPlaces(config.maxWorkers, versions);
  const unlock = await alone(dirname(places[0]?.cloudsYaml ?? ''));
  await must(process.execPath, [join(REPOSITORY, 'build.ts')]); // the tests run dist/, and it is this source's
  const directory = await mkdtemp(join(tmpdir(), 'levelset-e2e-'));
  const prepared: CleanUp[] = [];
  for (const place of places.toReversed()) prepared.push(await prepare(place, directory)); // the first comes last and stays
  return async () => {
    for (const cleanUp of prepared) await cleanUp();
    await unlock();
    await rm(directory, { recursive: true });
  };
}

async function prepare(place: Place, parent: string): Promise<CleanUp> {
  const directory = await mkdtemp(join(parent, 'cluster-'));
  const kubectl = adminOf(place.kubectl, place.kubeconfig);
  await endCutOff(kubectl);
  await applyManifests(kubectl);
  await kubectl(['apply', '-f', '-'], ADMIN);

  const connection = await connectionOf(kubectl);
  const levelsetToken = await tokenOf(kubectl, NAMESPACE, 'levelset');
  const levelsetKubeconfig = join(directory, 'levelset.kubeconfig');
  await writeSecret(levelsetKubeconfig, kubeconfigText(connection, levelsetToken));

  const clouds = (parse(await readFile(place.cloudsYaml, 'utf8')) as { clouds: Record<string, CloudEntry> })
    .clouds;
  const cloud = clouds[place.cloudName];
  if (!cloud) throw new Error(`${place.cloudsYaml} has no cloud ${place.cloudName}`);
  const username = numbered('levelset', place.cluster);
  const levelsetPassword = { ...cloud, auth: { ...cloud.auth, username } };
  const labState = dirname(place.cloudsYaml);
  const resources = JSON.parse(
    readFileSync(join(labState, `state/${numbered('resources', place.cluster)}.json`), 'utf8'),
  ) as LabResources;
  await removeOldCredentials(levelsetPassword);
  const { cloud: levelsetCloud, remove } = await makeCredential(levelsetPassword, allRules());
  const cloudConfigFile = join(directory, 'cloud.conf');
  await writeSecret(cloudConfigFile, cloudConfig(levelsetCloud, resources));
  await writeSecret(join(directory, 'password.cloud.conf'), cloudConfig(levelsetPassword, resources));

  const environment: Environment = {
    repository: REPOSITORY,
    version: place.version,
    listen: `127.0.0.1:${(place.version === '1.36' ? 18_079 : 18_099) + place.cluster}`,
    directory,
    labState,
    kubectl: place.kubectl,
    ...connection,
    adminKubeconfig: place.kubeconfig,
    adminToken: await tokenOf(kubectl, 'kube-system', ADMIN_NAME),
    levelsetToken,
    levelsetKubeconfig,
    levelsetCloud,
    levelsetPassword,
    levelsetUser: (await new OpenStack(levelsetPassword).session()).userId,
    cloudConfig: cloudConfigFile,
    tls: tlsFiles(place.kubeconfig),
    cloud,
    clusterId: await kubectl(['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}']),
    resources,
    before: [],
  };
  await publish(parent, place.cluster, environment);
  await removeOldRuns();
  await publish(parent, place.cluster, { ...environment, before: await everything() });
  return remove;
}

function tlsFiles(kubeconfig: string): TlsFiles {
  const pki = join(dirname(kubeconfig), 'pki');
  return { cert: join(pki, 'levelset.crt'), key: join(pki, 'levelset.key'), ca: join(pki, 'ca.crt') };
}

/** One run at a time in one lab: the address that the apiserver posts to, node names and counts are shared. */
async function alone(labState: string): Promise<() => Promise<void>> {
  const file = join(labState, 'e2e.pid');
  for (let waited = 0; ; waited++) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' });
      return () => rm(file, { force: true });
    } catch {
      const owner = Number(existsSync(file) ? readFileSync(file, 'utf8') : 0);
      if (owner > 0 && existsSync(`/proc/${owner}`)) {
        if (waited % 60 === 0) console.log(`process ${owner} runs tests in this lab; waiting for its end`);
        await sleep(1000);
      } else await rm(file, { force: true });
    }
  }
}

/** Namespace, rights and kubeconfig of levelset in the cluster of lab(), once more: for tests that took them away. */
export async function grantAgain(): Promise<void> {
  const { levelsetKubeconfig, directory } = lab();
  await applyManifests(kubectlOfLab);
  const levelsetToken = await tokenOf(kubectlOfLab, NAMESPACE, 'levelset');
  await writeSecret(levelsetKubeconfig, kubeconfigText(lab(), levelsetToken));
  const { VITEST_POOL_ID: cluster = '1' } = process.env;
  await publish(dirname(directory), Number(cluster), { ...lab(), levelsetToken });
}

const writeSecret = (file: string, text: string) => writeFile(file, text, { mode: 0o600 });

/** What the lab calls the first one's by the plain name. */
const numbered = (name: string, cluster: number): string => (cluster === 1 ? name : `${name}-${cluster}`);

type Kubectl = typeof kubectlOfLab;
/** kubectl before lab() works. */
const adminOf =
  (kubectl: string, kubeconfig: string): Kubectl =>
  (args, input = '') =>
    must(kubectl, ['--kubeconfig', kubeconfig, ...args], { input });

/** The namespace of a run that was cut off while it went: it waits for Pods, and these for a kubelet. */
async function endCutOff(kubectl: Kubectl): Promise<void> {
  const phase = ['get', 'namespace', NAMESPACE, '--ignore-not-found', '-o', 'jsonpath={.status.phase}'];
  if ((await kubectl(phase)) !== 'Terminating') return;
  await kubectl(['-n', NAMESPACE, 'delete', 'pods', '--all', '--force', '--grace-period=0']);
  await kubectl(['wait', '--for=delete', '--timeout=60s', `namespace/${NAMESPACE}`]);
}

/**
 * The manifests that an operator applies, as they are. The Deployment is only shown to the apiserver: the lab has no
 * kubelet, the tests run levelset themselves. The namespace comes first: a dry run makes none for what is in it.
 */
async function applyManifests(kubectl: Kubectl): Promise<void> {
  const rendered = parseAllDocuments(await kubectl(['kustomize', MANIFESTS]));
  const objects = rendered.map((document) => document.toJS() as { readonly kind: string });
  const apply = (kept: (kind: string) => boolean, ...flags: readonly string[]): Promise<string> =>
    kubectl(
      ['apply', '--server-side', '--force-conflicts', '--validate=strict', '-f', '-', ...flags],
      objects
        .filter(({ kind }) => kept(kind))
        .map((object) => stringify(object))
        .join('---\n'),
    );
  await apply((kind) => kind === 'Namespace');
  await apply(() => true, '--dry-run=server');
  await apply((kind) => kind !== 'Deployment');
}

/** Who the harness' own HTTP client is. */
const ADMIN_NAME = 'levelset-e2e';
const ADMIN = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: ${ADMIN_NAME}, namespace: kube-system }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: ${ADMIN_NAME} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
subjects: [{ kind: ServiceAccount, name: ${ADMIN_NAME}, namespace: kube-system }]
`;

function tokenOf(kubectl: Kubectl, namespace: string, account: string): Promise<string> {
  return kubectl(['-n', namespace, 'create', 'token', account, '--duration=6h']);
}

interface Connection {
  readonly server: string;
  readonly certificateAuthority: string;
}

async function connectionOf(kubectl: Kubectl): Promise<Connection> {
  const view = await kubectl(['config', 'view', '--raw', '--minify', '--flatten', '-o', 'json']);
  const { clusters } = JSON.parse(view) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
  };
  const { server, 'certificate-authority-data': data } = clusters[0].cluster;
  return { server, certificateAuthority: Buffer.from(data, 'base64').toString() };
}

/** `more`: fields of the cluster, such as `proxy-url`. */
export function kubeconfigText(
  { server, certificateAuthority: ca }: Connection,
  token: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const authority = { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster: { server, ...authority, ...more } }],
    users: [{ name: 'levelset', user: { token } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'levelset' } }],
    'current-context': 'lab',
  });
}

/** Namespaces, Nodes and servers of a run that was cut off. Services go without their controller: nobody is there to let go. */
async function removeOldRuns(): Promise<void> {
  await removeOldNodes();
  const namespaces = await kube.list<{ metadata: { name: string } }>(
    `/api/v1/namespaces?labelSelector=${E2E_LABEL}`,
  );
  for (const { metadata } of namespaces) {
    const path = `/api/v1/namespaces/${metadata.name}/services`;
    for (const service of await kube.list<{ metadata: { name: string } }>(path))
      await kube.patch(`${path}/${service.metadata.name}`, { metadata: { finalizers: null } });
    await removeNamespace(metadata.name);
  }
}
