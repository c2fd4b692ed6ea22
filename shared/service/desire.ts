import { drainMsOf, withDraining } from './desired/draining.ts';
import { offerQuestion } from './desired/desire-offers.ts';
import { asDialect, ofProvider } from './intent/as-dialect.ts';
import { servedSecrets } from './desired/served-secrets.ts';
import { desireUnit } from './desired/desire-service.ts';
import type { Desired, DesireInput } from './desired/desire-service.ts';
import { certificateQuestion } from './intent/cloud-questions.ts';
import type { ServiceIntent } from './intent/service-intent.ts';
import type { Config } from '../config/config.ts';
import type { Node } from '../model/kubernetes.ts';
import type { NetworkQuestion } from '../model/network/network-facts.ts';
import type { Offers } from '../model/load-balancer/octavia.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { Unit } from '../model/unit.ts';
import { observeAsIfAnew } from './observe/network/as-if-anew.ts';
import { horizonAt, observeCertificates } from './observe/certificates.ts';
import { drainedForMs } from './observe/drained.ts';
import { isLocked } from './observe/observed.ts';
import { observeOffers } from './observe/offers.ts';
import type { Observed } from './observe/observed.ts';
import type { CloudReader, World } from '../ports.ts';

export interface Wished {
  /** As the maker of the load balancer would have read it. */
  readonly config: Config;
  readonly intent?: ServiceIntent;
  /** Hashes of changes that may be made, sorted. */
  readonly approved: readonly string[];
  readonly desired: Desired;
  /** The same for a load balancer that takes the place of the one there is; only where something was approved. */
  readonly another?: Desired;
}

/** The middle of a look: what is desired, with what the cloud has to be asked for it. */
export async function desire(
  unit: Unit,
  observed: Observed,
  network: NetworkQuestion | undefined,
  nodes: readonly Node[],
  world: CloudReader & Pick<World, 'config'>,
  cluster: ClusterIdentity,
): Promise<Wished> {
  const { config, intent } = asDialect(unit.service, observed.loadBalancer, world.config);
  const horizon = horizonAt(world.clock);
  const asNew = ofProvider(config, world.config.loadBalancer.lbProvider);
  const offered = async (isMade: boolean): Promise<Offers> => {
    const { lbProvider: provider } = (isMade ? config : asNew).loadBalancer;
    const question = offerQuestion(intent, { ...observed.octavia, provider }, isMade);
    return { ...(await observeOffers(question, world)), isMade };
  };
  const input: DesireInput = {
    intent,
    wanted: unit.wanted,
    joins: observed.sharing?.role === 'joiner',
    nodes,
    facts: observed.facts,
    octavia: observed.octavia,
    offers: await offered(observed.loadBalancer !== undefined),
    secrets: servedSecrets(unit.tlsSecrets ?? new Map(), observed.resources, horizon.now),
    horizon,
    certificates: await observeCertificates(certificateQuestion(intent, config), world),
    ...(unit.localNodes ? { localNodes: unit.localNodes } : {}),
    ...(unit.endpoints ? { endpoints: unit.endpoints } : {}),
    cluster,
  };
  const approved = intent ? [...(intent.annotated.Service.approved ?? [])].sort() : [];
  const desired = withDraining(desireUnit(input, config), {
    observed: observed.resources,
    nodes,
    drainedForMs: drainedForMs(observed, world.clock.now()),
    drainMs: drainMsOf(config),
    busy: observed.loadBalancer !== undefined && isLocked(observed.loadBalancer),
  });
  const own = { config, ...(intent ? { intent } : {}), approved, desired };
  if (!network || !observed.loadBalancer || approved.length === 0) return own;
  const facts = await observeAsIfAnew(network, observed.loadBalancer, nodes, world);
  return { ...own, another: desireUnit({ ...input, facts, offers: await offered(false) }, asNew) };
}
