/** Where in OpenStack the load balancers of a cluster are. */
export interface LoadBalancerPlace {
  readonly project_id: string;
  /** Of Octavia's endpoint. Absent: the catalog names none, or none was recorded. */
  readonly region?: string;
}

export const PLACE = 'levelset-place';
