/** Which load balancer a Service asks to be on together with others, and what it is told when it cannot (decision 20). */
import type { Config } from '../../config/config.ts';
import type { JoinIntent } from '../../model/load-balancer/shared-load-balancer.ts';
import { LOAD_BALANCER_ADDRESS, sharedTag } from '../../model/ownership.ts';
import { mayJoin } from '../../model/load-balancer/reach.ts';
import type { ServiceIntent } from './service-intent.ts';

/** What observe has to know to find it. */
export function joinIntent(intent: ServiceIntent, config: Config): JoinIntent {
  const { loadBalancerId: id = '', loadBalancerName: name } = intent.annotated.Service;
  const { namespace, annotations = {} } = intent.service.metadata;
  return {
    ...(id === '' ? {} : { id }),
    noted: annotations[LOAD_BALANCER_ADDRESS] !== undefined,
    ...(name === undefined ? {} : { tag: sharedTag(namespace, name) }),
    internal: intent.internal,
    limit: config.loadBalancer.maxSharedLb,
    hasConsent: (loadBalancer) => mayJoin(config, namespace, loadBalancer),
  };
}
