/** Where in OpenStack the load balancers of a cluster are. */
export interface LoadBalancerPlace {
  readonly project_id: string;
  /** Absent: the configuration names none. */
  readonly region?: string;
}

/** The ConfigMap of levelset's namespace that records the place. */
export const PLACE = 'levelset-place';
