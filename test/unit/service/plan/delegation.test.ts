import { expect, test } from 'vitest';
import type { DesiredResource, ObservedResource } from '../../../../shared/model/resources.ts';
import { delegationProblems } from '../../../../shared/service/plan/plan-input.ts';

const REF = 'http://127.0.0.1:9311/v1/secrets/aaaaaaaa-0000-4000-8000-0000000000c2';

// prettier-ignore
const desired: readonly DesiredResource[] = [
  { kind: 'listener', address: 'listener/tcp/80', attributes: { protocol: 'TCP' } },
  { kind: 'listener', address: 'listener/tcp/443', attributes: { protocol: 'TERMINATED_HTTPS', default_tls_container_ref: REF } },
];

const observed = (ref: string | null): readonly ObservedResource[] => [
  {
    kind: 'listener',
    address: 'listener/tcp/443',
    id: 'l',
    whose: 'ours',
    wire: { id: 'l', default_tls_container_ref: ref, sni_container_refs: [] },
  },
];

test('an application credential cannot set a certificate, and the message names the way out', () => {
  const [problem, ...others] = delegationProblems(desired, [], 'application-credential');
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ field: 'listener/tcp/443', blocking: true });
  expect(problem?.message).toContain('user with a password');
  expect(delegationProblems(desired, observed(null), 'application-credential')).toHaveLength(1);
});

test('what names its certificate already is changed as usual, and a user may set any', () => {
  const there = observed(REF.replace('127.0.0.1', 'barbican'));
  expect(delegationProblems(desired, there, 'application-credential')).toEqual([]);
  expect(delegationProblems(desired, [], 'password')).toEqual([]);
});
