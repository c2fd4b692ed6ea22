import { versionInWords } from '../../../shared/model/load-balancer/octavia.ts';
import { looksAfterRoutes } from '../../../shared/config/config.ts';
import { asReconcileError, isError } from '../../../shared/model/errors.ts';
import { fieldsOf, isRecord, stringAt } from '../../../shared/model/json.ts';
import { finding, type Examined, type Finding, type Findings } from './finding.ts';

/** The minor versions of Kubernetes 1 that docs/support.md names. */
export const KUBERNETES_MINORS = { oldest: 29, newest: 36 } as const;

/** The providers of which docs/support.md says what they can do. */
const PROVIDERS = ['amphora', 'amphorav2', 'octavia', 'ovn'];

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

export async function checkProvider(examined: Examined): Promise<Finding> {
  const { session, world } = examined.connected;
  const wanted = world.config.loadBalancer.lbProvider;
  const request = { service: 'load-balancer', path: '/v2.0/lbaas/providers' } as const;
  const read = await session
    .read({ ...request, attempted: 'list the providers of Octavia' })
    .catch(asReconcileError);
  const listed = isError(read) ? undefined : fieldsOf(read)['providers'];
  const unlisted = `provider ${wanted}; Octavia does not list its providers to this credential`;
  // no access rule allows this call, as levelset itself does not make it
  if (!Array.isArray(listed)) return finding('note', 'versions', unlisted);
  const names = listed.filter(isRecord).map((one) => stringAt(one, 'name') ?? '');
  const set = `set lb-provider in [LoadBalancer] of ${examined.cloudSource} to one of ${names.join(', ')}:\nopenstack loadbalancer provider list`;
  const lacking = `Octavia has no provider ${wanted}; it has ${names.join(', ')}`;
  if (!names.includes(wanted)) return finding('failure', 'versions', lacking, set);
  if (PROVIDERS.includes(wanted)) return finding('ok', 'versions', `provider ${wanted}`);
  const what = `provider ${wanted}: levelset was tried with ${PROVIDERS.join(', ')} (docs/support.md)`;
  return finding('warning', 'versions', what, set);
}

export async function checkExtensions({ connected: { world } }: Examined): Findings {
  const read = await world.cloud.networkExtensions().catch(asReconcileError);
  if (isError(read)) return []; // the rights say why
  const { internalLb, manageSecurityGroups } = world.config.loadBalancer;
  const routes = looksAfterRoutes(world.config);
  const rows: readonly (readonly [isNeeded: boolean, alias: string, forWhat: string])[] = [
    [!internalLb, 'router', 'floating IPs'],
    [!internalLb, 'standard-attr-tag', 'the tags of floating IPs'],
    [manageSecurityGroups, 'security-group', 'manage-security-groups'],
    [routes, 'extraroute', 'routes to Pods'],
    [routes, 'allowed-address-pairs', 'routes to Pods'],
  ];
  const needed = rows.filter(([isNeeded]) => isNeeded);
  const missing = needed.filter(([, alias]) => !read.has(alias));
  const names = needed.length > 0 ? `: ${needed.map(([, alias]) => alias).join(', ')}` : '';
  if (missing.length === 0)
    return [finding('ok', 'versions', `Neutron has the extensions that levelset needs${names}`)];
  return missing.map(([, alias, forWhat]) => {
    const remedy = `have whoever runs the cloud enable it, or do without ${forWhat}:\nopenstack extension list --network`;
    return finding('failure', 'versions', `Neutron has no extension ${alias}, which ${forWhat} need`, remedy);
  });
}
