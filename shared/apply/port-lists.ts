import { valueWithin } from '../deadline.ts';
import type { Change, UpdateStep } from '../model/plan.ts';
import type { Attributes, WireResource } from '../model/resources.ts';
import type { Cloud, World } from '../ports.ts';

export interface PortWrites {
  readonly cloud: Pick<Cloud, 'updateAt'>;
  readonly memory: Pick<World['memory'], 'portWrites'>;
}

/** Other runs wait no longer for one write. */
const WRITE_MS = 10_000;

/**
 * Adds to and removes from the lists of a port, its security groups and its address pairs. Many Services and the
 * routes write to the same ports, and Neutron writes a list only as a whole. So levelset writes the newest list that
 * this process knows, with the step's difference, under that list's revision. Neutron refuses if somebody else wrote
 * meanwhile.
 */
export async function changePort(
  step: UpdateStep,
  observed: WireResource | undefined,
  { cloud, memory }: PortWrites,
): Promise<WireResource> {
  const before = memory.portWrites.get(step.id) ?? Promise.resolve(undefined);
  const write = before.then((last) => {
    const port = last && revisionOf(last) > revisionOf(observed) ? last : observed;
    return cloud.updateAt('port', step.id, changed(port, step.changes), revisionOf(port));
  });
  memory.portWrites.set(
    step.id,
    before.then(() => valueWithin(WRITE_MS, write)).catch(() => undefined),
  );
  return write;
}

function changed(port: WireResource | undefined, changes: readonly Change[]): Attributes {
  return Object.fromEntries(
    changes.map(({ attribute, from, to }) => [attribute, withDifference(port?.[attribute], from, to)]),
  );
}

function withDifference(list: unknown, from: unknown, to: unknown): readonly unknown[] {
  const [old, wanted] = [byText(from), byText(to)];
  const stay = [...byText(list)].filter(([text]) => !old.has(text) || wanted.has(text));
  const come = [...wanted].filter(([text]) => !old.has(text));
  return [...new Map([...stay, ...come]).values()];
}

/**
 * The entries of a list by their JSON. Equal address pairs have the same JSON, since levelset keeps each pair
 * as it was read.
 */
function byText(list: unknown): ReadonlyMap<string, unknown> {
  return new Map((Array.isArray(list) ? list : []).map((one: unknown) => [JSON.stringify(one), one]));
}

function revisionOf(port: WireResource | undefined): number {
  return Number(port?.['revision_number'] ?? 0);
}
