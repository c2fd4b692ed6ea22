import { isDeepStrictEqual } from 'node:util';
import type { Plan, Step } from '../../../shared/model/plan.ts';

export interface Difference {
  /** A plan of what is new alone. */
  readonly added: Plan;
  /** Steps that only the other version planned, such as `create pool/tcp/80`. */
  readonly gone: readonly string[];
}

/**
 * What plans have that those of another version of the same world do not have, unit by unit. Of reasons and messages the words do not
 * count, and what drains or waits anyway is no difference. Units without any are left out.
 */
export function comparePlans(plans: readonly Plan[], others: readonly Plan[]): readonly Difference[] {
  const [here, there] = [plans, others].map((list) => new Map(list.map((plan) => [plan.unit, plan])));
  const units = new Set([...plans, ...others].map(({ unit }) => unit));
  return [...units].flatMap((unit) => {
    const plan = here?.get(unit) ?? emptied(there?.get(unit));
    const other = there?.get(unit) ?? emptied(plan);
    if (!plan || !other) return [];
    const added: Plan = {
      ...{ unit, services: plan.services, foreign: [] },
      steps: onlyIn(plan.steps, other.steps, stepFacts),
      refused: onlyIn(plan.refused, other.refused, ({ address, changes }) => [address, changes]),
      awaitingApproval: onlyIn(
        plan.awaitingApproval,
        other.awaitingApproval,
        ({ verb, address, changes }) => [verb, address, changes],
      ),
      problems: onlyIn(plan.problems, other.problems, ({ field, value, blocking }) => [
        field,
        value,
        blocking,
      ]),
    };
    const gone = onlyIn(other.steps, plan.steps, stepFacts).map(stepName);
    return isEmpty(added) && gone.length === 0 ? [] : [{ added, gone }];
  });
}

/** Whether a plan of what is new has nothing in it. */
export function isEmpty({ steps, refused, awaitingApproval, problems }: Plan): boolean {
  return [steps, refused, awaitingApproval, problems].every(({ length }) => length === 0);
}

export function stepName({ verb, address }: Step): string {
  return `${verb} ${address}`;
}

function emptied(plan: Plan | undefined): Plan | undefined {
  return plan && { ...plan, steps: [], refused: [], awaitingApproval: [], problems: [] };
}

function stepFacts(step: Step): unknown {
  return { ...step, because: undefined };
}

/** Those of `items` whose facts none of `others` has. One of two plans was read from JSON, which has no `undefined`. */
function onlyIn<T>(items: readonly T[], others: readonly T[], factsOf: (item: T) => unknown): readonly T[] {
  const known = others.map((other) => asJson(factsOf(other)));
  return items.filter((item) => {
    const facts = asJson(factsOf(item));
    return !known.some((one) => isDeepStrictEqual(one, facts));
  });
}

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
