import { APPROVE } from '../model/ownership.ts';
import { isBlocked, type Change, type CreateStep, type Plan, type Step } from '../model/plan.ts';
import { clip, printable, quote } from '../model/text/text.ts';
import type { Attributes } from '../model/resources.ts';
import { isRef } from '../model/address.ts';

/** The plan as text, one block per step with signs as in a diff. Text from others cannot break out of its line. `withIds` adds ids. */
export function renderPlan(plan: Plan, withIds = false): string {
  const waits = plan.locked !== undefined && plan.steps.length === 0;
  const what = waits ? 'waits for Octavia' : summarizeSteps(plan.steps);
  const still =
    plan.steps.length === 0 ? 'levelset changes nothing' : `but members follow the Nodes: ${what}`;
  const lines = [`${nameOf(plan)}: ${isBlocked(plan) ? `blocked, ${still}` : what}`];
  for (const step of plan.steps) {
    const [first = '', ...rest] = renderStep(step);
    const id = withIds && 'id' in step && typeof step.id === 'string' ? `  [${step.id}]` : '';
    lines.push(...[first + id, ...rest].map((line) => `  ${line}`));
  }
  for (const refusal of plan.refused) {
    lines.push(`  ! levelset keeps ${refusal.address} as it is: ${refusal.reason}`);
    lines.push(...refusal.changes.map((change) => `      ${renderChange(change)}`));
  }
  for (const { address, verb, changes, reason, approval } of plan.awaitingApproval) {
    const sign = { create: '+', update: '~', delete: '-' }[verb];
    lines.push(`  = ${sign} ${address} waits for approval ${approval}: ${reason}`);
    lines.push(...changes.map((change) => `      ${renderChange(change)}`));
  }
  if (plan.drift) lines.push(`  * ${driftInWords(plan)}`);
  if (plan.driftStays) lines.push(...(plan.drift ?? []).map((step) => `      ${noteOfStep(step)}`));
  const approve = approveWith(plan);
  if (approve !== undefined) lines.push(`    approve with the annotation ${approve}`);
  if (plan.locked !== undefined) lines.push(`  ? the load balancer ${plan.locked}`);
  for (const problem of plan.problems) {
    lines.push(`  ? ${problem.field} = ${quote(problem.value)}: ${problem.message}`);
  }
  for (const address of plan.foreign) lines.push(`  . ${address} is not levelset's and stays`);
  if (plan.sharedWith) lines.push(`  . the load balancer is shared with ${plan.sharedWith.join(', ')}`);
  if (plan.keepsMembers) lines.push('  . no node is eligible, so the pools keep their members');
  return lines.map(printable).join('\n');
}

function nameOf({ services, object }: Plan): string {
  return services.length > 0 ? services.join(', ') : object;
}

/** The drift of one object as text for people; of one that is not settled yet, and so has none, what is left to do. */
export function renderDrift(plan: Plan): string {
  const { drift = [], steps } = plan;
  const what = plan.drift ? driftInWords(plan) : `not settled yet, ${summarizeSteps(steps)}`;
  return [`${nameOf(plan)}: ${what}`, ...drift.map((step) => `  * ${noteOfStep(step)}`)]
    .map(printable)
    .join('\n');
}

export function driftInWords(plan: Pick<Plan, 'drift' | 'driftStays'>): string {
  return `drift, ${summarizeSteps(plan.drift ?? [])}; ${whatBecomesOf(plan)}`;
}

export function whatBecomesOf({ driftStays }: Pick<Plan, 'driftStays'>): string {
  return driftStays ? 'levelset only adds what is missing (drift: report)' : 'levelset undoes it';
}

/** So many changes of one step stand in one line. */
const MOST_CHANGES = 5;

export function noteOfStep(step: Step): string {
  const [first = '', ...rest] = renderStep(step).map((line) => line.trim());
  if (step.verb === 'create' || rest.length === 0) return printable(first);
  const more = rest.length - MOST_CHANGES;
  const shown = [...rest.slice(0, MOST_CHANGES), ...(more > 0 ? [`and ${more} more`] : [])];
  return printable(`${first}: ${shown.join(', ')}`);
}

/** The steps as lines for a log, below 8 kB: a run of many ports logs them again with each write. */
export function renderBriefly(steps: readonly Step[]): readonly string[] {
  const lines = steps.slice(0, 20).map((step) => clip(noteOfStep(step), 180));
  const more = steps.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

/** The annotation that approves every change that waits for approval; undefined if none does. */
export function approveWith({
  awaitingApproval,
  refused,
}: Pick<Plan, 'awaitingApproval' | 'refused'>): string | undefined {
  const hashes = [...refused, ...awaitingApproval].flatMap(({ approval }) => approval ?? []);
  return hashes.length > 0 ? `${APPROVE}: ${[...new Set(hashes)].join(',')}` : undefined;
}

const VERBS = {
  create: 'create',
  update: 'update',
  members: 'update',
  delete: 'delete',
  failover: 'fail over',
} as const;

export function summarizeSteps(steps: readonly Step[]): string {
  const counts = new Map<string, number>();
  for (const step of steps) {
    const verb = VERBS[step.verb];
    counts.set(verb, (counts.get(verb) ?? 0) + 1);
  }
  const parts = [...counts].map(([verb, count]) => `${count} to ${verb}`);
  return parts.length > 0 ? parts.join(', ') : 'nothing to do';
}

function renderStep(step: Step): readonly string[] {
  const because = step.because ? `  (${step.because})` : '';
  switch (step.verb) {
    case 'create':
      return [`+ ${step.address}${because}`, ...renderTree(step)];
    case 'update':
      return [
        `~ ${step.address}${because}`,
        ...step.changes.flatMap((change) => changeLines(step, change)).map((line) => `    ${line}`),
      ];
    case 'delete':
      return [`- ${step.address}${step.cascade ? ' and everything on it' : ''}${because}`];
    case 'failover':
      return [`~ ${step.address} failover${because}`];
    case 'members':
      return [
        `~ ${step.address} members${step.additive ? ', the others untouched' : ', the whole pool in one call'}${because}`,
        ...step.added.map((member) => `    + ${member}`),
        ...step.changed.map((member) => `    ~ ${member}`),
        ...step.removed.map((member) => `    - ${member}`),
      ];
  }
}

/** One line for each label and annotation of a Node, of which levelset sets only some. */
function changeLines({ kind }: Step, change: Change): readonly string[] {
  const { attribute, from, to } = change;
  if (kind !== 'node' || !['labels', 'annotations'].includes(attribute)) return [renderChange(change)];
  const before = from as Attributes;
  return Object.entries(to as Attributes).map(([key, value]) =>
    renderChange({ attribute: `${attribute} ${key}`, from: before[key], to: value }),
  );
}

function renderChange({ attribute, from, to }: Change): string {
  if (!Array.isArray(from) || !Array.isArray(to)) return `${attribute}: ${textOf(from)} -> ${textOf(to)}`;
  const [before, after] = [from.map(itemText), to.map(itemText)];
  const gone = before.filter((item) => !after.includes(item)).map((item) => `- ${item}`);
  const added = after.filter((item) => !before.includes(item)).map((item) => `+ ${item}`);
  const differences = gone.length + added.length > 0 ? [...gone, ...added] : ['in the order', ...after];
  return `${attribute}: ${differences.join(' ')}`;
}

/** An item with one of these is a Node's address, a taint or a route, and is printed as its values alone. */
const IDENTIFYING = ['type', 'key', 'destination'];

function itemText(item: unknown): string {
  if (item === null || typeof item !== 'object') return textOf(item);
  const identifies = IDENTIFYING.some((name) => name in item);
  return identifies ? Object.values(item).join(' ') : textOf(item);
}

function textOf(value: unknown): string {
  return isRef(value) ? value.$ref : JSON.stringify(value ?? null);
}

const CHILDREN: Readonly<Record<string, string>> = {
  listeners: 'listener',
  default_pool: 'pool',
  members: 'member',
  healthmonitor: 'monitor',
  l7policies: 'l7policy',
  rules: 'l7rule',
};

function renderTree(step: CreateStep): readonly string[] {
  const alternatives = (step.alternatives ?? []).flatMap((other) => renderAttributes(other, '    or '));
  return [...renderAttributes(step.attributes, '    '), ...alternatives];
}

function renderAttributes(attributes: Attributes, indent: string): readonly string[] {
  return Object.entries(attributes).flatMap(([name, value]) => {
    const child = CHILDREN[name];
    if (!child) return [`${indent}${name}: ${textOf(value)}`];
    return asList(value).flatMap((inner) => [
      `${indent}+ ${child} ${titleOf(inner)}`,
      ...(child === 'member' ? [] : renderAttributes(inner, `${indent}    `)),
    ]);
  });
}

function asList(value: unknown): readonly Attributes[] {
  return (Array.isArray(value) ? value : [value]) as readonly Attributes[];
}

function titleOf(attributes: Attributes): string {
  const {
    address,
    protocol,
    protocol_port: port,
    type,
  } = attributes as Readonly<Record<string, string | undefined>>;
  if (address !== undefined) return `${address}:${port ?? ''}`;
  return [protocol ?? type, port].filter((part) => part !== undefined).join(' ');
}
