import type { Change, UpdateStep } from '../model/plan.ts';
import type { WireResource } from '../model/resources.ts';
import type { Cloud } from '../ports.ts';

/** Each port's last write of this process: the next one waits for it and starts from its answer. */
const lastWrites = new WeakMap<Cloud, Map<string, Promise<WireResource | undefined>>>();

/**
 * Security groups that come to a port or leave it; all others stay. Many Services write to the same ports of the same nodes,
 * and the list can only be written as a whole: so what is written is the newest list that this process knows, with the
 * step's difference, under the revision of that list. If somebody else wrote meanwhile, Neutron refuses.
 */
export async function setSecurityGroups(
  step: UpdateStep,
  observed: WireResource | undefined,
  cloud: Cloud,
): Promise<WireResource> {
  const writes = lastWrites.get(cloud) ?? new Map<string, Promise<WireResource | undefined>>();
  lastWrites.set(cloud, writes);
  const before = writes.get(step.id) ?? Promise.resolve(undefined);
  const write = before.then((last) => {
    const port = last && revisionOf(last) > revisionOf(observed) ? last : observed;
    return cloud.setSecurityGroups(step.id, change(groupsOf(port), step.changes), revisionOf(port));
  });
  writes.set(
    step.id,
    write.catch(() => undefined),
  );
  return write;
}

function change(groups: readonly string[], changes: readonly Change[]): readonly string[] {
  const [{ from, to } = { from: [], to: [] }] = changes;
  const [old, wanted] = [from as readonly string[], to as readonly string[]];
  const leaving = old.filter((group) => !wanted.includes(group));
  const coming = wanted.filter((group) => !old.includes(group));
  return [...new Set([...groups.filter((group) => !leaving.includes(group)), ...coming])];
}

function groupsOf(port: WireResource | undefined): readonly string[] {
  return (port?.['security_groups'] ?? []) as readonly string[];
}

function revisionOf(port: WireResource | undefined): number {
  return Number(port?.['revision_number'] ?? 0);
}
