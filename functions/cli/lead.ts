import { setTimeout as pause } from 'node:timers/promises';
import { ReconcileError } from '../../shared/model/errors.ts';
import { attempt } from '../../shared/observe/attempt.ts';
import type { Connected } from '../world.ts';

const LOOK_MS = 100;

/**
 * Runs a command that writes as the one process of its deployment that leads, so that it never writes beside another one. After one that
 * was killed it waits until the Lease has stood still. Throws where another process leads.
 */
export async function leadFor<T>({ world, home }: Connected, run: () => Promise<T>): Promise<T> {
  const leader = await home.lease(() => undefined);
  leader.start();
  try {
    for (let looks = 0; !leader.leads; looks += 1) {
      if (leader.isAnothers) throw anothers(leader.holder);
      if (leader.trouble !== undefined) throw new ReconcileError('KUBE_UNAVAILABLE', leader.trouble);
      if (looks === 30) world.log.warn(`waiting for ${leader.holder ?? 'the Lease'}, which may have ended`);
      await pause(LOOK_MS);
    }
    return await run();
  } finally {
    await attempt(world.kube.deployment.release()); // what ended the run is told, not that the Lease was lost
    await leader.stop();
  }
}

function anothers(holder = 'another process'): ReconcileError {
  return new ReconcileError(
    'CLUSTER_HELD',
    `${holder} leads and writes to this cluster: ask it by POST /resync with {"all": true} or {"objects": ["service/shop/web"]}, or stop it first; --dry-run writes nothing`,
  );
}
