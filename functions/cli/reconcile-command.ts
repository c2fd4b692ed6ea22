import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../../shared/model/outcome.ts';
import type { World } from '../../shared/ports.ts';
import { comebackDelayMs } from '../../shared/queue/comeback.ts';
import { connect } from '../world.ts';
import { findRequests, readObjects } from './objects.ts';
import { logOf, type CliFlags } from './options.ts';
import { describe, exitCode, runRequests } from './run-requests.ts';

/** `levelset reconcile`: these objects now, and with --wait again until none is progressing. A blocked one is a failure. */
export async function reconcileCommand(
  objects: readonly string[],
  flags: CliFlags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const keys = readObjects(objects);
  const { world } = await connect({ flags, env, log: logOf(flags, 'warn') });
  const requests = await findRequests(keys, world);
  if (requests.length === 0) console.log('Nothing to do: everything is as desired.');
  const dryRun = flags.dryRun === true;
  const print = (report: Report): void => {
    console.log(describe(report));
  };
  const first = await runRequests(
    requests.map((request) => ({ ...request, dryRun })),
    world,
    print,
  );
  const reports = flags.wait && !dryRun ? await waitForAll(first, world, print) : first;
  return reports.some(({ outcome }) => outcome.status === 'blocked') ? 1 : exitCode(reports);
}

async function waitForAll(
  first: readonly Report[],
  world: World,
  print: (report: Report) => void,
): Promise<readonly Report[]> {
  let reports = first;
  for (let attempt = 0; ; attempt += 1) {
    const progressing = reports.filter(({ outcome }) => outcome.status === 'progressing');
    if (progressing.length === 0) return reports;
    const delays = progressing.map(({ outcome }) => comebackDelayMs(outcome, attempt, Math.random) ?? 0);
    await sleep(Math.min(...delays));
    const again = await runRequests(
      progressing.map(({ request }) => request),
      world,
      (report) => {
        if (report.outcome.status !== 'progressing') print(report);
      },
    );
    reports = [...reports.filter((report) => !progressing.includes(report)), ...again];
  }
}
