import { expect, test } from 'vitest';
import { newMemory } from '../../../../shared/memory/memory.ts';
import { ReconcileError, type ErrorCode } from '../../../../shared/model/errors.ts';
import { observeCertificates } from '../../../../shared/service/observe/certificates.ts';
import { storedName } from '../../../../shared/model/tls/certificate-facts.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import { CERTIFICATE } from '../../../support/cloud-contents.ts';

const clock = { now: () => 0 };
const cluster = { id: 'c1c1c1c1-0000-4000-8000-000000000000', name: 'kubernetes' };
type Reference = Parameters<typeof observeCertificates>[0]['references'][number];
const of = { name: { namespace: 'shop', name: 'web' }, cluster };

const failing = (code: ErrorCode): SimulatedCloud =>
  Object.assign(new SimulatedCloud(), { get: () => Promise.reject(new ReconcileError(code, 'no')) });
const observe = (cloud: SimulatedCloud, references: Reference[]) =>
  observeCertificates({ references }, of, { cloud, clock, memory: newMemory() });

test('what is refused becomes a message in words, and what passes is tried again', async () => {
  for (const code of ['FORBIDDEN', 'CONFIG_INVALID'] as const) {
    const { references } = await observe(failing(code), [{ id: CERTIFICATE }]);
    expect(references.get(CERTIFICATE)).toMatchObject({ because: expect.any(String) as string });
  }
  const asked = observe(failing('CLOUD_UNAVAILABLE'), [{ id: CERTIFICATE }]);
  await expect(asked).rejects.toMatchObject({ code: 'CLOUD_UNAVAILABLE' });
});

test.each([
  ['its namespace’s', cluster, 'shop', true],
  ['another namespace’s', cluster, 'default', false],
  ['another cluster’s, of a namespace of that name', { ...cluster, id: 'c2' }, 'shop', false],
])('the stored copy of %s Secret, by its id: %s', async (_, by, namespace, isUsed) => {
  const cloud = new SimulatedCloud();
  const source = { secret: 'web-tls', fingerprint: '0a1b2c3d4e5f6071' };
  const name = storedName(by, { namespace, name: 'other' }, source);
  const { id } = await cloud.create('secret', { name, secret_type: 'opaque' });
  const { references } = await observe(cloud, [{ id }]);
  expect('ref' in (references.get(id) ?? {})).toBe(isUsed);
});
