import type { ResourceKind, WireResource } from '../resources.ts';
import { isLocked } from './octavia.ts';

/** The tables of Octavia's database, by kind. */
const TABLES: Partial<Record<ResourceKind, string>> = {
  loadbalancer: 'load_balancer',
  healthmonitor: 'health_monitor',
};

/**
 * What whoever runs the cloud has to do about a resource that Octavia left in PENDING; undefined while Octavia may still end it.
 *
 * @param anHourAgo RFC 3339. Octavia itself gives a new amphora up within half of that.
 */
export function howToFree(kind: ResourceKind, wire: WireResource, anHourAgo: string): string | undefined {
  const { id, provisioning_status: status, updated_at: updated, created_at: created } = wire;
  // Octavia's times are UTC and do not say so
  const since = `${String(updated ?? created)}Z`;
  if (!isLocked(wire) || !(since < anHourAgo)) return undefined;
  const table = TABLES[kind] ?? kind;
  return [
    `is in ${String(status)} since ${since}, and Octavia refuses every change of it.`,
    `Whoever runs the cloud looks what the worker says: journalctl -u octavia-worker | grep ${id}.`,
    `If no worker is at it any more, they free it in Octavia's database: UPDATE ${table} SET provisioning_status = 'ERROR' WHERE id = '${id}' AND provisioning_status = '${String(status)}'`,
  ].join(' ');
}
