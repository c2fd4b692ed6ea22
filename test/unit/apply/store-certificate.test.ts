import { expect, test } from 'vitest';
import { storeCertificate } from '../../../shared/apply/store-certificate.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import type { CreateStep } from '../../../shared/model/plan.ts';
import { readTlsSecret } from '../../../shared/model/tls/tls-secret.ts';
import { SimulatedCloud } from '../../support/simulated-cloud.ts';
import { aTlsSecret, secretsOf } from '../../support/tls-secret.ts';

const read = readTlsSecret(aTlsSecret('one'));
const fingerprint = 'pair' in read ? read.fingerprint : '';

const step: CreateStep = {
  verb: 'create',
  kind: 'secret',
  address: `secret/web-tls/${fingerprint}`,
  attributes: {
    ...{ name: 'levelset/x/default/web/web-tls/y', mode: 'levelset-x', secret_type: 'opaque' },
    payload: { $secret: 'default/web-tls', fingerprint },
  },
};
const kube = secretsOf({ 'web-tls': aTlsSecret('one') });

test('what is stored has a name and no payload to be seen, and is not stored twice', async () => {
  const cloud = new SimulatedCloud();
  const first = await storeCertificate(step, { cloud, kube });
  expect(first).toMatchObject({ name: 'levelset/x/default/web/web-tls/y', mode: 'levelset-x' });
  expect(first['payload']).toBeUndefined();
  const second = await storeCertificate(step, { cloud, kube });
  expect(second.id).toBe(first.id);
  expect(cloud.writes).toEqual(['create secret']);
});

test('a Secret that changed since the plan is not stored', async () => {
  const cloud = new SimulatedCloud();
  const changed = secretsOf({ 'web-tls': aTlsSecret('two') });
  await expect(storeCertificate(step, { cloud, kube: changed })).rejects.toMatchObject({
    code: 'KUBE_CONFLICT',
  });
  await expect(storeCertificate(step, { cloud, kube: secretsOf({}) })).rejects.toMatchObject({
    code: 'KUBE_CONFLICT',
  });
  expect(cloud.writes).toEqual([]);
});

test('a refusal that repeats what it refuses does not get through', async () => {
  class Talkative extends SimulatedCloud {
    override create(
      ...[, attributes]: Parameters<SimulatedCloud['create']>
    ): ReturnType<SimulatedCloud['create']> {
      return Promise.reject(new ReconcileError('REJECTED', `'${String(attributes['payload'])}' is too long`));
    }
  }
  const error = await storeCertificate(step, { cloud: new Talkative(), kube }).catch((one: unknown) => one);
  expect(error).toMatchObject({ code: 'REJECTED' });
  expect((error as Error).message.length).toBeLessThan(100);
});
