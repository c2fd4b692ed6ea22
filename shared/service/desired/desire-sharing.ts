import {
  clusterTag,
  hasTag,
  TAG_PREFIX,
  loadBalancerName,
  nameTag,
  sharedTag,
  tagValue,
  LOAD_BALANCER_ID,
  LOAD_BALANCER_NAME,
} from '../../model/ownership.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { keyOf } from '../../model/request.ts';
import type { DesiredResource, WireResource } from '../../model/resources.ts';
import {
  absentOwner,
  hasLostAddress,
  madeForKey,
  textOf,
} from '../../model/load-balancer/shared-load-balancer.ts';
import type { Sharing, NotJoined } from '../../model/load-balancer/shared-load-balancer.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';
import { attributeRule } from '../../model/attributes.ts';
import { equalAttribute } from '../../model/equality.ts';
import { ANNOTATIONS } from '../intent/annotations.ts';
import { targetOf } from '../intent/annotation-row.ts';
import type { AnnotationRow } from '../intent/annotation-row.ts';
import { outOfReach } from '../../model/load-balancer/reach.ts';

interface SharingContext {
  readonly intent: ServiceIntent | undefined;
  readonly cluster: ClusterIdentity;
  readonly loadBalancer: WireResource | undefined;
  readonly sharing: Sharing | undefined;
  /** The floating IP on the VIP port of the load balancer. */
  readonly floatingIP: WireResource | undefined;
}

interface DesiredSharing {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
}

/**
 * The resources as sharing allows them. The owner of a load balancer keeps all, and sets the tags by which others find
 * the load balancer. A Service that joins one sets only tags on it, and leaves the floating IP alone. A Service that
 * leaves while others stay leaves the floating IP to them.
 */
export function desireSharing(
  resources: readonly DesiredResource[],
  context: SharingContext,
): DesiredSharing {
  const { intent, sharing, loadBalancer } = context;
  const isWanted = resources.some(({ kind }) => kind === 'loadbalancer');
  if (!isWanted || !intent) {
    const stays = sharing !== undefined && sharing.others.length > 0;
    return { resources: resources.filter(({ kind }) => !stays || kind !== 'floatingip'), problems: [] };
  }
  if (!loadBalancer || sharing?.role !== 'joiner') {
    return { resources: resources.map((one) => withOwnersTags(one, intent, context)), problems: [] };
  }
  const gets = hasLostAddress(sharing, loadBalancer, context.floatingIP);
  return {
    resources: resources.flatMap((one) => {
      if (one.kind === 'floatingip') return gets ? [one] : [];
      return [one.kind === 'loadbalancer' ? { ...one, attributes: joinersTags(intent, context) } : one];
    }),
    problems: gets ? [] : joinersProblems(intent, loadBalancer, context.floatingIP),
  };
}

/** The owner's load balancer with the tags by which other Services find it, and the tags that name those Services. */
function withOwnersTags(
  resource: DesiredResource,
  { annotated, service }: ServiceIntent,
  { loadBalancer, sharing }: SharingContext,
): DesiredResource {
  if (resource.kind !== 'loadbalancer') return resource;
  const { loadBalancerName: name } = annotated.Service;
  const { tags = [] } = resource.attributes as { readonly tags?: readonly string[] };
  const isShared = sharing !== undefined && sharing.others.length > 0;
  const more = [
    ...(name === undefined ? [] : [sharedTag(service.metadata.namespace, name)]),
    ...(isShared ? tagsOf(loadBalancer).filter((tag) => tagValue([tag], 'shared') !== undefined) : []),
    ...(sharing?.missingTags ?? []),
  ];
  return { ...resource, attributes: { ...resource.attributes, tags: [...new Set([...tags, ...more])] } };
}

/** All present tags, the tags of the Service that joins, and the owner's tag if the owner has left. */
function joinersTags(
  { service }: ServiceIntent,
  { cluster, loadBalancer, sharing }: SharingContext,
): DesiredResource['attributes'] {
  const key = keyOf(service);
  const own = [clusterTag(cluster), nameTag(key), loadBalancerName(cluster.name, key)];
  const missingTags = sharing?.missingTags ?? [];
  const there = [...tagsOf(loadBalancer), ...own, ...missingTags];
  const owner = loadBalancer ? absentOwner({ ...loadBalancer, tags: there }, cluster) : [];
  return { tags: [...new Set([...there, ...owner])] };
}

function tagsOf(loadBalancer: WireResource | undefined): readonly string[] {
  return (loadBalancer?.['tags'] ?? []) as readonly string[];
}

/**
 * One Problem for each setting of the load balancer as a whole that a joining Service cannot have, since the owner
 * decides it. A setting that the load balancer has already is none. An internal Service on a load balancer with a
 * floating IP is a Problem, and so is an external one without.
 */
function joinersProblems(
  { service, internal }: ServiceIntent,
  loadBalancer: WireResource,
  floatingIP: WireResource | undefined,
): readonly Problem[] {
  const maker = textOf(madeForKey(loadBalancer));
  const hasLeft = maker !== undefined && hasTag(loadBalancer['tags'], `${TAG_PREFIX}owner=${maker}`);
  const owner = hasLeft ? 'its owner, which has left it,' : (maker ?? 'its owner');
  const problem = (field: string, value: string): Problem => ({
    field,
    value,
    message: `is ignored: load balancer ${loadBalancer.id} is shared, and ${owner} decides this for all`,
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

/** Whether an annotation sets the load balancer as a whole, or its floating IP. */
function isOfTheWhole(row: AnnotationRow): boolean {
  const [kind] = targetOf(row) ?? [];
  return kind === 'loadbalancer' || kind === 'floatingip';
}

/** The load balancer's floating IP exposes every Service that shares it (docs/sources/go-provider.md, "Sharing"). */
function exposed(address: string): Problem {
  const message = `cannot be met: the load balancer is shared and has the floating IP ${address}`;
  return { field: 'service.beta.kubernetes.io/openstack-internal-load-balancer', value: 'true', message };
}

function hidden({ id }: WireResource, owner: string): Problem {
  const message = `has no floating IP, which ${owner} decides: this Service can be reached at the VIP only, from inside`;
  return { field: 'load balancer', value: id, message };
}

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
