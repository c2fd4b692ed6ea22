/** Our own writes wake nobody, wherever the state is kept (decision 172). */
import { expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../../functions/serve.ts';
import { eventList, serviceEvent } from '../../unit/trigger/audit-events.ts';
import { call, deployed } from '../lambda/deployed.ts';
import { sandboxWorld } from '../sandbox-world.ts';
import { AUDIT_TOKEN } from '../../http/tokens.ts';

const OURS = ['levelset', 'ops'] as const;
type Flags = Readonly<Record<'stateNamespace' | 'serviceAccount', string>> | { stateNamespace: string };

const CASES: readonly (readonly [Flags, (typeof OURS)[number]])[] = [
  [{ stateNamespace: 'levelset-state' }, 'levelset'],
  [{ stateNamespace: 'levelset-state', serviceAccount: 'ops/levelset' }, 'ops'],
];

const body = JSON.stringify(
  eventList(
    OURS.map((namespace) =>
      serviceEvent('patch', {
        auditID: namespace,
        user: { username: `system:serviceaccount:${namespace}:levelset` },
        objectRef: { resource: 'services', namespace: 'shop', name: namespace, subresource: 'status' },
      }),
    ),
  ),
);

/** Of two writes, one by each ServiceAccount, only the one that is not ours names a Service. */
const COUNTS = { accepted: 1, skipped: 0, ignored: 1, keys: 1 };

test.each(CASES)('levelset serve with %j', async (flags, own) => {
  const world = await sandboxWorld();
  const lines: unknown[] = [];
  const note = (message: string, fields?: object): void => void lines.push({ message, ...fields });
  const serving = await serve({
    flags: { ...world.flags, ...flags, listen: '127.0.0.1:0', sweepInterval: '1h', dryRun: true },
    env: { LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN },
    log: { debug: note, info: note, warn: note, error: note },
  });
  onTestFinished(() => serving.stop());

  const answer = await fetch(`${serving.url}/audit/kubernetes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${AUDIT_TOKEN}`, 'Content-Type': 'application/json' },
    body,
  });

  expect(await answer.json()).toEqual(COUNTS);
  const other = OURS.find((namespace) => namespace !== own);
  await vi.waitFor(() => {
    expect(lines).toContainEqual(
      expect.objectContaining({ object: `service/shop/${other ?? ''}`, trigger: 'audit' }),
    );
  });
});

test.each(CASES)('the function audit with %j', async (flags, own) => {
  const world = await deployed();
  vi.stubEnv('LEVELSET_STATE_NAMESPACE', flags.stateNamespace);
  if ('serviceAccount' in flags) vi.stubEnv('LEVELSET_SERVICE_ACCOUNT', flags.serviceAccount);

  const answer = await call('audit', {
    method: 'POST',
    rawPath: '/audit/kubernetes',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${AUDIT_TOKEN}` },
    body,
  });

  expect(JSON.parse(answer.body ?? '')).toEqual(COUNTS);
  expect(world.aws.sent.map(({ groupId }) => groupId).join()).not.toContain(`/${own}`);
});
