/** Flavors and availability zones of Octavia: what its operator offers for new load balancers. */
export interface Offer {
  /** Of a zone its name. */
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
}

export interface OfferQuestion {
  readonly flavors: boolean;
  readonly zones: boolean;
}

/** What was looked up; absent: nobody asked, or this Octavia has none. */
export interface Offers {
  /** The load balancer is there: what it was made with it keeps. */
  readonly isMade?: boolean;
  readonly flavors?: readonly Offer[];
  readonly zones?: readonly Offer[];
}
