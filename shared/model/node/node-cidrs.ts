/** A CIDR that was taken for a Node, whether the Node has it yet or not (decision 29). */
export interface CidrClaim {
  readonly cidr: string;
  /** The Node's name and UID. */
  readonly node: string;
  readonly uid: string;
  /** Of the Lease as it was listed. */
  readonly lease: { readonly uid: string; readonly resourceVersion: string };
}
