import { versionInWords } from '../../../shared/model/load-balancer/capabilities.ts';
import { asReconcileError, isError } from '../../../shared/model/errors.ts';
import { stringAt } from '../../../shared/model/json.ts';
import { finding, type Examined, type Finding } from './finding.ts';

/** The minor versions of Kubernetes 1 that docs/support.md names. */
export const KUBERNETES_MINORS = { oldest: 29, newest: 36 } as const;

export async function checkKubernetesVersion({ connected }: Examined): Promise<Finding> {
  const doing = 'read the version of the kube-apiserver';
  const asked = await connected.kubeHttp({ method: 'GET', path: '/version', doing }).catch(asReconcileError);
  const version = isError(asked) ? undefined : stringAt(asked.body, 'gitVersion');
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (version === undefined || minor === undefined)
    return finding('warning', 'versions', 'the kube-apiserver does not say its version', 'kubectl version');
  const { oldest, newest } = KUBERNETES_MINORS;
  const isOld = Number(minor) < oldest;
  if (major === '1' && !isOld && Number(minor) <= newest)
    return finding('ok', 'versions', `Kubernetes ${version}`);
  const what = `Kubernetes ${version}: levelset runs with 1.${oldest} to 1.${newest} (docs/support.md)`;
  const remedy = isOld
    ? `upgrade the control plane to 1.${oldest} or newer:\nkubeadm upgrade plan`
    : 'take a newer levelset, or try this one with a few Services first: levelset sweep --dry-run';
  return finding(isOld ? 'failure' : 'warning', 'versions', what, remedy);
}

export async function checkOctavia({ connected }: Examined): Promise<Finding> {
  const version = await connected.world.cloud.octaviaVersion().catch(asReconcileError);
  if (isError(version)) {
    const remedy = 'have Octavia upgraded to Stein or newer; levelset cannot work with this one';
    return finding('failure', 'versions', version.message, remedy);
  }
  if (!version.isAssumed) return finding('ok', 'versions', `Octavia API ${version.major}.${version.minor}`);
  const what = `${versionInWords(version)}: newer settings are left out, and new Services that need one to be safe are blocked`;
  const remedy =
    'have whoever runs the cloud serve the root of Octavia, which lists its versions:\nopenstack versions show --service load-balancer';
  return finding('warning', 'versions', what, remedy);
}
