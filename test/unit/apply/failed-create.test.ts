import { expect, test } from 'vitest';
import { afterFailedCreate } from '../../../shared/apply/apply.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { SimulatedCloud } from '../../support/simulated-cloud.ts';

test.each([
  ['an address that is in use', 409, 'REJECTED', /no floating IP of this project/],
  ['a subnet that no router joins to the external network', 404, 'CONFLICT', /^why$/],
])('a floating IP of spec.loadBalancerIP and %s', async (_what, status, code, says) => {
  const attributes = { floating_ip_address: '203.0.113.7' };
  const step = { verb: 'create', kind: 'floatingip', address: 'floatingip', attributes } as const;
  const error = new ReconcileError('CONFLICT', 'why', { status });
  const told = await afterFailedCreate(error, step, 0, { cloud: new SimulatedCloud(), clock: Date });
  expect([told.code, told.message]).toEqual([code, expect.stringMatching(says)]);
});
