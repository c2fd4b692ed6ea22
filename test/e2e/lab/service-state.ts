/** What became of a Service: the load balancer that carries it, and what it was told. */
import { READY_CONDITION } from '../../../shared/model/ownership.ts';
import type { Condition } from '../../../shared/model/kubernetes.ts';
import { getService } from './kubernetes.ts';
import { loadBalancersOf, loadBalancerTree, type Tree } from './openstack.ts';

/** Empty when there is no such Service, which no tag names. */
export async function uidOf(namespace: string, name: string): Promise<string> {
  return (await getService(namespace, name))?.metadata.uid ?? '';
}

/** Its load balancer with all that is on it; throws while there is none. */
export async function treeOf(namespace: string, name: string): Promise<Tree> {
  const [balancer] = await loadBalancersOf(await uidOf(namespace, name));
  const tree = balancer && (await loadBalancerTree(balancer.id));
  if (!tree) throw new Error(`service ${namespace}/${name} has no load balancer`);
  return tree;
}

export async function readyOf(namespace: string, name: string): Promise<Condition | undefined> {
  const conditions = (await getService(namespace, name))?.status?.conditions ?? [];
  return conditions.find(({ type }) => type === READY_CONDITION);
}
