import type { Service, ManagedFields } from './kubernetes.ts';
import type { Key, ServiceKey } from './request.ts';
import { FIELD_MANAGER } from './ownership.ts';

/** The condition's reason of a Service that is not levelset's to look after any more (decision 150). */
export const RELEASED_REASON = 'Released';
export const TAKEN_OVER_REASON = 'TakenOver';

/** Why levelset changes nothing of a Service any more, and deletes nothing of it without approval. */
export interface Released {
  readonly because: string;
  /** Another controller has written the Service's status. */
  readonly takenOver: boolean;
  /** That controller has the same finalizer, so it is the one to take it off. */
  readonly keepsFinalizer: boolean;
  /** The approval to delete what the Service has. Absent: the Service does not say yet that it was released. */
  readonly approval?: string;
  readonly isApproved: boolean;
}

/** The object of work of the Service controller: one Service, with everything of its own in OpenStack. */
export interface ServiceObject {
  readonly key: Key;
  readonly name: ServiceKey;
  readonly service?: Service;
  readonly wanted: boolean;
  /** Present if the Service wants a load balancer, or is being deleted, and is not levelset's to look after any more. */
  readonly released?: Released;
  /** A sweep or a person asks: floating IPs that are left over are looked for as well, which costs one list. */
  readonly withLeftovers?: true;
}

/** How much of an object is observed: `shallow`, for the sweep, leaves out what is on the load balancer. */
export type Depth = 'deep' | 'shallow';

/** The state that is kept for an object, so that a sweep need not observe it in full (design.md, "The sweep is cheap"). */
export interface ServiceState {
  /** Hash of the desired state that a run found to be met, or that OpenStack refused. */
  readonly hash: string;
  /** Hash of what was desired when the object was last settled, but for what follows the Nodes. Absent: what differs is no drift. */
  readonly asked?: string;
  /** Drift was told of and stays: each sweep reads the object in full, to tell of its end. */
  readonly driftStays?: true;
  /** `updated_at` of the load balancer at that time; null before its first change, and where OpenStack refused. */
  readonly updated_at: string | null;
  readonly awaitingApproval?: number;
  /**
   * Not all of it was read since levelset wrote, or another change may hide in the same second: the next sweep
   * reads it in full.
   */
  readonly unsure?: true;
  /**
   * Why OpenStack refused to create the load balancer. The same is not tried again for a while: each such POST may
   * leak a VIP port (decision 522).
   */
  readonly rejected?: string;
  readonly rejectedAt?: string;
  readonly rejections?: number;
  /** When the object was last compared with everything that is there, or, if `unsure`, settled; RFC 3339. */
  readonly compared?: string;
  /** The node-selector that the Service's annotation last had, while it could be read; absent without one. */
  readonly nodeSelector?: string;
}

export function otherController(service: Service | undefined): ManagedFields | undefined {
  const writes = service?.metadata.managedFields ?? [];
  const others = writes.filter((write) => write.manager !== FIELD_MANAGER && isController(write));
  return others.sort((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))[0];
}

/** The last write of another controller, if it came after levelset's last write of the status. */
export function secondController(service: Service | undefined): ManagedFields | undefined {
  const writes = service?.metadata.managedFields ?? [];
  const own = writes.filter(
    ({ manager, subresource }) => manager === FIELD_MANAGER && subresource === 'status',
  );
  const [last] = own.flatMap(({ time }) => time ?? []).sort((a, b) => b.localeCompare(a));
  if (last === undefined) return undefined;
  const other = otherController(service);
  return (other?.time ?? '') > last ? other : undefined;
}

/** Only a service controller writes the load balancer's address. A Go controller counts by its name: it may have written only annotations. */
function isController({ manager = '', fieldsV1 }: ManagedFields): boolean {
  const status = fieldsV1?.['f:status'];
  const writesAddress = typeof status === 'object' && status !== null && 'f:loadBalancer' in status;
  return writesAddress || manager.endsWith('cloud-controller-manager');
}
