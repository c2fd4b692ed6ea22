import { ReconcileError } from '../../model/errors.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import { readStoredName, storedMode } from '../../model/tls/stored-certificate.ts';
import type { Unit } from '../../model/unit.ts';
import type { Cloud, CloudReader, World } from '../../ports.ts';
import { onceAMinute } from '../../observe/once-a-minute.ts';

interface Source extends CloudReader {
  /** Answers lists: the cloud, or what was read of it in bulk. */
  readonly lists: Pick<Cloud, 'list'>;
}

const ANSWER = 'stored certificates';

/**
 * What levelset keeps in Barbican for this unit: out of one list a minute for the whole process. For a Service that
 * leaves it is asked afresh: another process may have stored what would be left behind.
 */
export async function findStoredCertificates(
  unit: Unit,
  cluster: ClusterIdentity,
  source: Source,
): Promise<readonly ObservedResource<'secret'>[]> {
  const { cloud, lists } = source;
  const all =
    lists === cloud && unit.wanted
      ? await onceAMinute(source, ANSWER, () => listStored(cluster, cloud))
      : await listStored(cluster, lists);
  const taken = new Set<string>();
  return [...all].sort(oldestFirst).flatMap((wire) => {
    const read = readStoredName(wire['name'], cluster);
    if (read?.service.namespace !== unit.name.namespace || read.service.name !== unit.name.name) return [];
    // made twice, because the answer to a POST was lost: the older one is in use
    const address = taken.has(read.address) ? `secret/duplicate/${wire.id}` : read.address;
    taken.add(address);
    return [{ kind: 'secret' as const, address, id: wire.id, owned: true, wire }];
  });
}

/** After a write of ours. */
export function forgetStored({ memory }: Pick<World, 'memory'>): void {
  memory.answers.forget(ANSWER);
}

/** All of this cluster. A cloud without Barbican, or a user without rights to it, keeps none. */
export async function listStored(
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  try {
    return await cloud.list('secret', { mode: storedMode(cluster) });
  } catch (error) {
    const none =
      error instanceof ReconcileError && (error.code === 'CONFIG_INVALID' || error.code === 'FORBIDDEN');
    if (none) return [];
    throw error;
  }
}

function oldestFirst(a: WireResource, b: WireResource): number {
  const rank = (wire: WireResource): string => `${String(wire['created'])} ${wire.id}`;
  return rank(a) < rank(b) ? -1 : 1;
}
