/** A CIDR that is claimed for a Node, whether the Node has it yet or not (decision 29). */
export interface CidrClaim {
  readonly cidr: string;
  /** Name of the Node. */
  readonly node: string;
  /** UID of the Node. */
  readonly uid: string;
  /** The Lease that is the claim, as it was listed. */
  readonly lease: { readonly uid: string; readonly resourceVersion: string };
}
