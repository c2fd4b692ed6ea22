/** infra/knative/README.md, typed by somebody who has nothing else; a program of the test is there for Knative's controllers. */
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { define, filesOfModule } from '../fixtures/definitions.ts';
import { runPods } from '../fixtures/pod-processes.ts';
import { labWorld } from '../lab/lab-world.ts';
import { apply, kube, kubectl, lab, NAMESPACE, writeCloudConfig } from '../lab/lab.ts';
import { blocksOf } from './document.ts';
import { runKnative } from './knative-cluster.ts';
import { newCluster, removeExample } from './new-cluster.ts';
import { Terminal } from './terminal.ts';

const IMAGE = 'registry.lab/levelset';
const SERVING = 'knative.dev/serving@v0.51.0';
const SOURCES = join(import.meta.dirname, '../fixtures/knative-sources.yaml');
const EVENTING = 'knative-eventing';
const world = labWorld({ nodes: ['e2e-newcomer-2'], levelsetByTest: true });

beforeAll(async () => {
  if (!lab().controllable) return undefined;
  const putBack = await newCluster();
  const serving = await filesOfModule(SERVING, ['config/core/300-resources/service.yaml']);
  const undefine = await define([...serving, SOURCES]);
  const removeEventing = () => kubectl(['delete', '--ignore-not-found', 'namespace', EVENTING]);
  await removeEventing(); // of a run that was cut off
  const installed = { apiVersion: 'v1', metadata: { namespace: EVENTING, name: 'config-features' } };
  await apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: EVENTING } }]);
  await apply([{ ...installed, kind: 'ConfigMap' }]);
  return async () => {
    await removeEventing();
    await undefine();
    await putBack();
  };
});

it('infra/knative/README.md, from nothing to a load balancer', { timeout: 400_000 }, async () => {
  const [node] = world.nodes;
  if (!node) throw new Error('no Node');
  const { repository, server, certificateAuthority } = lab();
  const pods = runPods(NAMESPACE, {
    node: node.name,
    images: { [`${IMAGE}:0.1.0`]: join(repository, 'dist') },
    kubernetes: { port: Number(new URL(server).port), certificateAuthority: certificateAuthority ?? '' },
  });
  const knative = runKnative();
  const terminal = new Terminal({ values: { IMAGE, CLOUD_CONF: await writeCloudConfig('newcomer', {}) } });
  try {
    await terminal.follow(blocksOf('infra/knative/README.md', 'From nothing to a load balancer'));
    const features = await kube.get(`/api/v1/namespaces/${EVENTING}/configmaps/config-features`);
    expect(features).toMatchObject({ data: { 'authentication-oidc': 'enabled' } });
    expect(knative.refused).toEqual([]);
    expect(pods.pods).toMatchObject([{ image: `${IMAGE}:0.1.0` }]);
  } finally {
    await removeExample();
    await knative.stop();
    await pods.stop();
    terminal.remove();
  }
});
