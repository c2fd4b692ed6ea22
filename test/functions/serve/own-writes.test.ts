/** Our own writes wake nobody, whoever levelset is and wherever the state is kept (decision 172). */
import { expect, test, vi } from 'vitest';
import { eventList, serviceEvent } from '../../unit/trigger/audit-events.ts';
import { deployed, post } from '../lambda/deployed.ts';
import { sandboxWorld } from '../sandbox-world.ts';
import { running } from '../running.ts';
import { AUDIT_TOKEN } from '../../http/tokens.ts';

const FLAGS = { stateNamespace: 'levelset-state', serviceAccount: 'ops/levelset' };

/** A write of ServiceAccounts of two namespaces, to a Service with the name of its own. */
const batch = eventList(
  ['levelset', 'ops'].map((namespace) =>
    serviceEvent('patch', {
      auditID: namespace,
      user: { username: `system:serviceaccount:${namespace}:levelset` },
      objectRef: { resource: 'services', namespace: 'shop', name: namespace, subresource: 'status' },
    }),
  ),
);
const COUNTS = { accepted: 1, skipped: 0, ignored: 1, keys: 1 };

test.each([
  [FLAGS, 'levelset'],
  [{ stateNamespace: FLAGS.stateNamespace }, 'ops'],
])('levelset serve with %j queues what others wrote alone', async (flags, other) => {
  const { lines, post } = await running(await sandboxWorld(), { ...flags, dryRun: true });
  const answer = await post('/audit/kubernetes', AUDIT_TOKEN, batch);
  expect(await answer.json()).toEqual(COUNTS);
  await expect.poll(() => lines.join('\n')).toContain(`"object":"service/shop/${other}"`);
});

test('so does the function audit', async () => {
  const { aws } = await deployed();
  vi.stubEnv('LEVELSET_STATE_NAMESPACE', FLAGS.stateNamespace);
  vi.stubEnv('LEVELSET_SERVICE_ACCOUNT', FLAGS.serviceAccount);
  const { body } = await post('audit', '/audit/kubernetes', AUDIT_TOKEN, batch);
  expect(JSON.parse(body ?? '')).toEqual(COUNTS);
  expect(aws.sent.map(({ groupId }) => groupId)).toEqual(['service/shop/levelset']);
});
