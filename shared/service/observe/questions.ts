import type { Node } from '../../model/kubernetes.ts';
import type { ObservedService } from '../../model/load-balancer/observed-service.ts';
import type { OfferQuestion } from '../../model/load-balancer/octavia.ts';
import type { Endpoints } from '../../model/load-balancer/service-endpoints.ts';
import type { JoinIntent } from '../../model/load-balancer/shared-load-balancer.ts';
import type { NetworkQuestion, Subnet } from '../../model/network/network-facts.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { CertificateQuestion } from '../../model/tls/certificate-facts.ts';
import type { Depth, Unit } from '../../model/unit.ts';
import type { CloudReader, Kube } from '../../ports.ts';
import type { Project } from './project.ts';

/** Whose load balancer to find. */
export interface LoadBalancerQuestion {
  readonly unit: Unit;
  readonly cluster: ClusterIdentity;
  /** Undefined when nothing is wanted. */
  readonly join: JoinIntent | undefined;
  readonly depth: Depth;
}

/** Every read that the intent asks for. */
export interface Question extends Pick<LoadBalancerQuestion, 'unit' | 'cluster' | 'depth'> {
  readonly nodes: readonly Node[];
  /** Undefined when nothing is wanted. */
  readonly network: ((endpoints: Endpoints | undefined) => NetworkQuestion) | undefined;
  readonly securityGroup: SecurityGroupQuestion;
  /** What to look up for the load balancer that there is, or for the first one. */
  readonly offers: (octavia: ObservedService['octavia']) => OfferQuestion;
  /** The same for a load balancer that takes its place; undefined where nothing is approved. */
  readonly offersIfReplaced: ((octavia: ObservedService['octavia']) => OfferQuestion) | undefined;
  readonly certificates: CertificateQuestion;
  /** Names of Secrets. */
  readonly secrets: readonly string[];
  /** The Service names Secrets, also one that leaves: their certificates are in Barbican. */
  readonly namesSecrets: boolean;
}

export interface SecurityGroupQuestion {
  /** False: there should be none, and hardly ever is. */
  readonly managed: boolean;
  /** The addresses in this subnet whose ports should have the group; none when nothing is wanted. */
  readonly addresses: (
    memberSubnet: Subnet | undefined,
    endpoints: Endpoints | undefined,
  ) => readonly string[];
}

export interface Source extends CloudReader {
  readonly kube: Pick<Kube, 'getSecret' | 'lease' | 'listEndpointSlices' | 'listPods'>;
  /** Read in bulk: load balancers and floating IPs are looked up in it. */
  readonly project?: Project;
}
