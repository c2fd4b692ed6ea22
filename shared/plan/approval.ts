import { fingerprint } from '../model/json.ts';
import type { Change, AwaitingApproval } from '../model/plan.ts';

/** So much of the hash that a person can copy it, and nobody hits another one by chance. */
const LENGTH = 12;

/** What an owner names to say yes: a short hash of all that it is about. */
export function approvalOf(what: readonly unknown[]): string {
  return fingerprint(what).slice(0, LENGTH);
}

/** Collects what waits for a person; what was approved is not held up. */
export class ApprovalGate {
  readonly awaitingApproval: AwaitingApproval[] = [];
  readonly #uid: string;
  readonly #approved: ReadonlySet<string>;

  constructor(uid: string, approved: readonly string[]) {
    this.#uid = uid;
    this.#approved = new Set(approved);
  }

  /** Whether this may be done. The approval is for exactly this change, of this Service (decision 34). */
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
