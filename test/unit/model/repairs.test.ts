import { describe, expect, test } from 'vitest';
import { lastingRepairs, type Repair } from '../../../shared/model/repairs.ts';

const HOUR_MS = 3_600_000;
const NOW = 1_000 * HOUR_MS;
const aRepair = (hoursAgo: number, more: Partial<Repair> = {}): Repair => ({
  ...{ how: 'failover', id: 'lb-1', service: 'service/default/web', at: NOW - hoursAgo * HOUR_MS },
  ...more,
});
const there = new Map([
  ['lb-1', 'port-1'],
  ['lb-2', 'port-2'],
]);

describe('what lasts in the record of repairs', () => {
  test('is of the last day, and of each load balancer the last that was approved and the last that left its port', () => {
    const [approved, kept, lately] = [
      aRepair(60, { approved: true }),
      aRepair(50, { port: 'port-1' }),
      aRepair(23, { how: 'rebuild' }),
    ];
    const other = aRepair(40, { id: 'lb-2', approved: true, port: 'port-2' });
    const all = [
      aRepair(90, { approved: true }),
      aRepair(80, { port: 'port-1' }),
      approved,
      kept,
      other,
      aRepair(30),
      lately,
    ];
    expect(lastingRepairs(all, NOW, there)).toEqual([approved, kept, other, lately]);
  });

  test('ends with the load balancer, and with its port', () => {
    const gone = [
      aRepair(30, { id: 'lb-3', approved: true }),
      aRepair(30, { id: 'lb-3', port: 'port-3' }),
      aRepair(30, { port: 'port-9' }),
    ];
    expect(lastingRepairs(gone, NOW, there)).toEqual([]);
  });
});
