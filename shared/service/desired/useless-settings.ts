import type { Problem } from '../../model/plan.ts';
import { ANNOTATIONS, NEEDS, type AnnotationNeed, type AnnotationRow } from '../intent/annotations.ts';
import type { Port } from '../intent/ports.ts';
import type { Spelling } from '../intent/read-annotations.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

/** Values that switch something off. They are no Problem if no port makes use of them. */
const OFF: readonly unknown[] = [undefined, false, null, 'NONE'];

/**
 * A Problem for each annotation of which no port makes use, since something that it needs is missing. An annotation
 * that has an effect on at least one port is no Problem.
 */
export function uselessSettings({ ports }: ServiceIntent): readonly Problem[] {
  return ANNOTATIONS.flatMap((row) => uselessOf(row, ports));
}

function uselessOf(row: AnnotationRow, ports: readonly Port[]): readonly Problem[] {
  const { needs } = row;
  if (needs.length === 0) return [];
  const spelled = ports.flatMap((port) => {
    const spelling = port.spelled[`${row.on}.${row.sets}`];
    const missing = needs.find((need) => !port.meets.has(need));
    return spelling ? [{ spelling, missing, isOff: OFF.includes(valueOf(row, port)) }] : [];
  });
  const used = new Set(spelled.flatMap(({ spelling, missing }) => (missing ? [] : [spelling.name])));
  const found = spelled.flatMap(({ spelling, missing, isOff }) =>
    missing && !isOff && !used.has(spelling.name) ? [problemOf(row, spelling, missing)] : [],
  );
  return [...new Map(found.map((problem) => [problem.field, problem])).values()];
}

function valueOf(row: AnnotationRow, port: Port): unknown {
  const values = (port as unknown as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[row.on];
  return values?.[row.sets];
}

function problemOf({ unused }: AnnotationRow, { name, text }: Spelling, need: AnnotationNeed): Problem {
  return unused === 'blocks'
    ? {
        field: name,
        value: text,
        message: `needs ${NEEDS[need]}; levelset changes nothing until there is one, since people may rely on it`,
        blocking: true,
      }
    : { field: name, value: text, message: `needs ${NEEDS[need]}; levelset ignores it` };
}
