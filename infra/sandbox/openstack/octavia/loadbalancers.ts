import type { Answer } from '../../exchange.ts';
import { asText, type Json } from '../../json.ts';
import { octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import type { Caller } from '../keystone/keystone.ts';
import { readCreate, readUpdate } from './rules/body.ts';
import { buildLoadBalancer } from './build.ts';
import { hasLostCertificate, type Certificates } from './rules/certificates.ts';
import { invalid } from './rules/listener-rules.ts';
import { begin, beginDelete, change, requireState } from './lock.ts';
import { everythingBelow, listenersOn, poolsOn } from './lookup.ts';
import { checkNested } from './rules/nested.ts';
import type { LoadBalancer } from './objects.ts';
import { checkQuota } from './rules/pool-rules.ts';
import { createTree, isReached } from './tree.ts';
import { loadBalancerView, treeView } from './views.ts';
import { allocateVip, checkVip, rebuildVip } from './vip.ts';

/** POST: the load balancer with everything nested in it. */
export function createLoadBalancer(
  world: CloudState,
  certificates: Certificates,
  caller: Caller,
  given: Json,
): Answer {
  const body = readCreate('loadbalancer', given);
  checkNested(body);
  const owner = caller.projectId;
  checkVip(world, caller, body);
  if ('flavor_id' in given) checkFlavor(world, body['flavor_id']);
  if ('availability_zone' in given) checkZone(world, body['availability_zone']);
  const provider = asText(body['provider'] ?? world.octaviaTraits.provider);
  if (!world.octaviaTraits.providers.some((one) => one.name === provider))
    throw octaviaFault(400, `Provider '${provider}' is not enabled.`);
  checkQuota(world, 'load_balancer', owner);
  checkMetadata(provider, body);
  const id = world.newId();
  const vip = allocateVip(world, owner, id, body, provider);
  const lb = buildLoadBalancer(world, owner, id, { ...body, provider }, vip);
  createTree(world, certificates, lb, body);
  const reached = everythingBelow(world, lb).filter((one) => isReached(world, lb, one));
  begin(world, lb, reached);
  return { status: 201, body: { loadbalancer: treeView(world, lb) } };
}

/** The all-zero id is a disabled row that Octavia keeps for itself; null counts as given (tried on the lab). */
function checkFlavor(world: CloudState, flavor: unknown): void {
  const placeholder = '00000000-0000-0000-0000-000000000000';
  const known = world.flavors.find((one) => one.id === flavor);
  if (!known && flavor !== placeholder) throw invalid('Invalid flavor_id.');
  if (known?.enabled === true) return;
  throw octaviaFault(400, `The selected flavor is not allowed in this deployment: ${String(flavor)}`);
}

function checkZone(world: CloudState, zone: unknown): void {
  const known = world.availabilityZones.find((one) => one.name === zone);
  if (!known) throw invalid('Invalid availability zone.');
  if (known.enabled) return;
  const text = `The selected availability_zone is not allowed in this deployment: ${known.name}`;
  throw octaviaFault(400, text);
}

/** ovn has no flavors and no zones (octavia_lib/api/drivers/provider_base.py; not tried). */
function checkMetadata(provider: string, body: Json): void {
  if (provider !== 'ovn') return;
  const what = body['flavor_id'] === null ? 'availability zones' : 'flavors';
  if (body['flavor_id'] === null && body['availability_zone'] === null) return;
  const text = `This provider does not support validating ${what}.`;
  throw octaviaFault(501, `Provider 'ovn' does not support a requested action: ${text}`);
}

/** PUT: answers with the new values and PENDING_UPDATE, also when nothing changed; there is no QoS in the lab. */
export function updateLoadBalancer(world: CloudState, lb: LoadBalancer, given: Json): Answer {
  const body = readUpdate('loadbalancer', given);
  if ('vip_qos_policy_id' in given && world.qosPolicies.length === 0)
    throw invalid('VIP QoS policy is not allowed in this deployment.');
  requireState(lb, ['ACTIVE']);
  Object.assign(lb, body);
  change(world, lb, {});
  return { status: 200, body: { loadbalancer: loadBalancerView(world, lb) } };
}

export function deleteLoadBalancer(world: CloudState, lb: LoadBalancer, cascade: boolean): Answer {
  const own = listenersOn(world, lb);
  const children = own.length > 0 || poolsOn(world, lb).length > 0;
  requireState(lb, ['ACTIVE', 'ERROR']);
  if (children && !cascade) throw invalid(`Cannot delete Load Balancer ${lb.id} - it has children`);
  const stuck = own.some((one) => hasLostCertificate(world, one));
  beginDelete(world, lb, stuck);
  return { status: 204 };
}

/**
 * PUT: the default policy keeps it for administrators. Refused unless ACTIVE or in ERROR. The answer has no body (Octavia API,
 * "Failover a load balancer"; not tried, since the lab has no amphorae).
 */
export function failOver(world: CloudState, lb: LoadBalancer): Answer {
  const { failover } = world.octaviaTraits;
  if (failover === 'forbidden')
    throw octaviaFault(403, 'Policy does not allow this request to be performed.');
  if (lb['provider'] === 'ovn')
    throw octaviaFault(
      501,
      "Provider 'ovn' does not support a requested action: This provider does not support failing over load balancers.",
    );
  requireState(lb, ['ACTIVE', 'ERROR']);
  change(world, lb, {
    failing: failover === 'fails',
    whenDone: () => {
      rebuildVip(world, lb);
    },
  });
  return { status: 202 };
}
