import { attributeRule } from '../../../model/attributes.ts';
import { equalAttribute } from '../../../model/equality.ts';
import type { Problem } from '../../../model/plan.ts';
import type { WireResource } from '../../../model/resources.ts';
import { madeForKey, textOf } from '../../../model/load-balancer/shared-load-balancer.ts';
import { ANNOTATIONS } from '../../intent/annotations.ts';
import type { AnnotationRow } from '../../intent/annotation-row.ts';
import type { ServiceIntent } from '../../intent/service-intent.ts';

/** What concerns the load balancer as a whole, and is asked for in vain by who only joins it. */
export function joinersProblems(
  { service, internal }: ServiceIntent,
  loadBalancer: WireResource,
  floatingIP: WireResource | undefined,
): readonly Problem[] {
  const owner = textOf(madeForKey(loadBalancer)) ?? 'who made it';
  const problem = (field: string, value: string): Problem => ({
    field,
    value,
    message: `has no effect: that of load balancer ${loadBalancer.id}, which is shared, is for ${owner} to say`,
  });
  const { annotations = {} } = service.metadata;
  const ofAnnotations = ANNOTATIONS.flatMap((row) => {
    const [name = ''] = row.names.filter((one) => annotations[one] !== undefined);
    const text = annotations[name];
    if (text === undefined || !isOfTheWhole(row)) return [];
    const parsed = row.parse(text);
    const wire = row.on === 'floatingip' ? floatingIP : loadBalancer;
    const isSo =
      row.on !== 'Service' &&
      'value' in parsed &&
      wire !== undefined &&
      row.sets in wire &&
      equalAttribute(attributeRule(row.on as 'loadbalancer', row.sets), parsed.value, wire[row.sets]);
    return isSo ? [] : [problem(name, text)];
  });
  const { loadBalancerIP } = service.spec;
  const addresses = [floatingIP?.['floating_ip_address'], loadBalancer['vip_address']];
  const isElsewhere = loadBalancerIP && !addresses.includes(loadBalancerIP);
  return [
    ...ofAnnotations,
    ...(isElsewhere ? [problem('spec.loadBalancerIP', loadBalancerIP)] : []),
    ...(internal && floatingIP ? [exposed(String(floatingIP['floating_ip_address']))] : []),
    ...(!internal && !floatingIP ? [hidden(loadBalancer, owner)] : []),
  ];
}

/** Settings of a Service that are about its load balancer or its floating IP. */
const OF_THE_WHOLE: readonly string[] = [
  'additionalVipSubnetIds',
  'description',
  'flavor',
  'floatingSubnet',
  'floatingSubnetTags',
  'tags',
];

function isOfTheWhole({ on, sets }: AnnotationRow): boolean {
  return on === 'loadbalancer' || on === 'floatingip' || (on === 'Service' && OF_THE_WHOLE.includes(sets));
}

/** Who can be reached from where is the load balancer's, and all on it share it (openstack-ccm.md, #2675). */
function exposed(address: string): Problem {
  const message = `cannot be kept: the load balancer that it shares has the floating IP ${address}`;
  return { field: 'service.beta.kubernetes.io/openstack-internal-load-balancer', value: 'true', message };
}

function hidden({ id }: WireResource, owner: string): Problem {
  const message = `has no floating IP, which is for ${owner} to say: this Service is reached at the VIP, from inside`;
  return { field: 'load balancer', value: id, message };
}
