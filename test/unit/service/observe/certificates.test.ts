import { expect, test } from 'vitest';
import { newMemory } from '../../../../shared/memory/memory.ts';
import { ReconcileError } from '../../../../shared/model/errors.ts';
import type { ErrorCode } from '../../../../shared/model/errors.ts';
import { observeCertificates } from '../../../../shared/service/observe/certificates.ts';
import { storedName } from '../../../../shared/model/tls/stored-certificate.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import { CERTIFICATE, OTHER_CERTIFICATE } from '../../../support/cloud-contents.ts';

const clock = { now: () => 0 };
const cluster = { id: 'c1c1c1c1-0000-4000-8000-000000000000', name: 'kubernetes' };
const of = { name: { namespace: 'shop', name: 'web' }, cluster };

class Watched extends SimulatedCloud {
  readonly asked: string[] = [];
  readonly fails: ErrorCode | undefined;

  constructor(fails?: ErrorCode) {
    super();
    this.fails = fails;
  }

  override get(...[kind, id]: Parameters<SimulatedCloud['get']>): ReturnType<SimulatedCloud['get']> {
    this.asked.push(`${kind} ${id}`);
    if (this.fails) return Promise.reject(new ReconcileError(this.fails, 'no'));
    return super.get(kind, id);
  }
}

test('an id is looked for as a container, then as a secret, and not again for a minute', async () => {
  const cloud = new Watched();
  const question = { references: [{ id: CERTIFICATE }, { id: OTHER_CERTIFICATE }] };
  const reader = { cloud, clock, memory: newMemory() };
  const { references } = await observeCertificates(question, of, reader);
  await observeCertificates(question, of, reader);
  expect([...references.values()]).toEqual([
    { ref: `http://127.0.0.1:9311/v1/containers/${CERTIFICATE}` },
    { ref: `http://127.0.0.1:9311/v1/secrets/${OTHER_CERTIFICATE}` },
  ]);
  expect(cloud.asked.sort()).toEqual([
    `container ${CERTIFICATE}`,
    `container ${OTHER_CERTIFICATE}`,
    `secret ${OTHER_CERTIFICATE}`,
  ]);
});

test('an address says which of the two it is', async () => {
  const cloud = new Watched();
  const references = [{ id: CERTIFICATE, collection: 'secrets' as const }];
  const facts = await observeCertificates({ references }, of, { cloud, clock, memory: newMemory() });
  expect(cloud.asked).toEqual([`secret ${CERTIFICATE}`]);
  expect(facts.references.get(CERTIFICATE)).toEqual({
    because: 'is no secret of Barbican that this project can see',
  });
});

test.each(['FORBIDDEN', 'CONFIG_INVALID'] as const)('%s becomes a message in words', async (code) => {
  const cloud = new Watched(code);
  const facts = await observeCertificates({ references: [{ id: CERTIFICATE }] }, of, {
    cloud,
    clock,
    memory: newMemory(),
  });
  expect(facts.references.get(CERTIFICATE)).toMatchObject({ because: expect.any(String) as string });
});

test('what passes is tried again', async () => {
  const cloud = new Watched('CLOUD_UNAVAILABLE');
  const asked = observeCertificates({ references: [{ id: CERTIFICATE }] }, of, {
    cloud,
    clock,
    memory: newMemory(),
  });
  await expect(asked).rejects.toMatchObject({ code: 'CLOUD_UNAVAILABLE' });
});

test.each([
  ['its namespace’s', cluster, 'shop', true],
  ['another namespace’s', cluster, 'default', false],
  ['another cluster’s, of a namespace of that name', { ...cluster, id: 'c2' }, 'shop', false],
])('the stored copy of %s Secret, by its id', async (_, by, namespace, isUsed) => {
  const cloud = new Watched();
  const source = { secret: 'web-tls', fingerprint: '0a1b2c3d4e5f6071' };
  const name = storedName(by, { namespace, name: 'other' }, source);
  const { id } = await cloud.create('secret', { name, secret_type: 'opaque' });
  const memory = newMemory();
  const facts = await observeCertificates({ references: [{ id }] }, of, { cloud, clock, memory });
  expect('ref' in (facts.references.get(id) ?? {})).toBe(isUsed);
});
