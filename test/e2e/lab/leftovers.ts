import { lab, NAMESPACE } from './environment.ts';
import { kube } from './kubernetes.ts';
import { floatingIPs, loadBalancers, octaviaPorts, securityGroups, type Resource } from './openstack.ts';
import { until, type UntilOptions } from './until.ts';

/** What levelset should have taken away: in the project and among its Leases. What was there before does not count. */
export async function leftovers(): Promise<readonly string[]> {
  const before = new Set(lab().before);
  return (await everything()).filter((one) => !before.has(one));
}

/** Fails with the list when something is left after a while; things go asynchronously. */
export async function nothingLeft(options: UntilOptions = {}): Promise<void> {
  let left: readonly string[] = [];
  try {
    await until('nothing left', async () => (left = await leftovers()).length === 0, {
      timeoutMs: 20_000,
      everyMs: 500,
      ...options,
    });
  } catch (error) {
    throw left.length === 0 ? error : new Error(`left over:\n${left.join('\n')}`, { cause: error });
  }
}

/**
 * Waits until levelset has taken its finalizers away: a Service that stays is one more in the plan of whoever has the
 * cluster next. A test that has stopped its levelset leaves it to that one.
 */
export async function withoutServices(namespace: string): Promise<void> {
  const services = (): Promise<readonly unknown[]> => kube.list(`/api/v1/namespaces/${namespace}/services`);
  await until('the end of its Services', async () => (await services()).length === 0, {
    timeoutMs: 10_000,
  }).catch((error: unknown) => {
    console.log(String(error));
  });
}

export async function everything(): Promise<readonly string[]> {
  const [lbs, ips, vips, groups] = await Promise.all([
    loadBalancers(),
    floatingIPs(),
    octaviaPorts(),
    securityGroups(),
  ]);
  return [
    ...lbs.map((lb) => line('load balancer', lb, lb['name'])),
    ...ips.map((ip) => line('floating IP', ip, ip['floating_ip_address'])),
    ...vips.map((port) => line('port', port, port['name'])),
    ...groups.map((group) => line('security group', group, group['name'])),
  ];
}

const line = (kind: string, { id }: Resource, name: unknown) => `${kind} ${id} ${String(name)}`;

/** Leaves the cluster to whoever comes next, as the documented uninstall does. */
export async function leaveDeployment(): Promise<void> {
  await kube.remove(`/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/levelset-deployment`);
}
