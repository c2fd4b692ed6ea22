import { needFlags } from '../../shared/config/read-flags.ts';
import type { World } from '../../shared/ports.ts';
import { ADOPTION_STATES, judgeAdoptions, type Adoption } from '../../shared/report/adoption.ts';
import { eachCluster, type Told } from './each-cluster.ts';
import { readObjects } from './objects.ts';
import { findPlans } from './plan-command.ts';
import { counted, misused, type RunCommand } from './command.ts';

/**
 * `levelset adopt --report`: what becomes of all that another controller has made, once levelset is started. Changes nothing. Exit
 * codes: 0 where levelset would write nothing but its tags, 2 where changes are pending, 1 where something is a problem or could not be read.
 */
export const adoptCommand: RunCommand = (_words, flags, env) => {
  const { reportFormat } = needFlags(flags);
  if (!flags.report)
    throw misused(
      'adopt needs --report: levelset adopts a load balancer by itself, when it works on the Service; levelset adopt --report says what that would change',
    );
  return eachCluster(reportFormat === 'json' ? { ...flags, output: 'json' } : flags, env, report);
};

async function report(world: World): Promise<Told> {
  const [{ plans, incomplete, errors: failures }, services] = await Promise.all([
    findPlans(readObjects([], {}), world, { everyService: true }),
    world.kube.listServices(),
  ]);
  const failed = failures.map((failure): Adoption => {
    const [name = '', ...because] = failure.split(/: (.*)/s, 2);
    return { name, state: 'problem', because };
  });
  const rows = [...failed, ...judgeAdoptions(plans, services)].sort(
    (a, b) =>
      ADOPTION_STATES.indexOf(a.state) - ADOPTION_STATES.indexOf(b.state) || (a.name < b.name ? -1 : 1),
  );
  const count = (wanted: Adoption['state'], one: string, many: string): string =>
    counted(rows.filter(({ state }) => state === wanted).length, one, many);
  const last = `${count('tags-only', 'gets', 'get')} no more than tags, ${count('pending', 'has', 'have')} pending changes, ${count('problem', 'has', 'have')} problems`;
  const worst = rows[0]?.state;
  return {
    code: incomplete || worst === 'problem' ? 1 : worst === 'pending' ? 2 : 0,
    rows,
    text: [...rows.map(inWords), '', last].join('\n'),
    errors: incomplete ? ['not everything could be read: there may be more'] : [],
  };
}

function inWords({ state, name, because, plan }: Adoption): string {
  const shown = state === 'tags-only' || plan === undefined ? [] : [plan.replace(/^/gm, '    ')];
  return [`${state}: ${name}`, ...because.map((line) => `  ${line}`), ...shown].join('\n');
}
