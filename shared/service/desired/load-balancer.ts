import type { Config } from '../../config/config.ts';
import {
  describe,
  clusterTag,
  loadBalancerDescription,
  loadBalancerName,
  nameTag,
  serviceTag,
} from '../../model/ownership.ts';
import type { NetworkFacts } from '../../model/network/network-facts.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import { keyOf } from '../../model/request.ts';
import type { DesiredResource, LoadBalancer } from '../../model/resources.ts';
import { userTags } from '../../model/load-balancer/user-tags.ts';
import { withSetRecord } from './set-record.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

/** `placed`: where its VIPs are, and what of the cloud's offers it is made of. */
export function desireLoadBalancer(
  { service, annotated }: ServiceIntent,
  placed: Partial<LoadBalancer>,
  { cluster, facts }: { readonly cluster: ClusterIdentity; readonly facts: NetworkFacts },
  config: Config,
): DesiredResource<'loadbalancer'> {
  const { vip_qos_policy_id, vip_sg_ids } = annotated.loadbalancer;
  const { description, tags } = annotated.Service;
  const key = keyOf(service);
  const name = loadBalancerName(cluster.name, key);
  return withSetRecord<'loadbalancer'>({
    kind: 'loadbalancer',
    address: 'lb',
    attributes: {
      name,
      description: describe(description, loadBalancerDescription(cluster.name, key)),
      provider: config.loadBalancer.lbProvider,
      admin_state_up: true,
      ...placed,
      ...(vip_qos_policy_id === undefined || facts.noQosPolicy ? {} : { vip_qos_policy_id }),
      ...(vip_sg_ids === undefined ? {} : { vip_sg_ids }),
      tags: [
        clusterTag(cluster),
        serviceTag(service.metadata.uid),
        nameTag(key),
        name,
        ...userTags(key, tags),
      ],
    },
  });
}
