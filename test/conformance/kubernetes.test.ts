import { afterAll } from 'vitest';
import { startSandbox, type Sandbox } from '../../infra/sandbox/sandbox.ts';
import { suiteOf } from './cases.ts';
import { coordinationCases, watchCases } from './kubernetes/coordination-cases.ts';
import { kubeconfigTarget, KubeSession } from './kubernetes/kube-session.ts';
import { nodeCases, podCases } from './kubernetes/node-cases.ts';
import { serviceCases, serviceFamilyCases } from './kubernetes/service-cases.ts';

const groups = {
  Services: serviceCases,
  'families of Services': serviceFamilyCases,
  Nodes: nodeCases,
  Pods: podCases,
  watches: watchCases,
  'coordination and the rest': coordinationCases,
};

const timeout = 60_000;

let sandbox: Sandbox | undefined;
afterAll(() => sandbox?.close());

/** The same cases for the simulator always, and for a real apiserver when the environment names its kubeconfig. */
suiteOf(['the apiserver simulator', false, timeout], groups, async () => {
  sandbox = await startSandbox();
  const { kubeUrl: url, adminToken: token } = sandbox;
  return KubeSession.begin({ name: 'simulator', real: false, url, token });
});

const file = process.env['LEVELSET_CONFORMANCE_KUBECONFIG'];
if (file !== undefined)
  suiteOf([`the apiserver of ${file}`, true, timeout], groups, () =>
    KubeSession.begin(kubeconfigTarget(file)),
  );
