import type { Flags } from '../../shared/config/read-flags.ts';
import type { Plan } from '../../shared/model/plan.ts';
import { asServiceKey, type Key, type SweepScope } from '../../shared/model/request.ts';
import { printable, quote } from '../../shared/model/text/text.ts';
import { renderDrift, renderPlan } from '../../shared/plan/render-plan.ts';
import type { World } from '../../shared/ports.ts';
import { ADOPTION_STATES, judgeAdoptions, type Adoption } from '../../shared/report/adoption-report.ts';
import { explainService, type ExplainedService } from '../../shared/service/report/object-details.ts';
import { counted, misused, type RunCommand } from './command.ts';
import { eachCluster, type CommandResult } from './each-cluster.ts';
import { adviceIn, describeFailed, findRequests, isMissing, readObjects, runRequests } from './requests.ts';

/** `levelset plan`: text, or an array of plans. */
export const planCommand: RunCommand = (objects, flags, env) => {
  const keys = readObjects(objects, flags);
  return eachCluster(flags, env, async (world) => tellPlans(await findPlans(keys, world), flags));
};

/** `levelset drift`: reads every Service in full, also those that a sweep passes over. */
export const driftCommand: RunCommand = (objects, flags, env) => {
  const keys = readObjects(objects, flags);
  return eachCluster(flags, env, async (world) =>
    tellDrift(await findPlans(keys, world, { everyService: true })),
  );
};

interface FoundPlans {
  readonly plans: readonly Plan[];
  /** The sweep could not read or compare something: there may be more. */
  readonly incomplete: boolean;
  /** One line for each object without a plan, or for all that have none for the same reason. */
  readonly errors: readonly string[];
}

export async function findPlans(
  keys: readonly Key[],
  world: World,
  scope?: Pick<SweepScope, 'everyService'>,
): Promise<FoundPlans> {
  const { requests, incomplete, absent } = await findRequests(keys, world, scope);
  const reports = await runRequests(requests, world, { dryRun: true });
  const missing = reports.filter((report) => isMissing(report, keys));
  return {
    plans: reports.flatMap((report) => (missing.includes(report) ? [] : (report.plan ?? []))),
    incomplete,
    errors: [
      ...[...absent, ...missing.map(({ request }) => request.key)].map((key) => `${key} not found`),
      ...describeFailed(reports, (report) => `${report.request.key}: ${adviceIn(report)}`),
    ],
  };
}

export function tellPlans(
  { plans, incomplete, errors }: FoundPlans,
  { output, detailedExitcode }: Pick<Flags, 'output' | 'detailedExitcode'> = {},
): CommandResult {
  const changes = detailedExitcode && plans.some(({ steps }) => steps.length > 0) ? 2 : 0;
  const code = incomplete || plans.some(isStopped) || errors.length > 0 ? 1 : changes;
  const nothing = incomplete
    ? 'Nothing to do in what could be read.'
    : 'Nothing to do: everything is as desired.';
  const texts = plans.map((plan) => renderPlan(plan, output === 'wide'));
  if (plans.length > 0) texts.push(`Plan: ${countSteps(plans)}.`);
  else if (errors.length === 0) texts.push(nothing);
  return { code, text: texts.join('\n\n'), rows: plans, errors };
}

/** Whether a run of this plan would end as blocked or failed. */
export function isStopped({ problems }: Plan): boolean {
  return problems.some(({ blocking, code }) => blocking ?? code);
}

/** The numbers of the last line of Terraform's plan. A failover is a change. */
function countSteps(plans: readonly Plan[]): string {
  const verbs = plans.flatMap(({ steps }) => steps.map(({ verb }) => verb));
  const add = verbs.filter((verb) => verb === 'create').length;
  const destroy = verbs.filter((verb) => verb === 'delete').length;
  return `${add} to add, ${verbs.length - add - destroy} to change, ${destroy} to destroy`;
}

function tellDrift({ plans, incomplete, errors }: FoundPlans): CommandResult {
  const drifted = plans.some(({ drift }) => drift) ? 2 : 0;
  const shown = plans.filter(({ drift, steps }) => drift ?? steps.length > 0);
  const rows = shown.map(({ object, services, steps, drift = [], driftStays = false }) => ({
    ...{ object, services, drift, driftStays, notSettled: drift.length === 0 ? steps.length : 0 },
  }));
  const looked = incomplete ? 'No drift in what could be read.' : 'No drift.';
  const text = shown.map(renderDrift).join('\n') || (errors.length > 0 ? '' : looked);
  return { code: incomplete || errors.length > 0 ? 1 : drifted, text, rows, errors };
}

/** `levelset adopt --report`: what becomes of all that another controller has made, once levelset is started. */
export const adoptCommand: RunCommand = (_words, flags, env) => {
  if (!flags.report)
    throw misused(
      'adopt needs --report: levelset adopts a load balancer by itself, when it works on the Service; levelset adopt --report says what that would change',
    );
  return eachCluster(flags, env, report);
};

async function report(world: World): Promise<CommandResult> {
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

/** `levelset explain`: prints each value that holds for these Services with what set it, and what does not count. Changes nothing. */
export const explainCommand: RunCommand = (objects, flags, env) => {
  const keys = readObjects(objects, flags);
  const other = keys.find((key) => !asServiceKey(key));
  if (other !== undefined) throw misused(`${other} is not a Service: give svc/NAME and -n NAMESPACE`);
  return eachCluster(flags, env, async (world) => {
    const rows: ExplainedService[] = [];
    const errors: string[] = [];
    for (const key of keys) {
      const explained = await explainService(key, world);
      if (explained) rows.push(explained);
      else errors.push(`${key} not found`);
    }
    return { code: errors.length > 0 ? 1 : 0, errors, rows, text: rows.map(renderExplained).join('\n\n') };
  });
};

export function renderExplained({ object, isOurs, values, ignored }: ExplainedService): string {
  const name = object.replace(/^service\//, '');
  const whose = isOurs
    ? ''
    : ': levelset does not look after this Service; this is how levelset would read it';
  const table = values.map(({ setting, port, value, setBy, questioned }) => [
    port === undefined ? setting : `${setting} (port ${port})`,
    JSON.stringify(value),
    questioned ? `${setBy}, see ? below` : setBy,
  ]);
  const problems = ignored.map(({ field, value, message }) => `  ? ${field} = ${quote(value)}: ${message}`);
  return [`${name}${whose}`, ...columns(table), ...problems].map(printable).join('\n');
}

/** Columns that are wider than this do not push the next one to the right. */
const WIDEST = 48;

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widthOf = (at: number): number => Math.max(...rows.map((row) => row[at]?.length ?? 0));
  const widths = rows[0]?.map((_, at) => Math.min(WIDEST, widthOf(at))) ?? [];
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
}
