import { desire } from './desire.ts';
import { hashOf } from './desired/desire-service.ts';
import { joinIntent, networkQuestion } from './intent/cloud-questions.ts';
import { memberAddresses } from './desired/desire-security-group.ts';
import type { Desired } from './desired/desire-service.ts';
import { readIntent } from './intent/service-intent.ts';
import type { ServiceIntent } from './intent/service-intent.ts';
import type { Node } from '../model/kubernetes.ts';
import type { Subnet } from '../model/network/network-facts.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { Plan } from '../model/plan.ts';
import type { Unit } from '../model/unit.ts';
import type { Project } from './observe/project.ts';
import { isLocked } from './observe/observed.ts';
import type { Observed } from './observe/observed.ts';
import { observeTop } from './observe/top.ts';
import { observeUnit } from './observe/observe-service.ts';
import { planUnit } from './plan-unit.ts';
import type { Depth } from './plan-unit.ts';
import type { CloudReader, World } from '../ports.ts';

/** Observe, desire and plan: everything before the first write. */
export interface Evaluation {
  readonly unit: Unit;
  readonly cluster: ClusterIdentity;
  readonly intent?: ServiceIntent;
  readonly observed: Observed;
  readonly desired: Desired;
  readonly plan: Plan;
  /** Octavia is at work on the load balancer: only what is beside it could be seen. */
  readonly locked: boolean;
  /** The load balancer that is to take its place, while Octavia makes it. */
  readonly replacing?: string;
  /** Hash of what is desired, for the watermark. */
  readonly hash: string;
}

/** The whole truth about one unit. `shallow` leaves out what is on the load balancer, for the sweep's first look. */
export async function evaluate(
  unit: Unit,
  nodes: readonly Node[],
  world: CloudReader & Pick<World, 'config'> & { readonly project?: Project },
  cluster: ClusterIdentity,
  depth: Depth = 'deep',
): Promise<Evaluation> {
  const asked = unit.service && unit.wanted ? readIntent(unit.service, world.config) : undefined;
  const network = asked && networkQuestion(asked, unit.endpoints);
  const join = asked && joinIntent(asked, world.config);
  const managed = world.config.loadBalancer.manageSecurityGroups;
  const securityGroup = {
    managed,
    addresses: (subnet: Subnet | undefined) =>
      asked && managed ? memberAddresses(nodes, subnet, asked, unit.endpoints) : [],
  };
  const observe = depth === 'deep' ? observeUnit : observeTop;
  const observed = await observe({ unit, nodes, cluster, network, securityGroup, join }, world);
  const wished = await desire(unit, observed, network, nodes, world, cluster);
  const { desired, intent, approved } = wished;
  const { loadBalancer, replacement } = observed;
  return {
    unit,
    cluster,
    ...(intent ? { intent } : {}),
    observed,
    desired,
    plan: await planUnit(unit, observed, wished, nodes, world, cluster, depth),
    locked: loadBalancer !== undefined && isLocked(loadBalancer),
    ...(replacement && isLocked(replacement) ? { replacing: replacement.id } : {}),
    hash: hashOf(desired, approved, intent?.annotated.Service.loadBalancerName),
  };
}
