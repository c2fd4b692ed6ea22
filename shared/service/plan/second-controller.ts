import type { ManagedFields, Service } from '../../model/kubernetes.ts';
import { FIELD_MANAGER } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';

/**
 * Another controller that looks after the Service as well: it wrote, after levelset did. Both would write the load
 * balancer, each what the other undoes (decision 37). One that was stopped before levelset came is none, and one that is
 * stopped is forgotten with levelset's next write. Times of managedFields have whole seconds.
 */
export function secondControllerProblems(service: Service | undefined): readonly Problem[] {
  const writes = service?.metadata.managedFields ?? [];
  const own = writes.filter(
    ({ manager, subresource }) => manager === FIELD_MANAGER && subresource === 'status',
  );
  const [last] = own.flatMap(({ time }) => time ?? []).sort((a, b) => b.localeCompare(a));
  if (last === undefined) return [];
  const other = writes.find(
    (write) => write.manager !== FIELD_MANAGER && isController(write) && (write.time ?? '') > last,
  );
  if (!other) return [];
  const message = `wrote this Service at ${other.time ?? ''}, after levelset did: two controllers look after it, and each undoes what the other does; stop one of them (docs/migration.md)`;
  return [{ field: 'field manager', value: other.manager ?? '', message, momentary: true }];
}

/** Nobody but a service controller writes where the load balancer is; the Go ones also write annotations. */
function isController({ manager = '', fieldsV1 }: ManagedFields): boolean {
  const status = fieldsV1?.['f:status'];
  const writesAddress = typeof status === 'object' && status !== null && 'f:loadBalancer' in status;
  return writesAddress || manager.endsWith('cloud-controller-manager');
}
