/** Why a Service is not on the load balancer that it names, or on none at all. */
import { outOfReach } from '../../model/load-balancer/reach.ts';
import type { NotJoined } from '../../model/load-balancer/shared-load-balancer.ts';
import { LOAD_BALANCER_ID, LOAD_BALANCER_NAME } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

const UNTIL = 'levelset changes nothing until then';

/** Why the Service is not on the load balancer that it names. All reasons but has-another block the Service. */
const WORDS: Readonly<Record<NotJoined['because'], (not: NotJoined) => string>> = {
  missing: () =>
    `is no load balancer that the project of cloud.conf sees: name another one, or remove the annotation to get a load balancer of its own; ${UNTIL}`,
  'other-cluster': ({ id }) =>
    `is load balancer ${id ?? ''}, which another cluster uses, and clusters do not share load balancers: name another one; ${UNTIL}`,
  'other-name': ({ id = '', key, names: [made = ''] = [] }) =>
    `is not in the name of load balancer ${id}, to which ${key.namespace}/${key.name} leads: the Go provider made it in a cluster named ${made}; give --cluster-name ${made} if that is this cluster; else rename the load balancer, or take the annotation load-balancer-id off where that leads there; ${UNTIL}`,
  'no-consent': ({ id = '', key }) =>
    `was not made for a Service of this namespace: load balancer ${id} ${outOfReach(key.namespace, 'loadbalancer', id)}, or its owner by the tag levelset-allow=${key.namespace} on it; ${UNTIL}`,
  full: ({ id, others = [] }) =>
    `is load balancer ${id ?? ''}, which is shared by ${others.join(', ')} already, as many as max-shared-lb of cloud.conf allows; levelset changes nothing until there is room`,
  external: ({ id }) =>
    `is load balancer ${id ?? ''}, which has a floating IP: this Service is internal, and would be open to the outside; levelset changes nothing while both is so`,
  'has-another': ({ id }) =>
    `names another load balancer than ${id ?? ''}, at whose address the Service is; levelset leaves it there, since its address would change; to move it, delete the Service and make it again`,
};

export function joiningProblems(
  not: NotJoined | undefined,
  intent: ServiceIntent | undefined,
): readonly Problem[] {
  if (!not || !(intent ?? not.names)) return [];
  const { loadBalancerName } = intent?.annotated.Service ?? {};
  const named = loadBalancerName === undefined ? LOAD_BALANCER_ID : LOAD_BALANCER_NAME;
  const problem: Problem = {
    field: not.names ? '--cluster-name' : named,
    value: not.names?.[1] ?? loadBalancerName ?? not.named,
    message: WORDS[not.because](not),
  };
  return [not.because === 'has-another' ? problem : { ...problem, blocking: true }];
}

/** The Problem that several load balancers could be the Service's: levelset takes none of them, and makes none. */
export function ambiguityProblems(ids: readonly string[] = []): readonly Problem[] {
  if (ids.length === 0) return [];
  const message = `could all be this Service's, by name and address: name one in the annotation loadbalancer.openstack.org/load-balancer-id; levelset changes nothing until then`;
  return [{ field: 'load balancer', value: ids.join(', '), message, blocking: true }];
}
