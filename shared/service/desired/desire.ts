import type { Node } from '../../model/kubernetes.ts';
import {
  withoutPodsAt,
  type Endpoints,
  type ObservedService,
  type NotJoined,
} from '../../model/load-balancer/observed-service.ts';
import { LOAD_BALANCER_ID, LOAD_BALANCER_NAME, type ClusterIdentity } from '../../model/ownership.ts';
import { withoutAddresses, type JudgedNodes } from '../../model/node/judged-nodes.ts';
import type { Depth, ServiceObject } from '../../model/service-object.ts';
import type { Reading, ServiceIntent } from '../intent/service-intent.ts';
import { addressesKeptOut, portsKeptOut, showsMembers, waitingProblem } from './member-nodes.ts';
import { desireObject, type Desired, type DesireInput } from './desire-service.ts';
import { servedSecrets } from './certificates.ts';
import { desireOfShared, leavesFloatingIP } from './shared-whole.ts';
import { outOfReach } from '../../model/load-balancer/reach-and-limits.ts';
import type { Problem } from '../../model/plan.ts';

interface ComparedService {
  readonly object: ServiceObject;
  readonly cluster: ClusterIdentity;
  readonly nodes: readonly Node[];
  readonly judged: JudgedNodes;
  readonly depth: Depth;
  readonly reading: Reading;
  readonly observed: ObservedService;
}

export interface DesiredService {
  /** What is desired for the Service by itself, whoever shares the load balancer. The settled record covers this. */
  readonly own: Desired;
  /** The same as far as sharing allows it on the present load balancer, for the plan. */
  readonly here: DesiredHere;
}

interface DesiredHere extends Desired {
  /** Hashes of the changes that the Service approves, sorted. */
  readonly approved: readonly string[];
  readonly readOtherwise?: ReadonlySet<string> | undefined;
  readonly internalByConfig?: boolean;
  /** What is desired of a load balancer that takes this one's place; absent unless some change is approved. */
  readonly another?: Desired;
}

/** What should be there for one Service. Nodes and Pods at addresses that are kept out count for the settled record, not for the plan. */
export function desire(asked: ComparedService): DesiredService {
  const { nodes, judged, observed, depth } = asked;
  const { endpoints, resources } = observed;
  const keptOut = addressesKeptOut(judged, resources);
  const left = (addresses: readonly string[] = []): readonly string[] =>
    addresses.filter((address) => !keptOut.has(address));
  const { withoutPort, unfiltered, onStrangeServer } = observed.facts;
  // what the facts say of addresses that are no members' does not count
  const ofMembers = {
    withoutPort: left(withoutPort),
    unfiltered: left(unfiltered),
    onStrangeServer: left(onStrangeServer),
  };
  const given = { ...asked, observed: { ...observed, facts: { ...observed.facts, ...ofMembers } } };
  const all = desireWith(given, nodes, endpoints);
  if (keptOut.size === 0) return all;
  if (!showsMembers(observed.loadBalancer, depth)) {
    const ports = portsKeptOut(keptOut, resources);
    return {
      ...all,
      here: { ...all.here, resources: all.here.resources.filter(({ address }) => !ports.has(address)) },
    };
  }
  const pods = endpoints && withoutPodsAt(endpoints, keptOut);
  const { own, here } = desireWith(given, withoutAddresses(nodes, keptOut), pods);
  const joining = all.here.resources.flatMap(({ kind, attributes }) =>
    kind === 'member' && 'address' in attributes && keptOut.has(attributes.address) ? attributes.address : [],
  );
  const problems = [...all.here.problems, ...waitingProblem(judged, joining)];
  return { own: { ...all.own, keepMembers: own.keepMembers }, here: { ...here, problems } };
}

function desireWith(
  { object, cluster, judged, reading, observed }: ComparedService,
  all: readonly Node[],
  endpoints: Endpoints | undefined,
): DesiredService {
  const { intent, config, asNew, approved, readOtherwise } = reading;
  const { loadBalancer, sharing, resources, ifReplaced } = observed;
  const there = new Set(resources.map(({ kind, wire }) => (kind === 'member' ? wire['address'] : undefined)));
  const isMember = ({ status }: Node): boolean | undefined =>
    status?.addresses?.some(({ address }) => there.has(address));
  const nodes = intent && !intent.nodeSelector ? all.filter(isMember) : all;
  const floatingIP = resources.find(
    ({ kind, wire }) => kind === 'floatingip' && wire['port_id'] === loadBalancer?.['vip_port_id'],
  )?.wire;
  const isAlone = !sharing || (sharing.decides && sharing.maker === 'this');
  const input: DesireInput = {
    ...observed,
    intent,
    wanted: object.wanted,
    joins: !isAlone && leavesFloatingIP({ sharing, floatingIP }),
    nodes,
    judged,
    secrets: servedSecrets(observed.secrets, resources, observed.horizon.now),
    endpoints,
    cluster,
  };
  const alone = desireObject(input, config);
  const own = { ...alone, problems: [...(observed.unread ?? []), ...alone.problems] };
  const lb = resources.find(({ kind }) => kind === 'loadbalancer');
  const shared =
    isAlone && intent?.annotated.Service.loadBalancerName === undefined
      ? { resources: own.resources, problems: [] }
      : desireOfShared(own.resources, { intent, cluster, lb, sharing, floatingIP });
  // levelset takes none of them, and makes none
  const ids = observed.ambiguous ?? [];
  const message = `each could be this Service's, by name and address: name one in the annotation loadbalancer.openstack.org/load-balancer-id; until then the Service is blocked`;
  const ambiguous = { field: 'load balancer', value: ids.join(', '), message, blocking: true as const };
  const problems = [
    ...own.problems,
    ...(ids.length === 0 ? [] : [ambiguous]),
    ...joiningProblems(observed.notJoined, intent),
    ...shared.problems,
  ];
  const another = ifReplaced && { another: desireObject({ ...input, ...ifReplaced }, asNew) };
  const byConfig = intent?.internalByConfig === true || sharing?.byConfig === true;
  const internalByConfig = object.wanted && byConfig;
  const here = { ...own, resources: shared.resources, problems, approved, internalByConfig, readOtherwise };
  return { own, here: { ...here, ...another } };
}

const UNTIL = 'until then the Service is blocked';

/** Why the Service is not on the load balancer that it names. All reasons but has-another block the Service. */
const WORDS: Readonly<Record<NotJoined['because'], (not: NotJoined) => string>> = {
  missing: () =>
    `is not a load balancer that the project of cloud.conf can see: name another one, or remove the annotation to get a load balancer of its own; ${UNTIL}`,
  'other-cluster': ({ id }) =>
    `is load balancer ${id ?? ''}, which another cluster uses, and clusters do not share load balancers: name another one; ${UNTIL}`,
  'other-name': ({ id = '', key, names: [made = ''] = [] }) =>
    `is not the cluster name in the name of load balancer ${id}, which ${key.namespace}/${key.name} points to: OCCM made it in a cluster named ${made}; if that is this cluster, set --cluster-name ${made}; if not, rename the load balancer, or remove the annotation load-balancer-id if it names that one; ${UNTIL}`,
  'no-consent': ({ id = '', key }) =>
    `names a load balancer that was not made for a Service of this namespace: load balancer ${id} ${outOfReach(key.namespace, 'loadbalancer', id)}; its owner can allow it by the tag levelset-allow=${key.namespace} on it; ${UNTIL}`,
  full: ({ id, others = [] }) =>
    `is load balancer ${id ?? ''}, which is shared by ${others.join(', ')} already, as many as max-shared-lb of cloud.conf allows; until there is room, the Service is blocked`,
  external: ({ id }) =>
    `is load balancer ${id ?? ''}, which has a floating IP: this Service is internal, and would be open to the outside; the Service is blocked while both are true`,
  'has-another': ({ id }) =>
    `names another load balancer than ${id ?? ''}, which serves this Service; levelset does not move it, since its address would change; to move it, delete the Service and create it again`,
};

function joiningProblems(not: NotJoined | undefined, intent: ServiceIntent | undefined): readonly Problem[] {
  if (!not || !(intent ?? not.names)) return [];
  const { loadBalancerName } = intent?.annotated.Service ?? {};
  const named = loadBalancerName === undefined ? LOAD_BALANCER_ID : LOAD_BALANCER_NAME;
  const field = not.names ? '--cluster-name' : named;
  const value = not.names?.[1] ?? loadBalancerName ?? not.named;
  const blocking = not.because === 'has-another' ? {} : { blocking: true as const };
  return [{ field, value, message: WORDS[not.because](not), ...blocking }];
}
