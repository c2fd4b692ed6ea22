import type { Flags } from '../../../shared/config/read-flags.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { printable } from '../../../shared/model/text/text.ts';
import { renderPlan } from '../../../shared/plan/render-plan.ts';
import { VERSION } from '../../version.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { readBundle } from '../bundle/read-bundle.ts';
import { replayWorld } from '../bundle/replay-world.ts';
import { findPlans, type FoundPlans } from '../find-plans.ts';
import { readObjects } from '../objects.ts';
import { logOf } from '../options.ts';
import { printObjects, printsObjects } from '../outputs.ts';
import { countSteps } from '../plan-command.ts';
import { comparePlans, isEmpty, stepName, type Difference } from './compare-plans.ts';

/**
 * `levelset upgrade --check`: what this version plans of a bundle, and the version that wrote the bundle did not plan. Needs no network.
 * Exit codes: 0 where nothing is new, 2 where something is, 1 where something could not be planned that could be before.
 */
export async function upgradeCommand(file: string, flags: Flags): Promise<number> {
  if (!flags.check)
    throw new ReconcileError(
      'CONFIG_INVALID',
      'upgrade needs --check: levelset is upgraded by its deployment; levelset upgrade --check BUNDLE says what the new version would do',
    );
  const bundle = await readBundle(file);
  const { every: before } = bundle;
  if (!before)
    throw new ReconcileError(
      'CONFIG_INVALID',
      `${file} has no plans of Services that are settled: write it with levelset support-bundle --every-service, by the version that runs`,
    );
  const version = printable(bundle.version);
  const found = await planEverything(bundle, flags);
  const differences = comparePlans(found.plans, before.plans);
  const news = differences.filter(({ added }) => !isEmpty(added)).map(({ added }) => added);
  if (printsObjects(flags)) await printObjects(differences, flags);
  else {
    for (const difference of differences) console.log(`${render(difference)}\n`);
    console.log(
      news.length === 0
        ? `Nothing new: levelset ${VERSION} does nothing that levelset ${version} would not do.`
        : `New with levelset ${VERSION}, and not planned by levelset ${version}: ${countSteps(news)}.`,
    );
  }
  const failures = newFailures(found, before);
  for (const failure of failures) console.error(`levelset: ${failure}`);
  if (failures.length === 0) return news.length > 0 ? 2 : 0;
  console.error(
    'levelset: these could not be compared: levelset plan of this version, run at the cluster, says what it would do, and changes nothing',
  );
  return 1;
}

/** In the order in which support-bundle has planned, since the answers have it. */
async function planEverything(bundle: Bundle, flags: Flags): Promise<FoundPlans> {
  const world = replayWorld(bundle, logOf(flags, 'error'));
  const all = readObjects([], {});
  await findPlans(all, world);
  return findPlans(all, world, { everyService: true });
}

function render({ added, gone }: Difference): string {
  const planned = added.steps.map(stepName);
  const how = (step: string): string => (planned.includes(step) ? 'in place of another' : 'no longer');
  return [renderPlan(added), ...gone.map((step) => printable(`  ${how(step)}: ${step}`))].join('\n');
}

/** What failed before is no news, whatever the words. */
function newFailures(found: FoundPlans, before: FoundPlans): readonly string[] {
  const failed = new Set(before.failures.map(objectOf));
  return [
    ...found.failures.filter((failure) => !failed.has(objectOf(failure))),
    ...(found.incomplete && !before.incomplete ? ['not everything could be read: there may be more'] : []),
  ];
}

function objectOf(failure: string): string {
  return failure.slice(0, failure.indexOf(': '));
}
