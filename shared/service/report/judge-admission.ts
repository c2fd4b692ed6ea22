import type { Config } from '../../config/config.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { Problem } from '../../model/plan.ts';
import type { InTurns } from '../../model/turns.ts';
import { noteOf } from '../../report/plan-notes.ts';
import { manifestProblems } from '../desired/manifest-problems.ts';
import { wantsLoadBalancer } from '../unit.ts';

/** What becomes of a mistake that a write brings: a warning, or a refusal. */
export type AdmissionMode = 'warn' | 'refuse';

/** A Service as somebody wants to have it, and as it was before. */
export interface Writing {
  readonly service: Service;
  /** Absent for a Service that is created. */
  readonly before?: Service;
}

/** What the writer hears. */
export interface Verdict {
  /** Why the write is refused; absent if it is allowed. */
  readonly refusal?: string;
  readonly warnings: readonly string[];
}

const SAYS_NOTHING: Verdict = { warnings: [] };

/** An apiserver passes on 4 kB of warnings (docs/sources/kubernetes.md, "Admission webhooks"). */
const MOST_NOTES = 10;

/**
 * Judges a write of a Service, in the words of a run. A Service that levelset does not look after, or that leaves, is not looked at.
 * Refused is only what makes it worse: an old mistake stops no other change.
 */
export function* judgeAdmission(
  { service, before }: Writing,
  mode: AdmissionMode,
  config: Config,
): InTurns<Verdict> {
  if (!isOurs(service, config)) return SAYS_NOTHING;
  const problems = yield* manifestProblems(service, config);
  if (problems.length === 0) return SAYS_NOTHING;
  if (mode === 'warn') return { warnings: notesOf(problems) };
  const old = before && isOurs(before, config) ? yield* manifestProblems(before, config) : [];
  const worse = worseIn(problems, old);
  const warnings = notesOf(problems.filter((problem) => !worse.includes(problem)));
  return worse.length === 0 ? { warnings } : { refusal: notesOf(worse).join('; '), warnings };
}

function isOurs(service: Service, config: Config): boolean {
  return config.controllers.includes('service-lb-controller') && wantsLoadBalancer(service, config);
}

/** The Problems of which there are more than before. Of a wrong value that was changed and is as wrong there are not. */
function worseIn(problems: readonly Problem[], old: readonly Problem[]): readonly Problem[] {
  const kindOf = ({ field, message }: Problem): string => `${field}\n${message}`;
  const before = Map.groupBy(old, kindOf);
  const groups = [...Map.groupBy(problems, kindOf)];
  return groups.flatMap(([kind, now]) => (now.length > (before.get(kind)?.length ?? 0) ? now : []));
}

function notesOf(problems: readonly Problem[]): readonly string[] {
  const more = problems.length - MOST_NOTES;
  const notes = problems.slice(0, MOST_NOTES).map(noteOf);
  return more > 0 ? [...notes, `and ${more} more`] : notes;
}
