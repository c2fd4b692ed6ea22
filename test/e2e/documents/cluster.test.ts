/** docs/tutorials/cluster.md and infra/kubernetes/README.md, typed by somebody who has nothing else: from nothing to a load balancer, and back. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runPods, type PodProcesses } from '../fixtures/pod-processes.ts';
import { labWorld } from '../lab/lab-world.ts';
import { kubectl, lab, NAMESPACE, writeCloudConfig } from '../lab/lab.ts';
import { blocksOf } from './document.ts';
import { newCluster, removeExample } from './new-cluster.ts';
import { Terminal } from './terminal.ts';

const IMAGE = 'registry.lab/levelset';
const world = labWorld({ nodes: ['e2e-newcomer-1'], levelsetByTest: true });
let putBack: (() => Promise<void>) | undefined;
let pods: PodProcesses | undefined;

beforeAll(async () => {
  putBack = await newCluster();
});
afterAll(() => putBack?.());

beforeEach(() => {
  const [node] = world.nodes;
  if (!node) throw new Error('no Node');
  pods = runPods(NAMESPACE, {
    node: node.name,
    images: { [`${IMAGE}:0.1.0`]: `${lab().repository}/dist` },
  });
  return () => pods?.stop();
});

/** Images are built by test/e2e/install/image.test.ts; here it is seen that these are the commands. */
const standIns = 'npm() { note npm "$@"; }; docker() { note docker "$@"; }';
const BUILT = [
  'npm ci',
  `docker build -f infra/image/Dockerfile -t ${IMAGE}:0.1.0 .`,
  `docker push ${IMAGE}:0.1.0`,
];

const KINDS = 'namespaces,clusterroles,clusterrolebindings';
const installed = (): Promise<string> =>
  kubectl(['get', KINDS, '-o', 'name', '-l', 'app.kubernetes.io/name=levelset']);

it.each([
  ['docs/tutorials/cluster.md', 'From nothing to a load balancer', BUILT],
  ['infra/kubernetes/README.md', 'With Helm', []],
])('%s, "%s"', async (path, heading, built) => {
  const values = { IMAGE, CLOUD_CONF: await writeCloudConfig('newcomer', {}) };
  const terminal = new Terminal({ values, standIns });
  const before = await installed();
  try {
    await terminal.follow(blocksOf(path, heading));
    expect(terminal.noted).toEqual(built);
    expect(pods?.pods).toMatchObject([{ image: `${IMAGE}:0.1.0`, exitCode: 0 }]);
    expect(await installed()).toBe(before);
  } finally {
    await removeExample();
    terminal.remove();
  }
});
