import type { Flags } from '../../shared/config/read-flags.ts';
import { isSettledWithin, valueWithin } from '../../shared/deadline.ts';
import { isError } from '../../shared/model/errors.ts';
import { attempt, inParallel } from '../../shared/observe/reads.ts';
import type { World } from '../../shared/ports.ts';
import { connectWithLogins } from '../connect-with-logins.ts';
import type { Connected } from '../world.ts';
import { askLeader, leadFor, type Order } from './lead.ts';
import { RegisteredClusters } from './registered-clusters.ts';
import { coloured, commandLog, inWords, misused, printObjects, printsObjects } from './command.ts';

export interface CommandResult {
  readonly code: number;
  readonly text?: string;
  /** The objects of the array that json and yaml print in place of the text. */
  readonly rows?: readonly object[];
  readonly errors?: readonly string[];
}

/** @param print Prints a text, each line of it with the name of the cluster where there are several. */
export type OnOne = (world: World, print: (text: string) => void) => Promise<CommandResult>;

interface EachClusterOptions {
  /** Set: the command writes (without --dry-run), as the process that leads or by asking it at --server-url, one cluster after another. */
  readonly writes?: Order;
  /** The command works on one cluster, so --clusters needs --cluster. */
  readonly onOne?: true;
  readonly withoutKeystone?: true;
}

const READ_AT_ONCE = 8;

/** Does a command for the clusters that the flags name; a failure in one holds up no other. Returns the exit code: 1 if any has it, else 2. */
export async function eachCluster(
  flags: Flags,
  env: NodeJS.ProcessEnv,
  runOne: OnOne,
  { writes, onOne, withoutKeystone }: EachClusterOptions = {},
): Promise<number> {
  const asked = withoutKeystone ? runOne : afterKeystone(runOne);
  const run = async (connected: Connected, label: Label): Promise<CommandResult> => {
    const act = (): Promise<CommandResult> =>
      asked(connected.world, (text) => {
        console.log(label(text));
      });
    if (!writes || flags.dryRun) return act();
    try {
      return await leadFor(connected, act);
    } catch (error) {
      if (flags.serverUrl === undefined || !isError(error) || error.code !== 'CLUSTER_HELD') throw error;
      return askLeader(writes, flags, env, connected.world.cluster);
    }
  };
  if (!flags.clusters) {
    if (flags.cluster) throw misused('--cluster names an entry of --clusters: give both, or none');
    const asIs: Label = (text) => text;
    const told = await run(await connectWithLogins({ flags, env, log: commandLog(flags) }), asIs);
    if (printsObjects(flags)) await printObjects(told.rows ?? [], flags);
    show(told, asIs, flags);
    return told.code;
  }
  const registered = await RegisteredClusters.of(flags, env);
  const names = onOne || flags.cluster ? [await registered.one(flags)] : await registered.names();
  const codes = new Map<string, number>();
  const rows: object[] = [];
  let shown = Promise.resolve();
  await inParallel(names, writes ? 1 : READ_AT_ONCE, (name) => {
    const label: Label = (text) => text.replace(/^(?=.)/gm, `${name}: `);
    const turn = registered.open(name).then((connected) => run(connected, label));
    const told = turn.catch((error: unknown): CommandResult => ({ code: 1, errors: [inWords(error)] }));
    const before = shown;
    shown = told.then(async (its) => {
      await before;
      show(its, label, flags);
      codes.set(name, its.code);
      rows.push(...(its.rows ?? []).map((row) => ({ cluster: name, ...row })));
    });
    return told;
  });
  await shown;
  if (printsObjects(flags)) await printObjects(rows, flags);
  return sumUp(names, codes);
}

type Label = (text: string) => string;

/** Asks Keystone first, so that it is said once, and soon, when it refuses or does not answer. */
function afterKeystone(run: OnOne): OnOne {
  const [waitsMs, stopsMs] = [2_000, 10_000];
  return async (world, print) => {
    const at = world.cluster === undefined ? ` at ${world.config.openstack.authUrl}` : ''; // decision 460
    const asked = attempt(world.cloud.projectId());
    if (!(await isSettledWithin(asked, waitsMs))) world.log.warn(`waiting for Keystone${at}`);
    const answer = await valueWithin(stopsMs - waitsMs, asked);
    if (answer === undefined)
      return { code: 1, errors: [`Keystone${at} did not answer within ${stopsMs / 1_000} s`] };
    if (!isError(answer)) return run(world, print);
    const isLogged = answer.code === 'UNAUTHORIZED' && world.cluster === undefined; // who is refused, and by which file
    return { code: 1, errors: isLogged ? [] : [inWords(answer)] };
  };
}

function show({ text, errors = [] }: CommandResult, label: Label, flags: Flags): void {
  if (text && !printsObjects(flags)) console.log(label(coloured(text)));
  for (const error of errors) console.error(`levelset: ${label(error)}`);
}

function sumUp(names: readonly string[], codes: ReadonlyMap<string, number>): number {
  const partOf = (code: number): readonly string[] => {
    const its = names.filter((name) => codes.get(name) === code);
    return its.length > 0 ? [`exit ${code}: ${its.join(', ')}`] : [];
  };
  const parts = [...partOf(1), ...partOf(2)];
  if (names.length > 1 && parts.length > 0) console.error(`levelset: ${parts.join('; ')}`);
  const all = [...codes.values()];
  return all.includes(1) ? 1 : Math.max(0, ...all);
}
