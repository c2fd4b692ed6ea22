import type { Lease } from '../../../shared/ports.ts';
import { sandboxKube, type SandboxKube } from './sandbox-kube.ts';

export const NAME = 'levelset-6a1f';

export interface TwoRuns extends SandboxKube {
  readonly a: Lease;
  readonly b: Lease;
  readonly spec: () => Record<string, unknown>;
}

/** Two processes that want the same Lease. */
export async function twoRuns(): Promise<TwoRuns> {
  const world = await sandboxKube();
  const [a, b] = await Promise.all([world.connect('a'), world.connect('b')]);
  const spec = () => world.sandbox.kube.get('Lease', 'levelset', NAME)?.spec as Record<string, unknown>;
  return { ...world, a: a.lease(NAME), b: b.lease(NAME), spec };
}
