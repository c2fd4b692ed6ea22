import type { Config } from '../config/config.ts';
import { DELETIONS } from '../model/deletions.ts';
import { isError, ReconcileError } from '../model/errors.ts';
import type { Service } from '../model/kubernetes.ts';
import { APPROVE } from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { Key } from '../model/request.ts';
import { attempt } from '../observe/attempt.ts';
import type { World } from '../ports.ts';
import { foundIn } from './observe/project.ts';
import type { Project } from './observe/project.ts';
import { findOrphans } from './orphans.ts';
import type { HeldInWords } from './plan/hold-back.ts';
import { quarantine } from './quarantine.ts';
import { findVanished, heldBackInWords } from './vanished.ts';

/** A sweep of the whole cluster. */
interface Swept {
  readonly project: Project;
  readonly cluster: ClusterIdentity;
  readonly readOnly: boolean;
}

/**
 * The keys of orphans whose runs may delete now, and words about those in quarantine and those that the deletion budget
 * holds back.
 */
export async function judgeOrphans(
  services: readonly Service[],
  { project, cluster, readOnly }: Swept,
  world: World,
): Promise<{ readonly keys: readonly Key[]; readonly warnings: readonly string[] }> {
  const { kube, config } = world;
  const { orphans, warnings } = findOrphans(services, project, cluster, config);
  const areComplete = !Object.values(project).some(isError);
  const waits = await quarantine(orphans, services, { areComplete, readOnly }, world);
  const said = [...waits.warnings, ...warnings];
  const waiting = waits.held ? [waits.held] : [];
  const facts = findVanished(services, foundIn(project.loadBalancers), cluster, config);
  const isHeld = facts.vanished.some(({ key }) => !waits.kept.has(key));
  if (!isHeld) return { keys: waits.keys, warnings: [...inOneCommand(waiting, config), ...said] };
  const recorded = await attempt(kube.deletions.loadBalancers.load());
  const held =
    recorded instanceof ReconcileError
      ? [
          `load balancers whose Services are gone stay as they are: ${recorded.message}`,
          ...inOneCommand(waiting, config),
        ]
      : inOneCommand([heldBackInWords(facts, recorded, waits.kept, world), ...waiting], config);
  return { keys: waits.keys, warnings: [...held, ...said] };
}

/** One warning with one command: a second one would overwrite what the first has approved. */
function inOneCommand(held: readonly HeldInWords[], { stateNamespace }: Config): readonly string[] {
  const words = held.flatMap((one) => one.words);
  if (words.length === 0) return [];
  const approvals = [...held.flatMap((one) => one.approved), ...held.flatMap((one) => one.approvals)];
  const command = `kubectl --namespace ${stateNamespace} annotate --overwrite configmap ${DELETIONS} ${APPROVE}=${[...new Set(approvals)].join(',')}`;
  return [`${words.join('. ')}. If all of them are to be deleted, run: ${command}`];
}
