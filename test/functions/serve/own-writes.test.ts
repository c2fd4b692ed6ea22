/** Our own writes wake nobody, wherever the state is kept (decision 172). */
import { expect, test, vi } from 'vitest';
import { eventList, serviceEvent } from '../../unit/trigger/audit-events.ts';
import { call, deployed } from '../lambda/deployed.ts';
import { sandboxWorld } from '../sandbox-world.ts';
import { running } from '../running.ts';
import { AUDIT_TOKEN } from '../../http/tokens.ts';

const OURS = ['levelset', 'ops'];
const CASES = [
  [{ stateNamespace: 'levelset-state' }, 'ops'],
  [{ stateNamespace: 'levelset-state', serviceAccount: 'ops/levelset' }, 'levelset'],
] as const;

/** A write of each ServiceAccount, to a Service of its name. */
const batch = eventList(
  OURS.map((namespace) =>
    serviceEvent('patch', {
      auditID: namespace,
      user: { username: `system:serviceaccount:${namespace}:levelset` },
      objectRef: { resource: 'services', namespace: 'shop', name: namespace, subresource: 'status' },
    }),
  ),
);

/** Of the two only the one that is not ours names a Service. */
const COUNTS = { accepted: 1, skipped: 0, ignored: 1, keys: 1 };

test.each(CASES)('levelset serve with %j', async (flags, other) => {
  const serving = await running(await sandboxWorld(), { ...flags, dryRun: true });

  const answer = await serving.post('/audit/kubernetes', AUDIT_TOKEN, batch);

  expect(await answer.json()).toEqual(COUNTS);
  await expect.poll(() => serving.lines.join('\n')).toContain(`"object":"service/shop/${other}"`);
});

test.each(CASES)('the function audit with %j', async (flags, other) => {
  const world = await deployed();
  vi.stubEnv('LEVELSET_STATE_NAMESPACE', flags.stateNamespace);
  if ('serviceAccount' in flags) vi.stubEnv('LEVELSET_SERVICE_ACCOUNT', flags.serviceAccount);

  const answer = await call('audit', {
    method: 'POST',
    rawPath: '/audit/kubernetes',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${AUDIT_TOKEN}` },
    body: JSON.stringify(batch),
  });

  expect(JSON.parse(answer.body ?? '')).toEqual(COUNTS);
  expect(world.aws.sent.map(({ groupId }) => groupId)).toEqual([expect.stringMatching(`/${other}$`)]);
});
