import { cloud, loadBalancerPath } from './openstack.ts';
import { until, type UntilOptions } from './until.ts';

/** Until it is no longer PENDING_*; its status. */
export async function settled(id: string, options: UntilOptions = {}): Promise<string> {
  return until(
    `load balancer ${id} to settle`,
    async () => {
      const { status, body } = await cloud().request('load-balancer', 'GET', loadBalancerPath(id));
      if (status === 404) return 'DELETED';
      const state = (body as { loadbalancer: { provisioning_status: string } }).loadbalancer
        .provisioning_status;
      return state.startsWith('PENDING') ? undefined : state;
    },
    { timeoutMs: 60_000, everyMs: 250, ...options },
  );
}

/** Behind levelset's back: the load balancer with all on it; waits until it is gone. Its floating IP stays. */
export async function deleteLoadBalancer(id: string): Promise<void> {
  await until(
    `DELETE of load balancer ${id} to be accepted`,
    async () => {
      const path = `${loadBalancerPath(id)}?cascade=true`;
      const { status, body } = await cloud().request('load-balancer', 'DELETE', path);
      if (status === 409) return false; // PENDING_*
      if (status === 204 || status === 404) return true;
      throw new Error(`${status} ${JSON.stringify(body)}`);
    },
    { timeoutMs: 60_000, everyMs: 250 },
  );
  const state = await settled(id);
  if (state !== 'DELETED') throw new Error(`load balancer ${id} is ${state} after its deletion`);
}
