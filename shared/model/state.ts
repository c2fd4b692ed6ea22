/** What is remembered of a settled unit, so that the next sweep need not look deeper (design.md, "The sweep is cheap"). */
export interface UnitState {
  /** Hash of the desired state that was found to be met. */
  readonly hash: string;
  /** `updated_at` of the load balancer when it was found met; null before its first change. */
  readonly updated_at: string | null;
}
