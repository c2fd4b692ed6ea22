import { rulesHoldSourceRanges } from '../../model/load-balancer/octavia.ts';
import type { Config } from '../../config/config.ts';
import type { CertificateInUse } from '../../model/tls/certificate-facts.ts';
import {
  hasOnlyPods,
  podAddresses,
  type Endpoints,
  type ObservedService,
} from '../../model/load-balancer/observed-service.ts';
import type { Node, Service } from '../../model/kubernetes.ts';
import { memberSubnetOf, servedFamilies } from '../../model/network/network-facts.ts';
import type { JudgedNodes } from '../../model/node/judged-nodes.ts';
import { attributeRule } from '../../model/attributes.ts';
import { setTags, type ClusterIdentity } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import type { DesiredResource, Member, ResourceKind } from '../../model/resources.ts';
import { NODE_SELECTOR_ANNOTATION } from '../intent/annotations.ts';
import { fieldOf } from '../intent/effective-values.ts';
import { addressProblems, notTaken, keepsFamily, secondFamilyOf, selectNodes } from './member-nodes.ts';
import { desireFloatingIP, keptFloatingIP } from './desire-floating-ip.ts';
import {
  uselessSettings,
  withinCapabilities,
  familyProblems,
  networkProblems,
} from './what-this-cloud-can-do.ts';
import { desireMembers } from './desire-members.ts';
import { desirePort } from './desire-port.ts';
import { desireLoadBalancer, loadBalancerIPProblems } from './desire-load-balancer.ts';
import { nodeSet } from '../../model/node/node-set.ts';
import { desireSecurityGroup, unguarded } from './desire-security-group.ts';
import {
  certificateQuestion,
  secretsOf,
  desireStored,
  watchCertificates,
  type ServedSecrets,
} from './certificates.ts';
import { allowedRanges } from '../intent/source-ranges.ts';
import { readIntent, withFamilies, type ServiceIntent } from '../intent/service-intent.ts';
import { fingerprint } from '../../model/json.ts';

export interface DesireInput extends Pick<
  ObservedService,
  'facts' | 'octavia' | 'offers' | 'certificates' | 'horizon' | 'localNodes'
> {
  readonly intent: ServiceIntent | undefined;
  /** False: the Service leaves its load balancer, and at most its kept floating IP is desired. */
  readonly wanted: boolean;
  /** Whether the load balancer is another Service's or a user's own, so that the floating IP is not this Service's. */
  readonly joins: boolean;
  readonly nodes: readonly Node[];
  readonly judged: JudgedNodes;
  readonly cluster: ClusterIdentity;
  readonly endpoints: Endpoints | undefined;
  readonly secrets: ServedSecrets;
}

export interface Desired {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
  /** No node can be a member, so pools of nodes keep the members that they have (decision 420). */
  readonly keepMembers: boolean;
  /** The desired rules are not known, so the security group stays as it is. */
  readonly keepSecurityGroup: boolean;
  readonly withoutAddress: readonly string[];
  readonly certificates: readonly CertificateInUse[];
}

/** What is desired for one Service, by itself: at most its kept floating IP if it leaves its load balancer or is gone. Pure. */
export function desireObject(input: DesireInput, config: Config): Desired {
  const { cluster, facts, octavia, joins, endpoints = [], localNodes, certificates, secrets } = input;
  if (!input.intent || !input.wanted)
    return {
      resources: input.intent?.keepFloatingip ? [keptFloatingIP(input.intent, cluster)] : [],
      problems: [],
      keepMembers: false,
      keepSecurityGroup: false,
      withoutAddress: [],
      certificates: [],
    };
  const served = servedFamilies(input.intent, facts, octavia);
  const intent = withFamilies(input.intent, served);
  const memberSubnet = memberSubnetOf(facts, intent.family);
  const { nodes: selected, mistake } = selectNodes(input.nodes, intent.nodeSelector ?? {});
  const { reachable, withoutAddress } = nodeSet(selected, memberSubnet, intent.family);
  const second = secondFamilyOf(intent, selected, reachable, facts);
  const balancer = desireLoadBalancer(intent, input, cluster, config);
  const { lbProvider: provider, containerStore: store } = config.loadBalancer;
  const floating = joins ? { resources: [], problems: [] } : desireFloatingIP(intent, facts, cluster);
  const isOfAll = reachable.length === 0 || (second?.nodes ?? []).length > 0;
  const group = config.loadBalancer.manageSecurityGroups
    ? desireSecurityGroup(
        isOfAll ? intent : { ...intent, families: [intent.family] },
        { nodes: reachable, endpoints },
        facts,
        cluster,
        config.loadBalancer,
      )
    : { resources: [], problems: [], keep: false };
  const holds = rulesHoldSourceRanges(config.loadBalancer);
  const asked = holds ? { ...intent, allowed_cidrs: null } : intent;
  const ports = intent.ports.map((port) => {
    const secondFamily = keepsFamily(port.transport, provider) ? second : undefined;
    const named = intent.annotated.Service.memberSubnetId;
    const behind = { nodes: reachable, memberSubnet, secondFamily, localNodes, endpoints, named };
    const members = desireMembers(port, behind);
    return desirePort(port, members, { intent: asked, cluster, store, certificates, secrets });
  });
  const open = holds ? unguarded(intent, facts, config.loadBalancer) : [];
  const isOpen = ({ kind, attributes }: DesiredResource): boolean =>
    kind === 'member' && open.includes((attributes as Partial<Member>).address ?? '');
  const watched = watchCertificates(intent, { certificates, secrets }, input.horizon);
  const able = withinCapabilities(
    [balancer.loadBalancer, ...ports.flatMap(({ resources }) => resources)],
    { ...octavia, provider },
    intent.ports,
  );
  const nodes = [...reachable, ...(second?.nodes ?? [])].map(({ address }) => address);
  const reached = [...(hasOnlyPods(intent.service) ? [] : nodes), ...podAddresses(endpoints)];
  return {
    resources: [
      ...desireStored(intent, cluster, secrets),
      ...able.resources
        .map(withSetRecord)
        .map((one) => (isOpen(one) ? { ...one, ifPresent: true as const } : one)),
      ...floating.resources,
      ...group.resources,
    ],
    problems: [
      ...able.problems,
      ...intent.problems,
      ...intent.rangeProblems,
      ...(mistake ? [{ field: fieldOf(NODE_SELECTOR_ANNOTATION, intent), ...mistake }] : []),
      ...addressProblems(input.judged, reached),
      ...notTaken(
        selected,
        memberSubnet,
        reachable.map(({ address }) => address),
      ),
      ...ports.flatMap(({ problems }) => problems),
      ...floating.problems,
      ...group.problems,
      ...balancer.problems,
      ...networkProblems(intent, { facts, octavia, served }, config),
      ...familyProblems(input.intent, facts, octavia, joins),
      ...watched.problems,
      ...uselessSettings(intent),
    ],
    keepMembers:
      reachable.length === 0 &&
      able.resources.some(({ kind, mayBeEmpty }) => kind === 'pool' && mayBeEmpty !== true),
    keepSecurityGroup: group.keep,
    withoutAddress,
    certificates: watched.inUse,
  };
}

/** The Problems of manifest and configuration in the words of a run, each once. A run may find more. */
export function manifestProblems(service: Service, config: Config): readonly Problem[] {
  const intent = readIntent(service, config);
  const { references } = certificateQuestion(intent, config);
  // a manifest that names no family gets one from the apiserver, so its ranges and its address may be of either
  const families = (service.spec.ipFamilies ?? []).length > 0 ? intent.families : ([4, 6] as const);
  const allFound = {
    intent,
    cluster: { id: '', name: '' },
    store: config.loadBalancer.containerStore,
    certificates: { references: new Map(references.map(({ id }) => [id, { ref: id }])) },
    secrets: new Map(secretsOf(intent).map((name) => [name, { fingerprint: '' }])),
  };
  const found = [
    ...intent.problems,
    ...(intent.ranges ? allowedRanges(intent.ranges, families).problems : []),
    ...loadBalancerIPProblems(service, families),
    ...intent.ports.flatMap((port) => desirePort(port, { members: [], problems: [] }, allFound).problems),
    ...uselessSettings(intent),
  ];
  return [...new Map(found.map((one) => [`${one.field}\n${one.value}\n${one.message}`, one])).values()];
}

/** A tag records which attributes levelset set on request (an annotation). shared/plan reads it back (decision 2). */
function withSetRecord<K extends ResourceKind>(resource: DesiredResource<K>): DesiredResource<K> {
  const recorded = Object.keys(resource.attributes)
    .filter((attribute) => attributeRule(resource.kind, attribute).unset !== undefined)
    .sort();
  if (recorded.length === 0) return resource;
  const { tags = [] } = resource.attributes as { readonly tags?: readonly string[] };
  return { ...resource, attributes: { ...resource.attributes, tags: [...tags, ...setTags(recorded)] } };
}

/** The hash for a settled record. It covers also the Problems that may change although the Service does not. */
export function hashOf(
  { resources, problems }: Pick<Desired, 'resources' | 'problems'>,
  approved: readonly string[],
  sharedName?: string,
): string {
  const shown = problems.flatMap(({ passing, field, value, message }) =>
    passing ? [[field, value, message]] : [],
  );
  const parts = [
    ...(approved.length > 0 ? [approved] : []),
    ...(shown.length > 0 ? [shown] : []),
    ...(sharedName === undefined ? [] : [[sharedName]]),
  ];
  return fingerprint(parts.length > 0 ? [resources, ...parts] : resources);
}
