/** A Service alone on a load balancer decides. A shared one stays as made, but for tags, and a floating IP where all agree; else a Problem. */
import { attributeRule, equalAttribute } from '../../model/attributes.ts';
import { isShared, type Sharing } from '../../model/load-balancer/observed-service.ts';
import { madeForKey } from '../../model/load-balancer/makers-and-sharers.ts';
import {
  mergeUserTags,
  clusterTag,
  describe,
  floatingIPDescription,
  loadBalancerDescription,
  serviceTag,
  sharedTag,
  tagValue,
  type ClusterIdentity,
} from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource, WireResource } from '../../model/resources.ts';
import { ANNOTATIONS, targetOf } from '../intent/annotations.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

interface Whole {
  readonly intent: ServiceIntent | undefined;
  readonly cluster: ClusterIdentity;
  readonly lb: ObservedResource | undefined;
  readonly sharing: Sharing | undefined;
  readonly floatingIP: WireResource | undefined;
}

/** Whether the floating IP is not this Service's to set: on a shared load balancer one is there, not all ask for one, or the maker gives it. */
export function leavesFloatingIP({ sharing, floatingIP }: Pick<Whole, 'sharing' | 'floatingIP'>): boolean {
  const gives = sharing?.agreed === 'external' && sharing.maker !== 'another';
  return isShared(sharing) && (floatingIP !== undefined || !gives);
}

export function desireOfShared(
  resources: readonly DesiredResource[],
  whole: Whole,
): { readonly resources: readonly DesiredResource[]; readonly problems: readonly Problem[] } {
  const { intent, sharing, lb } = whole;
  const isWanted = resources.some(({ kind }) => kind === 'loadbalancer');
  if (!isWanted || !intent) {
    const stays = sharing !== undefined && sharing.others.length > 0;
    return { resources: resources.filter(({ kind }) => !stays || kind !== 'floatingip'), problems: [] };
  }
  const leaves = leavesFloatingIP(whole);
  const maker = lb && madeForKey(lb.wire);
  // a new floating IP is described as the load balancer is named: whoever is the last on it finds it, and takes it along
  const described = maker ? { description: floatingIPDescription(whole.cluster, maker) } : {};
  return {
    resources: [
      ...resources
        .filter(({ kind }) => kind !== 'floatingip' || !leaves)
        .map((one): DesiredResource => {
          if (one.kind === 'loadbalancer') return { ...one, attributes: attributesOf(one, intent, whole) };
          if (one.kind !== 'floatingip' || !('description' in one.attributes)) return one;
          return { ...one, attributes: { ...one.attributes, ...described } };
        }),
      ...(leaves && sharing?.agreed !== 'internal' ? keptAsItIs(intent, whole) : []),
    ],
    problems: lb && isShared(sharing) ? problemsOf(intent, lb, whole) : [],
  };
}

function keptAsItIs(
  { service }: ServiceIntent,
  { cluster, sharing, floatingIP }: Whole,
): readonly DesiredResource[] {
  if (!floatingIP) return [];
  const tags =
    sharing?.maker === 'this'
      ? [clusterTag(cluster), serviceTag(service.metadata.uid)]
      : (floatingIP['tags'] as readonly string[]);
  return [{ kind: 'floatingip', address: 'floatingip', ifPresent: true, attributes: { tags } }];
}

/** A shared load balancer is only up, and has all present tags with those of this Service. */
function attributesOf(
  { attributes }: DesiredResource,
  { annotated, service }: ServiceIntent,
  { cluster, lb, sharing }: Whole,
): DesiredResource['attributes'] {
  const { loadBalancerName: name } = annotated.Service;
  const { tags = [] } = attributes as { readonly tags?: readonly string[] };
  const own = [...tags, ...(name === undefined ? [] : [sharedTag(service.metadata.namespace, name)])];
  if (!lb) return { ...attributes, tags: own };
  if (!isShared(sharing)) {
    const maker = madeForKey(lb.wire);
    const described =
      maker && describe(annotated.Service.description, loadBalancerDescription(cluster.name, maker));
    return { ...attributes, ...(described ? { description: described } : {}), tags: own };
  }
  const isMade = sharing?.maker === 'this';
  const isOf = (tag: string, ...of: readonly string[]): boolean =>
    of.some((name) => tagValue([tag], name) !== undefined);
  const present = ((lb.wire['tags'] ?? []) as readonly string[]).filter(
    (tag) => !isOf(tag, 'owner', ...(isMade ? ['service'] : [])),
  );
  const merged = mergeUserTags(
    present,
    own.filter((tag) => !isOf(tag, 'set', ...(isMade ? [] : ['service']))),
  );
  const all = [...merged.observed, ...merged.desired, ...(sharing?.missingTags ?? [])];
  const isUp = lb.whose === 'foreign' ? {} : { admin_state_up: true };
  return { ...isUp, tags: [...new Set(all)] };
}

/** A Problem for each setting that a shared load balancer does not have. What it does not show of its maker's was followed when it was made. */
function problemsOf(
  { service, internal }: ServiceIntent,
  { wire: loadBalancer, whose }: ObservedResource,
  { sharing, floatingIP }: Whole,
): readonly Problem[] {
  const { others = [] } = sharing ?? {};
  const why =
    others.length === 0
      ? 'a person made it'
      : `${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} on it`;
  const problem = (field: string, value: string): Problem => ({
    field,
    value,
    message: `is ignored: load balancer ${loadBalancer.id} stays as it is made, since ${why}`,
  });
  const isMade = sharing?.maker === 'this';
  const { annotations = {} } = service.metadata;
  const ofAnnotations = ANNOTATIONS.flatMap((row) => {
    const [name = ''] = row.names.filter((one) => annotations[one] !== undefined);
    const text = annotations[name];
    const [kind] = targetOf(row) ?? [];
    if (text === undefined || (kind !== 'loadbalancer' && kind !== 'floatingip')) return [];
    const parsed = row.parse(text);
    const wire = kind === 'floatingip' ? floatingIP : loadBalancer;
    if (row.on === 'Service' || !('value' in parsed) || !wire || !(row.sets in wire))
      return isMade ? [] : [problem(name, text)];
    const rule = attributeRule(row.on as 'loadbalancer', row.sets);
    return equalAttribute(rule, parsed.value, wire[row.sets]) ? [] : [problem(name, text)];
  });
  const { loadBalancerIP } = service.spec;
  const addresses = [floatingIP?.['floating_ip_address'], loadBalancer['vip_address']];
  const problems = [...ofAnnotations];
  if (loadBalancerIP && !addresses.includes(loadBalancerIP))
    problems.push(problem('spec.loadBalancerIP', loadBalancerIP));
  if (internal && floatingIP && sharing?.agreed !== 'internal') {
    // it exposes every Service that shares the load balancer (docs/sources/occm.md, "Sharing")
    const when = whose === 'foreign' ? 'a person decides about' : 'goes when all who share it are internal';
    const message = `cannot be met: the load balancer is shared and has the floating IP ${String(floatingIP['floating_ip_address'])}, which ${when}`;
    const field = 'service.beta.kubernetes.io/openstack-internal-load-balancer';
    problems.push({ field, value: 'true', message });
  }
  if (!internal && !floatingIP && sharing?.agreed !== 'external') {
    const message = `has no floating IP, and gets none, since ${why}: this Service can be reached at the VIP only, from inside`;
    problems.push({ field: 'load balancer', value: loadBalancer.id, message });
  }
  return problems;
}
