import type { WrittenPlan } from '../memory/load-balancers.ts';
import type { Config } from '../config/config.ts';
import type { Node } from '../model/kubernetes.ts';
import { locateNodes } from '../model/node/judged-nodes.ts';
import type { HasAddress, JudgedNodes } from '../model/node/judged-nodes.ts';
import { isEligible } from '../model/node/node-set.ts';
import type { OfferQuestion } from '../model/load-balancer/octavia.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { WireResource } from '../model/resources.ts';
import type { Depth, Unit } from '../model/unit.ts';
import { offerQuestion } from './desired/desire-load-balancer.ts';
import { memberAddresses } from './desired/desire-security-group.ts';
import { doubtful } from './desired/nodes/address-problems.ts';
import { selectNodes } from './desired/nodes/port-nodes.ts';
import { secretsOf } from './desired/certificates.ts';
import { internalOf } from './intent/service-intent.ts';
import type { Reading } from './intent/as-dialect.ts';
import { certificateQuestion, networkQuestion } from './intent/cloud-questions.ts';
import type { ObservedService } from '../model/load-balancer/observed-service.ts';
import type { Question } from './observe/questions.ts';
import { wantsLoadBalancer, whyLetGo } from './unit.ts';

export interface Asking {
  readonly unit: Unit;
  readonly cluster: ClusterIdentity;
  readonly nodes: readonly Node[];
  readonly judged: JudgedNodes;
  readonly isOfNode: HasAddress;
  readonly depth: Depth;
  readonly written: WrittenPlan | undefined;
  readonly config: Config;
}

/** What to read for one Service. If the Service wants no load balancer, only what it has is read. */
export function questionOf(
  { unit, cluster, nodes, judged, isOfNode, depth, written, config }: Asking,
  loadBalancer: WireResource | undefined,
  reading: Reading,
): Question {
  const managed = config.loadBalancer.manageSecurityGroups;
  const { ports, servers } = judged;
  const { intent } = reading;
  const namesSecrets = intent !== undefined && secretsOf(intent).length > 0;
  const asksFor: Question['asksFor'] = (service) => {
    if (whyLetGo(service, config)) return 'unknown';
    if (!wantsLoadBalancer(service, config)) return undefined;
    const { internal, internalByConfig } = internalOf(service, config);
    return internalByConfig ? 'internal by config' : internal ? 'internal' : 'external';
  };
  const base = { unit, cluster, isOfNode, asksFor, depth, written, namesSecrets };
  if (!intent || !unit.wanted)
    return { ...base, ...NOTHING, securityGroup: { managed, addresses: () => [], ports, servers } };
  const offers =
    (of: Config, isMade: boolean) =>
    (octavia: ObservedService['octavia']): OfferQuestion =>
      offerQuestion(intent, { ...octavia, provider: of.loadBalancer.lbProvider }, isMade);
  return {
    ...base,
    network: (endpoints) => networkQuestion(intent, endpoints),
    locate: () => {
      const keptOut = new Set(doubtful(judged));
      const able = selectNodes(nodes, intent.nodeSelector ?? {}).nodes.filter(isEligible);
      return locateNodes(able, judged).filter(({ address }) => !keptOut.has(address));
    },
    securityGroup: {
      managed,
      addresses: (subnet, endpoints) => (managed ? memberAddresses(nodes, subnet, intent, endpoints) : []),
      ports,
      servers,
    },
    offers: loadBalancer ? offers(reading.config, true) : offers(reading.asNew, false),
    offersIfReplaced:
      reading.approved.length > 0 || loadBalancer?.['provisioning_status'] === 'ERROR'
        ? offers(reading.asNew, false)
        : undefined,
    certificates: certificateQuestion(intent, reading.config),
    secrets: secretsOf(intent),
  };
}

const NOTHING: Omit<Question, keyof Asking | 'asksFor' | 'namesSecrets' | 'securityGroup'> = {
  network: undefined,
  locate: () => [],
  offers: () => ({ flavors: false, zones: false }),
  offersIfReplaced: undefined,
  certificates: { references: [] },
  secrets: [],
};
