import { apply, type Applied } from '../../shared/apply/apply.ts';
import { newMemory, type Memory } from '../../shared/memory/memory.ts';
import { compareService, type Comparison } from '../../shared/service/compare-service.ts';
import { ATTRIBUTES } from '../../shared/model/attributes.ts';
import type { Node, Service } from '../../shared/model/kubernetes.ts';
import type { Plan, Step } from '../../shared/model/plan.ts';
import { keyOf, serviceKey } from '../../shared/model/request.ts';
import type { PodEndpoint } from '../../shared/model/load-balancer/observed-service.ts';
import type { ObservedResource, WireResource } from '../../shared/model/resources.ts';
import { forgetStored } from '../../shared/service/observe/certificates.ts';
import { objectOf } from '../../shared/service/service-object.ts';
import { SimulatedCloud, type SteppedCloud } from '../support/simulated-cloud.ts';
import type { Config } from '../../shared/config/config.ts';
import { aConfig } from '../support/config.ts';
import { podsOf } from '../support/service.ts';
import { aTlsSecret, secretsOf } from '../support/tls-secret.ts';
import { serviceOf, type Edit } from './arbitrary.ts';

export const CLUSTER = { id: 'c1c1c1c1-0000-4000-8000-000000000000', name: 'kubernetes' };

const budget = { remainingMs: () => 60_000 };

const other = { name: 'other-tls' };
const kube = secretsOf({ 'web-tls': aTlsSecret('one'), [other.name]: aTlsSecret('two', other) });

export function comparison(
  service: Service,
  nodes: readonly Node[],
  cloud: SteppedCloud,
  config: Config = aConfig(),
  pods: readonly PodEndpoint[] = [],
): Promise<Comparison> {
  const name = keyOf(service);
  const object = objectOf(serviceKey(name.namespace, name.name), name, service, config);
  const on = nodes.map(({ metadata }) => metadata.name);
  const apiserver = { ...kube, ...podsOf(service, { nodes: on, behind: [pods] }) };
  const world = { kube: apiserver, cloud, clock: { now: () => 0 }, config, memory: memoryOf(cloud) };
  return compareService(object, nodes, world, CLUSTER);
}

/** All runs against one cloud are of one process. */
const memories = new WeakMap<SteppedCloud, Memory>();

function memoryOf(cloud: SteppedCloud): Memory {
  const memory = memories.get(cloud) ?? newMemory();
  memories.set(cloud, memory);
  return memory;
}

/** Looks and applies, as run after run would, until nothing is left to do. Throws what the cloud refuses. */
export async function settle(
  service: Service,
  nodes: readonly Node[],
  cloud: SteppedCloud,
  config?: Config,
  pods?: readonly PodEndpoint[],
): Promise<readonly Plan[]> {
  const plans: Plan[] = [];
  for (let runs = 0; runs < 60; runs += 1) {
    const seen = await comparison(service, nodes, cloud, config, pods);
    plans.push(seen.plan);
    if (seen.plan.steps.length === 0) return plans;
    const { error } = await executeOnce(seen, cloud);
    if (error) throw error;
  }
  throw new Error('it never comes to rest');
}

/** A cloud in which a Service is settled. */
export async function served(edit: Edit, nodes: readonly Node[]): Promise<SimulatedCloud> {
  const cloud = new SimulatedCloud();
  await settle(serviceOf(edit), nodes, cloud);
  return cloud;
}

/** Applies a plan as one run would, and Octavia ends what that began. */
export function executeOnce({ plan, observed }: Comparison, cloud: SteppedCloud): Promise<Applied> {
  return applyAndUnlock(plan.steps, observed.resources, cloud);
}

type Known = readonly ObservedResource[];

async function applyAndUnlock(steps: readonly Step[], known: Known, cloud: SteppedCloud): Promise<Applied> {
  const memory = memoryOf(cloud);
  const applied = await apply(steps, known, { cloud, kube, budget, memory, clock: Date });
  forgetStored({ memory });
  cloud.unlock();
  return applied;
}

/** Carries out one plan to its end, as if Octavia took no time, without another run. */
export async function executeWhole(seen: Comparison, cloud: SteppedCloud): Promise<void> {
  let known: Known = seen.observed.resources;
  for (const step of seen.plan.steps) {
    const applied = await applyAndUnlock([step], known, cloud);
    if (applied.error) throw applied.error;
    const ours = { kind: step.kind, whose: 'ours' } as const;
    known = [...applied.known].map(([address, wire]) => ({ ...ours, address, id: wire.id, wire }));
  }
}

const CHANGES: readonly string[] = ['in-place', 'recreate', 'new-pool'];

/** What is managed of the unit's resources, by address: the same picture means the same service to its users. */
export async function pictureOf(service: Service, nodes: readonly Node[], cloud: SteppedCloud) {
  const { observed } = await comparison(service, nodes, cloud);
  const addresses = new Map(observed.resources.map(({ id, address }) => [id, address]));
  /** By their addresses in the plan, instead of ids or references that end in one. */
  const named = (value: string): string => addresses.get(value.split('/').at(-1) ?? '') ?? value;
  const vip = observed.loadBalancer?.['vip_address'];
  return Object.fromEntries(
    observed.resources
      .map(({ kind, address, wire }) => {
        const rules: Readonly<Record<string, { readonly change: string }>> = ATTRIBUTES[kind];
        const managed = Object.entries(rules).filter(
          ([name, { change }]) => CHANGES.includes(change) && !['port_id', 'subnet_id'].includes(name),
        );
        const values = managed.map(([name]) => {
          const value = isIdle(name, wire) ? null : wire[name];
          if (name === 'fixed_ip_address' && value === vip) return [name, 'the VIP'];
          return [name, typeof value === 'string' ? named(value) : sorted(value, named)];
        });
        return [address, Object.fromEntries(values)] as const;
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/**
 * Octavia fills in versions and ciphers of a pool that is made with TLS, leaves them on it when it speaks none any more,
 * and fills in none when TLS is set on it later: nobody asked for those.
 */
function isIdle(name: string, wire: WireResource): boolean {
  if (!('tls_enabled' in wire) || !['tls_versions', 'tls_ciphers'].includes(name)) return false;
  const record = (wire['tags'] as readonly string[]).find((tag) => tag.startsWith('levelset-set='));
  return wire['tls_enabled'] === false || record?.includes(name) !== true;
}

function sorted(value: unknown, named: (text: string) => string): unknown {
  return Array.isArray(value) ? (value as string[]).map((one) => named(one)).sort() : (value ?? null);
}
