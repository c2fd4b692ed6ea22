import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import { serviceKey, type Key, type Trigger } from '../../../shared/model/request.ts';
import type { World } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { aProcess, inVirtualTime } from '../../support/virtual-time.ts';

type Wanted = NonNullable<Parameters<typeof aService>[0]>;

/** Services with load balancers and watermarks, in a world without sockets, and the process that made them. */
export async function settledWorld(
  services: readonly (Wanted & { readonly name: string })[],
  nodes: number,
  prepare: (inside: SandboxInside) => void = () => undefined,
): Promise<{ readonly inside: SandboxInside; readonly world: World }> {
  const inside = inVirtualTime({ nodes, pendingMs: 0 });
  prepare(inside);
  const world = aProcess(inside);
  for (const service of services) {
    inside.kube.apply(aService(service));
    while ((await runOf(serviceKey('default', service.name), world)) === 'progressing')
      inside.advanceClock(10);
  }
  // a watermark may not rest on a change of the last two seconds
  inside.advanceClock(3_000);
  for (const { key } of (await sweep(world)).requests) await runOf(key, world, 'sweep');
  return { inside, world };
}

/** One run, and how it ended; throws if it failed. */
export async function runOf(key: Key, world: World, trigger: Trigger = 'audit'): Promise<string> {
  const { outcome } = await reconcile({ key, trigger }, world, { remainingMs: () => 60_000 });
  if (outcome.status === 'failed') throw new Error(outcome.message);
  return outcome.status;
}
