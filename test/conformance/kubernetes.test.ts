import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { startSandbox, type Sandbox } from '../../infra/sandbox/sandbox.ts';
import { testGroups } from './cases.ts';
import { coordinationCases } from './kubernetes/coordination-cases.ts';
import { kubeconfigTarget, KubeSession, type KubeTarget } from './kubernetes/kube-session.ts';
import { nodeCases } from './kubernetes/node-cases.ts';
import { podCases } from './kubernetes/pod-cases.ts';
import { serviceFamilyCases } from './kubernetes/service-family-cases.ts';
import { serviceCases } from './kubernetes/service-cases.ts';
import { watchCases } from './kubernetes/watch-cases.ts';

const groups = {
  Services: serviceCases,
  'families of Services': serviceFamilyCases,
  Nodes: nodeCases,
  Pods: podCases,
  watches: watchCases,
  'coordination and the rest': coordinationCases,
};

/** The same cases for the simulator always, and for a real apiserver when the environment names its kubeconfig. */
function suite(name: string, open: () => Promise<KubeTarget>, real: boolean): void {
  describe(name, { timeout: 60_000 }, () => {
    let session: KubeSession;
    beforeAll(async () => {
      session = new KubeSession(await open());
      await session.begin();
    });
    afterEach(() => session.cleanUp());
    afterAll(() => session.end());
    testGroups(groups, () => session, real);
  });
}

let sandbox: Sandbox | undefined;
afterAll(() => sandbox?.close());

suite(
  'the apiserver simulator',
  async () => {
    sandbox = await startSandbox();
    const { kubeUrl: url, adminToken: token, kubeToken: limitedToken } = sandbox;
    return { name: 'simulator', real: false, url, token, limitedToken };
  },
  false,
);

const kubeconfig = process.env['LEVELSET_CONFORMANCE_KUBECONFIG'];
if (kubeconfig !== undefined) {
  suite(`the apiserver of ${kubeconfig}`, () => Promise.resolve(kubeconfigTarget(kubeconfig)), true);
}
