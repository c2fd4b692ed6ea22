import { poolAddressOf } from '../model/address.ts';
import { policyAddressOf } from '../model/address.ts';
import type { DeleteStep, Step } from '../model/plan.ts';
import { isOfNode } from '../model/node/node.ts';
import type { Attributes, WireResource } from '../model/resources.ts';
import type { Cloud } from '../ports.ts';
import { executeOnNode } from './node-writes.ts';
import type { NodeWrites } from './node-writes.ts';
import { changePort } from './port-lists.ts';
import type { PortWrites } from './port-lists.ts';
import { changeRouter } from './router-routes.ts';

export interface Writes extends PortWrites {
  readonly cloud: Cloud;
  readonly kube: NodeWrites;
}

/**
 * Executes one step, whose references are bound, by one API call. Two calls are needed for a router that
 * loses and gets routes, if Neutron has the extension extraroute-atomic, for a floating IP or security group that is
 * created, since it has tags, and for tags of a floating IP or security group that change with other attributes. Returns what the answer shows.
 */
export async function execute(
  step: Step,
  known: ReadonlyMap<string, WireResource>,
  writes: Writes,
): Promise<WireResource | undefined> {
  const { cloud, kube } = writes;
  const { kind } = step;
  if (isOfNode(kind)) return executeOnNode(step, kind, known, kube);
  const parent = parentOf(step, known);
  switch (step.verb) {
    case 'create':
      if (kind === 'securitygroup' || kind === 'floatingip')
        return createTagged(kind, step.attributes, cloud);
      return cloud.create(kind, step.attributes, parent);
    case 'update': {
      if (kind === 'port') return changePort(step, known.get(step.address), writes);
      if (kind === 'router') return changeRouter(step, known.get(step.address), cloud);
      const attributes = Object.fromEntries(step.changes.map(({ attribute, to }) => [attribute, to]));
      const also = kind === 'healthmonitor' ? alsoSent(known.get(step.address)) : {};
      await cloud.update(kind, step.id, { ...also, ...attributes }, parent);
      return undefined;
    }
    case 'delete':
      await cloud.remove(kind, boundId(step), {
        ...(step.cascade ? { cascade: true } : {}),
        ...(parent === undefined ? {} : { parent }),
      });
      return undefined;
    case 'failover':
      await cloud.failover(step.id);
      return undefined;
    case 'members':
      await cloud.putMembers(idOf(step.address, known), step.members, step.additive);
      return undefined;
  }
}

/**
 * Neutron takes no tags in a POST. They follow at once: without them a group is found by the UID of its Service alone, a floating IP
 * by its description, and neither by anybody once the Service is gone.
 */
async function createTagged(
  kind: 'securitygroup' | 'floatingip',
  { tags, ...attributes }: Attributes,
  cloud: Pick<Cloud, 'create' | 'update'>,
): Promise<WireResource> {
  const made = await cloud.create(kind, attributes);
  if (!tags) return made;
  await cloud.update(kind, made.id, { tags });
  return { ...made, tags };
}

/**
 * The id of the object whose URL the step's URL begins with: the pool of a member, the policy of an L7 rule.
 * Undefined for all other kinds.
 */
function parentOf({ kind, address }: Step, known: ReadonlyMap<string, WireResource>): string | undefined {
  if (kind === 'member') return idOf(poolAddressOf(address), known);
  return kind === 'l7rule' ? idOf(policyAddressOf(address), known) : undefined;
}

/** Octavia 11 answers 500 to any PUT of a UDP-CONNECT monitor that does not name its delay (tried). */
function alsoSent(monitor: WireResource | undefined): Attributes {
  return monitor?.['type'] === 'UDP-CONNECT' ? { delay: monitor['delay'] } : {};
}

function boundId({ id, address }: DeleteStep): string {
  if (typeof id === 'string') return id;
  throw new TypeError(`${address} cannot be deleted: this run does not know ${id.$ref}`);
}

function idOf(address: string, known: ReadonlyMap<string, WireResource>): string {
  const found = known.get(address);
  if (!found) throw new TypeError(`a step needs ${address}, which this run neither observed nor created`);
  return found.id;
}
