/** What is remembered of a unit, so that the next sweep need not look deeper (design.md, "The sweep is cheap"). */
export interface UnitState {
  /** Hash of the desired state that was found to be met, or refused. */
  readonly hash: string;
  /** `updated_at` of the load balancer when it was found met; null before its first change. */
  readonly updated_at: string | null;
  /** How many changes wait for approval; absent for none. */
  readonly awaitingApproval?: number;
  /**
   * OpenStack refused to create this very thing: not tried again by sweeps, since each such POST to Octavia leaks a VIP
   * port of the project (decision 39).
   */
  readonly rejected?: string;
}
