import { planNotes } from '../../report/notes.ts';
import type { Evaluation } from '../evaluate.ts';

/** What of the wishes is not met, one line each, and how to say yes to what waits. */
export function notesOf({ plan, desired }: Evaluation): readonly string[] {
  return [...(desired.keepMembers ? ['there are no available nodes'] : []), ...planNotes(plan)];
}
