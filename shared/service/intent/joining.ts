/** Which load balancer a Service asks to be on together with others, and what it is told when it cannot (decision 20). */
import type { Config } from '../../config/config.ts';
import type { JoinWish } from '../../model/load-balancer/joining.ts';
import { LOAD_BALANCER_ADDRESS, sharedTag } from '../../model/ownership.ts';
import { mayJoin } from '../../model/load-balancer/reach.ts';
import type { Wishes } from './wishes.ts';

/** What observe has to know to find it. */
export function joinWish(wishes: Wishes, config: Config): JoinWish {
  const { loadBalancerId: id = '', loadBalancerName: name } = wishes.annotated.Service;
  const { namespace, annotations = {} } = wishes.service.metadata;
  return {
    ...(id === '' ? {} : { id }),
    noted: annotations[LOAD_BALANCER_ADDRESS] !== undefined,
    ...(name === undefined ? {} : { tag: sharedTag(namespace, name) }),
    internal: wishes.internal,
    limit: config.loadBalancer.maxSharedLb,
    hasConsent: (loadBalancer) => mayJoin(config, namespace, loadBalancer),
  };
}
