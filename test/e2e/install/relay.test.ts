/** A release of the chart that is a relay alone: its Pod runs with what the apiserver has of it, beside a levelset elsewhere. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { grantedBy, rightFor, type RoleManifest } from '../../repo/kubernetes-rights.ts';
import { runPods, type PodProcesses } from '../fixtures/pod-processes.ts';
import { CHART, runHelm, set } from '../fixtures/release.ts';
import { startTlsFront, type TlsFront } from '../fixtures/tls-front.ts';
import { labWorld } from '../lab/lab-world.ts';
import { AUDIT_TOKEN, CLUSTER_NAME } from '../lab/levelset.ts';
import {
  aNamespace,
  addressOf,
  apply,
  aService,
  kube,
  kubectl,
  lab,
  needsControl,
  ownPort,
  removeNamespace,
  serviceGone,
  startLevelset,
} from '../lab/lab.ts';

const world = labWorld({ nodes: ['e2e-relay-1'], levelsetByTest: true });
const RELEASE = 'levelset-edge';
const PORT = 18195;

let apiserver: TlsFront;
let pods: PodProcesses;
let namespace = '';

beforeEach(async (context) => {
  needsControl(context);
  apiserver = await startTlsFront(lab().server, lab().certificateAuthority);
  namespace = await aNamespace();
  await kube.patch(`/api/v1/namespaces/${namespace}`, {
    metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  pods = runPods(namespace, {
    node: 'e2e-relay-1',
    images: { 'levelset:0.1.0': join(lab().repository, 'dist') },
    kubernetes: apiserver,
  });
});

afterEach(async () => {
  await pods.stop();
  await runHelm(['uninstall', RELEASE, '--namespace', namespace, '--ignore-not-found']);
  await removeNamespace(namespace);
  await apiserver.close();
});

it(
  'tells a levelset elsewhere of a Service, with no right but to list and watch',
  { timeout: 240_000 },
  async () => {
    // the apiserver's webhook posts to another port, and the next sweep is an hour away
    const levelset = await startLevelset({ listen: `127.0.0.1:${ownPort()}`, tls: false });
    const receiver = await startTlsFront(levelset.url);
    await kube.create(`/api/v1/namespaces/${namespace}/configmaps`, {
      metadata: { name: 'corporate' },
      data: { 'ca.crt': receiver.certificateAuthority },
    });
    await kubectl([
      ...['-n', namespace, 'create', 'secret', 'generic', `${RELEASE}-relay`],
      `--from-literal=token=${AUDIT_TOKEN}`,
    ]);
    const eventsURL = `${receiver.url}/events/${CLUSTER_NAME}`;
    await runHelm([
      ...['install', RELEASE, CHART, '--namespace', namespace],
      ...set({ 'relay.enabled': true, 'relay.eventsURL': eventsURL, port: PORT }),
      ...set({ 'privateCA.configMapName': 'corporate', 'flags.v': 2 }),
    ]);
    try {
      const rollout = ['rollout', 'status', `deployment/${RELEASE}-relay`, '--timeout=60s'];
      await kubectl(['-n', namespace, ...rollout]);
      const local = { spec: { externalTrafficPolicy: 'Local' } };
      await apply([aService(world.namespace, 'web', [{ port: 80 }], local)]);
      await addressOf(world.namespace, 'web');
      await kubectl(['-n', world.namespace, 'delete', 'service', 'web', '--wait=false']);
      await serviceGone(world.namespace, 'web');
    } finally {
      await receiver.close();
    }
    const posted = new Set(receiver.calls.map(({ method, path, status }) => `${method} ${path} ${status}`));
    expect([...posted]).toEqual([`POST /events/${CLUSTER_NAME} 202`]);

    expect(pods.pods).toMatchObject([{ exitCode: undefined }]);
    const text = await runHelm(['get', 'manifest', RELEASE, '--namespace', namespace]);
    const manifests = parseAllDocuments(text).map((one) => one.toJS() as RoleManifest);
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      ...['ClusterRole', 'ClusterRoleBinding', 'Deployment', 'NetworkPolicy', 'ServiceAccount'],
    ]);
    expect(apiserver.calls.filter(({ status }) => status === 401 || status === 403)).toEqual([]);
    const asked = apiserver.calls.filter(({ path }) => /^\/apis?\//.test(path));
    const used = new Set(asked.map((call) => rightFor(call, namespace)));
    expect([...used].sort()).toEqual(grantedBy(manifests, namespace).toSorted());
  },
);
