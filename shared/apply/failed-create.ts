import { ReconcileError, type ErrorCode } from '../model/errors.ts';
import { loadBalancerOfPort, VIP_PORT_OWNERS } from '../model/load-balancer/vip-port.ts';
import type { Step } from '../model/plan.ts';
import type { World } from '../ports.ts';

/** Neutron's clock may differ by so much from Octavia's, which an answer has, and from ours. */
const [SKEW_INSIDE_MS, SKEW_MS] = [5_000, 60_000];

/** Refusals that say: not this address. The policy of Neutron lets administrators alone choose one (decision 451). */
const NOT_THIS_ADDRESS: readonly ErrorCode[] = ['FORBIDDEN', 'REJECTED', 'CONFLICT'];

/** What a failed create comes to, where OpenStack's words do not say what a person has to do. */
export async function afterFailedCreate(
  error: ReconcileError,
  step: Step,
  sentMs: number,
  { cloud, clock }: Pick<World, 'cloud' | 'clock'>,
): Promise<ReconcileError> {
  if (step.verb !== 'create') return error;
  const { floating_ip_address: address } = step.attributes;
  const isRefused = NOT_THIS_ADDRESS.includes(error.code) && error.context.status !== 404;
  if (step.kind === 'floatingip' && typeof address === 'string' && isRefused) {
    if ((await cloud.list('floatingip', { floating_ip_address: address })).length > 0) return error; // of its tags
    const what = `spec.loadBalancerIP ${address} is no floating IP of this project, and the project cannot make it: name one of its floating IPs, or none, or have an administrator make this one`;
    return new ReconcileError('REJECTED', `${what} (${error.message})`, error.context);
  }
  if (step.kind !== 'loadbalancer' || error.context.status !== 500) return error;
  const { serverTimeMs } = error.context;
  const sinceMs =
    serverTimeMs === undefined ? sentMs - SKEW_MS : serverTimeMs - (clock.now() - sentMs) - SKEW_INSIDE_MS;
  const left = await leftVipPorts(sinceMs, cloud);
  if (left.length === 0) return error;
  const what = `${error.message}; Octavia left VIP port ${left.join(', ')} behind, and each further try would leave one more: delete it (openstack port delete ID), and change the Service or post it to /resync when the cause is gone`;
  return new ReconcileError('REJECTED', what, error.context);
}

/** The VIP ports made since a request whose load balancer does not exist: each further POST would leave another one (decision 450). */
async function leftVipPorts(sinceMs: number, cloud: World['cloud']): Promise<readonly string[]> {
  const fields = ['id', 'name', 'device_owner', 'created_at'];
  const left: string[] = [];
  for (const port of await cloud.list('port', { device_owner: VIP_PORT_OWNERS, fields })) {
    const lb = loadBalancerOfPort(port);
    if (lb === undefined || !(Date.parse(String(port['created_at'])) >= sinceMs)) continue;
    if ((await cloud.get('loadbalancer', lb)) === undefined) left.push(port.id);
  }
  return left;
}
