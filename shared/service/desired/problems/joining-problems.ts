import type { NotJoined } from '../../../model/load-balancer/shared-load-balancer.ts';
import { outOfReach } from '../../../model/load-balancer/reach.ts';
import { LOAD_BALANCER_ID, LOAD_BALANCER_NAME } from '../../../model/ownership.ts';
import type { Problem } from '../../../model/plan.ts';
import type { ServiceIntent } from '../../intent/service-intent.ts';

const UNTIL = 'nothing is changed until then';

/** Why it is not on that load balancer. All but the last one stop the Service: another one would not be what it asks for. */
const WORDS: Readonly<Record<NotJoined['because'], (not: NotJoined) => string>> = {
  missing: () =>
    `is no load balancer that the project of cloud.conf can see: name another one, or take the annotation away for one of its own; ${UNTIL}`,
  'other-cluster': ({ id }) =>
    `is load balancer ${id ?? ''}, which another cluster uses, and clusters do not share: name another one; nothing is changed`,
  'no-consent': ({ id = '', key }) =>
    `was not made for a Service of this namespace: load balancer ${id} ${outOfReach(key.namespace, 'loadbalancer', id)}, or its owner by the tag levelset-allow=${key.namespace} on it; ${UNTIL}`,
  full: ({ id, others = [] }) =>
    `is load balancer ${id ?? ''}, which is shared by ${others.join(', ')} already, as many as max-shared-lb of cloud.conf allows; nothing is changed until there is room`,
  external: ({ id }) =>
    `is load balancer ${id ?? ''}, which has a floating IP: this Service is internal, and would be open to the outside; nothing is changed while both are so`,
  'has-another': ({ id }) =>
    `asks for another load balancer than ${id ?? ''}, at whose address the Service is: it stays there, since its address would change; delete the Service and make it again to move it`,
};

export function joiningProblems(
  not: NotJoined | undefined,
  intent: ServiceIntent | undefined,
): readonly Problem[] {
  if (!not || !intent) return [];
  const { loadBalancerName } = intent.annotated.Service;
  const problem: Problem = {
    field: loadBalancerName === undefined ? LOAD_BALANCER_ID : LOAD_BALANCER_NAME,
    value: loadBalancerName ?? not.asked,
    message: WORDS[not.because](not),
  };
  return [not.because === 'has-another' ? problem : { ...problem, blocking: true }];
}
