import { fingerprint } from '../model/json.ts';
import type { Change, AwaitingApproval } from '../model/plan.ts';

/** The length of an approval: short enough to copy, and long enough that no two changes share one. */
const LENGTH = 12;

/**
 * The approval of a change, which a person copies into the annotation `approve`: a short hash of all that the
 * change is about.
 */
export function approvalOf(what: readonly unknown[]): string {
  return fingerprint(what).slice(0, LENGTH);
}

/** Collects the changes that wait for approval. */
export class ApprovalGate {
  readonly awaitingApproval: AwaitingApproval[] = [];
  readonly #uid: string;
  readonly #approved: ReadonlySet<string>;

  constructor(uid: string, approved: readonly string[]) {
    this.#uid = uid;
    this.#approved = new Set(approved);
  }

  /** Whether this change is approved. An approval holds for exactly this change of this Service (decision 34). */
  allows(change: Omit<AwaitingApproval, 'approval'>): boolean {
    const approval = this.#approvalOf(change);
    if (this.#approved.has(approval)) return true;
    this.awaitingApproval.push({ ...change, approval });
    return false;
  }

  #approvalOf({ address, verb, changes }: Omit<AwaitingApproval, 'approval'>): string {
    const what = changes.map(({ attribute, from, to }: Change) => [attribute, from ?? null, to ?? null]);
    return approvalOf([this.#uid, address, verb, what]);
  }
}
