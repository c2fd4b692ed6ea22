import { DEFAULT } from '../model/drift.ts';
import type { Drift, SetByOthers } from '../model/drift.ts';
import type { Plan } from '../model/plan.ts';
import { printable, quote } from '../model/text/text.ts';
import { isRef } from './compare.ts';

/** What somebody else changed, as one line: what is there and what is not, who asks for it, and since when. */
export function noteOfDrift(drift: Drift): string {
  const { since, attribute, wanted, there } = drift;
  const what = attribute === undefined && there === undefined ? 'what it was on changed' : 'changed';
  const why = [
    ...(wanted === undefined ? [] : [askedFor(drift)]),
    ...(since === undefined ? [] : [`${what} ${since}`]),
  ];
  return printable(`${whatIs(drift)}${why.length === 0 ? '' : ` (${why.join('; ')})`}`);
}

function whatIs({ address, attribute, wanted, there }: Drift): string {
  if (Array.isArray(there) && Array.isArray(wanted))
    return `${address} ${attribute ?? ''}${inItems(there, wanted)}`;
  if (attribute !== undefined)
    return `${address} ${attribute} is ${inWords(there)} instead of ${inWords(wanted)}`;
  return there === undefined ? `${address} is missing` : `${address} is there, and nobody asks for it`;
}

/** What a list lacks, and what it has besides. */
function inItems(there: readonly unknown[], wanted: readonly unknown[]): string {
  const named = (items: readonly unknown[]): string => items.map(quote).join(', ');
  const texts = wanted.map(quote);
  const lacks = wanted.filter((item) => !there.map(quote).includes(quote(item)));
  const besides = there.filter((item) => !texts.includes(quote(item)));
  if (lacks.length + besides.length === 0) return ` are ${named(there)} instead of ${named(wanted)}`;
  return [
    ...(lacks.length === 0 ? [] : [` lack ${named(lacks)}`]),
    ...(besides.length === 0 ? [] : [` have ${named(besides)} besides`]),
  ].join(',');
}

function askedFor({ askedBy }: Drift): string {
  return askedBy === DEFAULT ? askedBy : `asked for by ${askedBy}`;
}

function inWords(value: unknown): string {
  if (isRef(value)) return value.$ref;
  return value === null ? 'unset' : quote(value);
}

/** A value that nobody asks for, as one line. */
export function noteOfOthers({ address, attribute, there, usual }: SetByOthers): string {
  return printable(
    `${address} ${attribute} is ${quote(there)}, usually ${quote(usual)}; nobody asks for it, so it stays`,
  );
}

/** What levelset does about drift. */
export function whatBecomesOf({ driftStays }: Pick<Plan, 'driftStays'>): string {
  return driftStays ? 'levelset leaves it (drift: report)' : 'levelset undoes it';
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
  const title = `${name}: ${count === 0 ? 'no drift' : `${count} ${count === 1 ? 'change' : 'changes'} by somebody else; ${whatBecomesOf(plan)}`}`;
  const { drift = [], setByOthers = [] } = plan;
  const lines = [
    ...drift.map((one) => `* ${noteOfDrift(one)}`),
    ...setByOthers.map((one) => `. set by others: ${noteOfOthers(one)}`),
  ];
  return [title, ...lines.map((line) => `  ${line}`)].map(printable).join('\n');
}
