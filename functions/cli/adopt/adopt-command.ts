import { needFlags, type Flags } from '../../../shared/config/read-flags.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import type { World } from '../../../shared/ports.ts';
import { eachCluster, READ_AT_ONCE, type Told } from '../each-cluster.ts';
import { findPlans } from '../find-plans.ts';
import { readObjects } from '../objects.ts';
import { judgePlans, summarizeAdoptions, type Adoption } from './judge-plans.ts';

/**
 * `levelset adopt --report`: what becomes of all that another controller has made, once levelset is started. Changes nothing. Exit
 * codes: 0 where levelset would write nothing but its tags, 2 where changes are pending, 1 where something is a problem or could not be read.
 */
export function adoptCommand(flags: Flags, env: NodeJS.ProcessEnv): Promise<number> {
  const { reportFormat } = needFlags(flags);
  if (!flags.report)
    throw new ReconcileError(
      'CONFIG_INVALID',
      'adopt needs --report: levelset adopts a load balancer by itself, when it works on the Service; levelset adopt --report says what that would change',
    );
  const asFlags = reportFormat === 'json' ? { ...flags, output: 'json' } : flags;
  return eachCluster(asFlags, env, (world) => report(world, reportFormat), { atOnce: READ_AT_ONCE });
}

async function report(world: World, format: 'text' | 'json'): Promise<Told> {
  const [found, services] = await Promise.all([
    findPlans(readObjects([], {}), world, { everyService: true }),
    world.kube.listServices(),
  ]);
  const adoptions = judgePlans(found, services);
  const has = (wanted: Adoption['state']): boolean => adoptions.some(({ state }) => state === wanted);
  const code = found.incomplete || has('problem') ? 1 : has('pending') ? 2 : 0;
  const errors = found.incomplete ? ['not everything could be read: there may be more'] : [];
  if (format === 'json') return { code, rows: adoptions, errors };
  return { code, text: asText(adoptions), errors };
}

function asText(adoptions: readonly Adoption[]): string {
  const blocks = adoptions.map(({ name, state, because, plan }) =>
    [
      `${state}: ${name}`,
      ...because.map((line) => `  ${line}`),
      ...(state === 'tags-only' || plan === undefined ? [] : [indented(plan)]),
    ].join('\n'),
  );
  return [...blocks, '', summarizeAdoptions(adoptions)].join('\n');
}

function indented(plan: string): string {
  return plan.replace(/^/gm, '    ');
}
