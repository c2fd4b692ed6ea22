import type { Drift, SetByOthers } from '../model/drift.ts';
import type { Plan } from '../model/plan.ts';
import { printable, quote } from '../model/text/text.ts';
import { isRef } from './compare.ts';

/** What somebody else changed, as one line: what is there, who asks for what, and since when. */
export function noteOfDrift(drift: Drift): string {
  const { since } = drift;
  return printable(`${whatIs(drift)}${since === undefined ? '' : ` (OpenStack: changed ${since})`}`);
}

function whatIs({ address, attribute, wanted, there, askedBy }: Drift): string {
  if (attribute !== undefined)
    return `${address} ${attribute} is ${quote(there)}; ${askedBy} asks for ${isRef(wanted) ? wanted.$ref : quote(wanted)}`;
  return there === undefined
    ? `${address} is missing; ${askedBy} asks for it`
    : `${address} is there, and nobody asks for it`;
}

/** A value that nobody asks for, as one line. */
export function noteOfOthers({ address, attribute, there, usual }: SetByOthers): string {
  return printable(
    `${address} ${attribute} is ${quote(there)}, usually ${quote(usual)}; nobody asks for it, so it stays`,
  );
}

/** What levelset does about drift. */
export function whatBecomesOf({ driftStays }: Pick<Plan, 'driftStays'>): string {
  return driftStays ? 'levelset leaves it (drift: report)' : 'levelset puts it back';
}

/** The lines about drift, and about what others have set. */
export function driftLines(plan: Plan): readonly string[] {
  const { drift = [], setByOthers = [] } = plan;
  return [
    ...drift.map((one) => `* drift: ${noteOfDrift(one)}; ${whatBecomesOf(plan)}`),
    ...setByOthers.map((one) => `. set by others: ${noteOfOthers(one)}`),
  ];
}

/** Drift and what others have set of one unit, as text for people. */
export function renderDrift(plan: Plan): string {
  const name = plan.services.length > 0 ? plan.services.join(', ') : plan.unit;
  const count = plan.drift?.length ?? 0;
  const title = `${name}: ${count === 0 ? 'no drift' : `${count} changed in OpenStack by somebody else; ${whatBecomesOf(plan)}`}`;
  const { drift = [], setByOthers = [] } = plan;
  const lines = [
    ...drift.map((one) => `* ${noteOfDrift(one)}`),
    ...setByOthers.map((one) => `. set by others: ${noteOfOthers(one)}`),
  ];
  return [title, ...lines.map((line) => `  ${line}`)].map(printable).join('\n');
}
