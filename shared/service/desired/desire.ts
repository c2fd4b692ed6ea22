import type { Node } from '../../model/kubernetes.ts';
import { isLocked } from '../../model/load-balancer/octavia.ts';
import type { ObservedService } from '../../model/load-balancer/observed-service.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { Unit } from '../../model/unit.ts';
import type { Reading } from '../intent/as-dialect.ts';
import { desireUnit } from './desire-service.ts';
import type { Desired, DesireInput } from './desire-service.ts';
import { ambiguityProblems, desireSharing, joiningProblems } from './desire-sharing.ts';
import { drainMsOf, withDraining } from './draining.ts';
import { servedSecrets } from './served-secrets.ts';

export interface Given {
  readonly unit: Unit;
  readonly cluster: ClusterIdentity;
  readonly nodes: readonly Node[];
  readonly reading: Reading;
  readonly observed: ObservedService;
}

export interface DesiredService {
  /** Of the Service by itself, whoever else is on the load balancer. The watermark is about this. */
  readonly own: Desired;
  /** The same on the load balancer that it has: what is compared with what is there. */
  readonly here: DesiredHere;
}

export interface DesiredHere extends Desired {
  /** Hashes of changes that may be made, sorted. */
  readonly approved: readonly string[];
  /** On a load balancer that takes the place of the one there is; only where something is approved. */
  readonly another?: Desired;
}

/** What should be there for one Service. Every trigger, and deletion, comes here; a Service that leaves desires nothing. */
export function desire({ unit, cluster, nodes, reading, observed }: Given): DesiredService {
  const { intent, config, asNew, approved } = reading;
  const { loadBalancer, sharing, resources, localNodes, endpoints, ifReplaced, horizon } = observed;
  const input: DesireInput = {
    intent,
    wanted: unit.wanted,
    joins: sharing?.role === 'joiner',
    nodes,
    facts: observed.facts,
    octavia: observed.octavia,
    offers: observed.offers,
    secrets: servedSecrets(observed.secrets, resources, horizon.now),
    horizon,
    certificates: observed.certificates,
    ...(localNodes ? { localNodes } : {}),
    ...(endpoints ? { endpoints } : {}),
    cluster,
  };
  const own = withDraining(desireUnit(input, config), {
    observed: resources,
    nodes,
    drainedForMs: observed.drainedForMs,
    drainMs: drainMsOf(config),
    busy: loadBalancer !== undefined && isLocked(loadBalancer),
  });
  const floatingIP = resources.find(({ kind }) => kind === 'floatingip')?.wire;
  const shared = desireSharing(own.resources, { intent, cluster, loadBalancer, sharing, floatingIP });
  const problems = [
    ...own.problems,
    ...ambiguityProblems(observed.ambiguous),
    ...joiningProblems(observed.notJoined, intent),
    ...shared.problems,
  ];
  const another = ifReplaced && { another: desireUnit({ ...input, ...ifReplaced }, asNew) };
  return { own, here: { ...own, resources: shared.resources, problems, approved, ...another } };
}
