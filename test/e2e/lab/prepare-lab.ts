import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
import { E2E_LABEL, kube, removeNamespace } from './kubernetes.ts';
import { everything } from './leftovers.ts';
import { removeOldNodes } from '../fixtures/nodes.ts';
import { OpenStack } from './openstack.ts';
import { labPlaces, REPOSITORY, type Place } from './places.ts';
import { must } from './run.ts';

const MANIFESTS = join(REPOSITORY, 'infra/kubernetes');

export interface Prepared {
  /** Of the first cluster. */
  readonly environment: Environment;
  readonly cleanUp: () => Promise<void>;
}

/**
 * Everything that tests need before they start, in so many clusters of each version. Afterwards lab() works, here and in child
 * processes.
 */
export async function prepareLab(
  clusters = 1,
  versions: readonly KubernetesVersion[] = ['1.36'],
): Promise<Prepared> {
  const places = await labPlaces(clusters, versions);
  const unlock = await alone(dirname(places[0]?.cloudsYaml ?? ''));
  await must(process.execPath, [join(REPOSITORY, 'build.ts')]); // the tests run dist/, and it is this source's
  const directory = await mkdtemp(join(tmpdir(), 'levelset-e2e-'));
  const prepared: Prepared[] = [];
  for (const place of places.toReversed()) prepared.push(await prepare(place, directory)); // the first comes last and stays
  const environment = prepared.at(-1)?.environment;
  if (!environment) throw new Error('no cluster');
  return {
    environment,
    async cleanUp() {
      for (const one of prepared) await one.cleanUp();
      await unlock();
      await rm(directory, { recursive: true });
    },
  };
}

async function prepare(place: Place, parent: string): Promise<Prepared> {
  const directory = await mkdtemp(join(parent, 'cluster-'));
  const as = ['--kubeconfig', place.kubeconfig];
  await endCutOff(place.kubectl, as);
  await applyManifests(place.kubectl, as);
  await applyAdmin(place.kubectl, as);

  const connection = await connectionOf(place.kubectl, as);
  const levelsetToken = await tokenOf(place.kubectl, as, NAMESPACE, 'levelset');
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
  const credential = await makeCredential(levelsetPassword, allRules());
  const levelsetCloud = credential.cloud;
  const cloudConfigFile = join(directory, 'cloud.conf');
  await writeSecret(cloudConfigFile, cloudConfig(levelsetCloud, resources));
  await writeSecret(join(directory, 'password.cloud.conf'), cloudConfig(levelsetPassword, resources));

  let environment: Environment = {
    repository: REPOSITORY,
    version: place.version,
    listen: `127.0.0.1:${(place.version === '1.36' ? 18_079 : 18_099) + place.cluster}`,
    directory,
    labState,
    kubectl: place.kubectl,
    ...connection,
    adminKubeconfig: place.kubeconfig,
    adminToken: await tokenOf(place.kubectl, as, 'kube-system', ADMIN_NAME),
    levelsetToken,
    levelsetKubeconfig,
    levelsetCloud,
    levelsetPassword,
    levelsetUser: (await new OpenStack(levelsetPassword).session()).userId,
    cloudConfig: cloudConfigFile,
    tls: tlsFiles(place.kubeconfig),
    cloud,
    clusterId: await must(place.kubectl, [
      ...as,
      'get',
      'namespace',
      'kube-system',
      '-o',
      'jsonpath={.metadata.uid}',
    ]),
    resources,
    before: [],
  };
  await publish(parent, place.cluster, environment);
  await removeOldRuns();
  environment = { ...environment, before: await everything() };
  await publish(parent, place.cluster, environment);
  return { environment, cleanUp: credential.remove };
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
  const { kubectl, adminKubeconfig, levelsetKubeconfig, directory } = lab();
  const as = ['--kubeconfig', adminKubeconfig];
  await applyManifests(kubectl, as);
  const levelsetToken = await tokenOf(kubectl, as, NAMESPACE, 'levelset');
  await writeSecret(levelsetKubeconfig, kubeconfigText(lab(), levelsetToken));
  const { VITEST_POOL_ID: cluster = '1' } = process.env;
  await publish(dirname(directory), Number(cluster), { ...lab(), levelsetToken });
}

const writeSecret = (file: string, text: string) => writeFile(file, text, { mode: 0o600 });

/** What the lab calls the first one's by the plain name. */
const numbered = (name: string, cluster: number): string => (cluster === 1 ? name : `${name}-${cluster}`);

/** The namespace of a run that was cut off while it went: it waits for Pods, and these for a kubelet. */
async function endCutOff(kubectl: string, as: readonly string[]): Promise<void> {
  const phase = ['get', 'namespace', NAMESPACE, '--ignore-not-found', '-o', 'jsonpath={.status.phase}'];
  if ((await must(kubectl, [...as, ...phase])) !== 'Terminating') return;
  await must(kubectl, [...as, '-n', NAMESPACE, 'delete', 'pods', '--all', '--force', '--grace-period=0']);
  await must(kubectl, [...as, 'wait', '--for=delete', '--timeout=60s', `namespace/${NAMESPACE}`]);
}

/**
 * The manifests that an operator applies, as they are. The Deployment is only shown to the apiserver: the lab has no
 * kubelet, the tests run levelset themselves. The namespace comes first: a dry run makes none for what is in it.
 */
async function applyManifests(kubectl: string, as: readonly string[]): Promise<void> {
  const rendered = parseAllDocuments(await must(kubectl, ['kustomize', MANIFESTS]));
  const objects = rendered.map((document) => document.toJS() as Manifest);
  const flags = ['apply', '--server-side', '--force-conflicts', '--validate=strict', '-f', '-'];
  const namespaces = objects.filter(({ kind }) => kind === 'Namespace');
  await must(kubectl, [...as, ...flags], { input: textOf(namespaces) });
  await must(kubectl, [...as, ...flags, '--dry-run=server'], { input: textOf(objects) });
  const kept = objects.filter(({ kind }) => kind !== 'Deployment');
  await must(kubectl, [...as, ...flags], { input: textOf(kept) });
}

interface Manifest {
  readonly kind: string;
}

const textOf = (objects: readonly Manifest[]): string =>
  objects.map((object) => stringify(object)).join('---\n');

/** Who the harness' own HTTP client is; works with any kubeconfig, exec plugins included. */
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

async function applyAdmin(kubectl: string, as: readonly string[]): Promise<void> {
  await must(kubectl, [...as, 'apply', '-f', '-'], { input: ADMIN });
}

async function tokenOf(
  kubectl: string,
  as: readonly string[],
  namespace: string,
  account: string,
): Promise<string> {
  return must(kubectl, [...as, '-n', namespace, 'create', 'token', account, '--duration=6h']);
}

interface Connection {
  readonly server: string;
  readonly certificateAuthority: string;
}

async function connectionOf(kubectl: string, as: readonly string[]): Promise<Connection> {
  const view = await must(kubectl, [...as, 'config', 'view', '--raw', '--minify', '--flatten', '-o', 'json']);
  const { clusters } = JSON.parse(view) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
  };
  const { server, 'certificate-authority-data': data } = clusters[0].cluster;
  return { server, certificateAuthority: Buffer.from(data, 'base64').toString() };
}

function kubeconfigText({ server, certificateAuthority: ca }: Connection, token: string): string {
  const authority = { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster: { server, ...authority } }],
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
