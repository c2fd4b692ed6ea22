import type { WrittenPlan } from '../../memory/load-balancers.ts';
import type { HasAddress, JudgedNodes, LocatedAddress } from '../../model/node/judged-nodes.ts';
import type { ObservedService, Endpoints, JoinIntent } from '../../model/load-balancer/observed-service.ts';
import type { OfferQuestion } from '../../model/load-balancer/octavia.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { NetworkQuestion, Subnet } from '../../model/network/network-facts.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { CertificateQuestion } from '../../model/tls/certificate-facts.ts';
import type { Depth, ServiceObject } from '../../model/service-object.ts';
import type { CloudReader, Kube } from '../../ports.ts';
import type { ChildReader } from './children.ts';
import type { Project } from './project.ts';

export interface LoadBalancerQuestion {
  readonly object: ServiceObject;
  readonly cluster: ClusterIdentity;
  readonly join: JoinIntent | undefined;
}

export interface Question extends Pick<LoadBalancerQuestion, 'object' | 'cluster'> {
  readonly depth: Depth;
  /** What the run before has written, if the load balancer alone is looked at. */
  readonly written: WrittenPlan | undefined;
  readonly locate: () => readonly LocatedAddress[];
  readonly isOfNode: HasAddress;
  readonly asksFor: (
    service: Service,
  ) => 'external' | 'internal' | 'internal by config' | 'unknown' | undefined;
  readonly network: ((endpoints: Endpoints | undefined) => NetworkQuestion) | undefined;
  readonly securityGroup: SecurityGroupQuestion;
  readonly offers: (octavia: ObservedService['octavia']) => OfferQuestion;
  /** The same for a load balancer that takes this one's place; undefined if nothing is approved. */
  readonly offersIfReplaced: ((octavia: ObservedService['octavia']) => OfferQuestion) | undefined;
  readonly certificates: CertificateQuestion;
  readonly secrets: readonly string[];
  /** Whether the Service names Secrets. A Service that leaves may, too: their certificates are in Barbican. */
  readonly namesSecrets: boolean;
}

/** Of the ports and the servers of Nodes: by the address of a Node that names its server the ids of its ports there, and who is named. */
interface SecurityGroupQuestion extends Pick<JudgedNodes, 'ports' | 'servers'> {
  /** Whether levelset manages security groups. If not, the Service should have none, and hardly ever has. */
  readonly managed: boolean;
  readonly addresses: (
    memberSubnet: Subnet | undefined,
    endpoints: Endpoints | undefined,
  ) => readonly string[];
}

export interface Source extends CloudReader {
  readonly kube: Pick<
    Kube,
    'getSecret' | 'getService' | 'listEndpointSlices' | 'listPods' | 'repairs' | 'state'
  >;
  /** The lists of a sweep, which answer list calls; absent in a run. */
  readonly project?: Project;
  readonly children?: ChildReader;
  readonly services?: ReadonlyMap<string, Service>;
  /** When a sweep began to read, in milliseconds; absent in a run. */
  readonly readAt?: number;
  readonly judged?: JudgedNodes;
}
