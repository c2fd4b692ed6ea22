import { describe, expect, test } from 'vitest';
import { toPkcs12 } from '../../../shared/model/tls/pkcs12.ts';
import { readTlsSecret } from '../../../shared/model/tls/tls-secret.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { aTlsSecret, keyOfPair, type Pair } from '../../support/tls-secret.ts';
import { cloudWrites, forceDelete, leftovers, readyOf } from '../../support/told.ts';

const OWN = 'levelset.openstack.org/';

const it = inEachTest(() => startSandboxWorld());

/** As a person puts it into Barbican; its address as Barbican has it. */
async function inBarbican(pair: Pair): Promise<string> {
  const read = readTlsSecret(aTlsSecret(pair));
  const stored = await it.world.cloud.create('secret', {
    name: `by hand: ${pair}`,
    payload: 'pair' in read ? toPkcs12(read.pair).toString('base64') : '',
    payload_content_type: 'application/octet-stream',
    payload_content_encoding: 'base64',
  });
  return String(stored['secret_ref']);
}

const HTTPS = { ports: [{ name: 'https', port: 443, targetPort: 8080 }] };
const ask = (annotations: Record<string, string | null>, namespace = 'default'): void => {
  it.sandbox.kube.apply(
    aService({ annotations: annotations as Record<string, string>, namespace, spec: HTTPS }),
  );
};
const listener = (): Readonly<Record<string, unknown>> | undefined => it.sandbox.cloud.listeners[0];
const keep = (pair: Pair, name = 'web-tls'): void => {
  const { type, data } = aTlsSecret(pair);
  it.sandbox.kube.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, type, data: { ...data } });
};
const stored = (): readonly string[] => it.sandbox.cloud.secrets.map(({ name }) => name);

test('certificates of Barbican make the port terminate TLS, are changed in place, and leave it when they are no longer asked for', async () => {
  const [one, two] = [await inBarbican('one'), await inBarbican('two')];
  ask({ [`${OWN}tls-container-refs`]: one, 'loadbalancer.openstack.org/x-forwarded-for': 'true' });
  await it.settle('web');
  expect(listener()).toMatchObject({
    protocol: 'TERMINATED_HTTPS',
    default_tls_container_ref: one,
    insert_headers: { 'X-Forwarded-For': 'true' },
  });
  expect(it.sandbox.cloud.pools).toMatchObject([{ protocol: 'HTTP' }]);
  const { id } = listener() ?? {};

  // only the id in an address counts, wherever it says that Barbican is
  const elsewhere = two.replace(/^https?:\/\/[^/]+/, 'https://evil.example');
  ask({ [`${OWN}tls-container-refs`]: `${elsewhere}, ${one}`, [`${OWN}tls-versions`]: 'TLSv1.3' });
  await it.settle('web');
  const changed = {
    id,
    default_tls_container_ref: two,
    sni_container_refs: [one],
    tls_versions: ['TLSv1.3'],
  };
  expect(listener()).toMatchObject(changed);

  ask({ [`${OWN}tls-container-refs`]: two, [`${OWN}tls-versions`]: null });
  await it.settle('web');
  expect(listener()).toMatchObject({ id, sni_container_refs: [], tls_versions: ['TLSv1.2', 'TLSv1.3'] });

  ask({ [`${OWN}tls-container-refs`]: null, 'loadbalancer.openstack.org/x-forwarded-for': null });
  await it.settle('web');
  expect(it.sandbox.cloud.listeners).toMatchObject([{ protocol: 'TCP' }]);
  expect(stored()).toHaveLength(2);
});

describe('certificates of Secrets', () => {
  test('are kept in Barbican, follow their Secret, and go with the Service', async () => {
    keep('one');
    keep('rsa', 'other-tls');
    ask({ [`${OWN}tls-secret`]: 'web-tls, other-tls' });
    await it.settle('web');
    const first = stored();
    expect(first).toHaveLength(2);
    expect(first[0]).toMatch(/^levelset\/[0-9a-f]{12}\/default\/web\/web-tls\/[0-9a-f]{16}$/);
    const refs = it.sandbox.cloud.secrets.map(({ id }) => expect.stringMatching(`/secrets/${id}$`) as string);
    expect(listener()).toMatchObject({ default_tls_container_ref: refs[0], sni_container_refs: [refs[1]] });

    keep('two');
    await it.sweepUntilSettled();
    expect(stored()).toHaveLength(2);
    expect(stored()).toContain(first[1]);
    expect(stored()).not.toContain(first[0]);
    const renewed = it.sandbox.cloud.secrets.find(({ name }) => name.includes('/web-tls/'));
    expect(listener()?.['default_tls_container_ref']).toMatch(new RegExp(`/secrets/${renewed?.id ?? ''}$`));
    expect(cloudWrites(it.sandbox).slice(-3)).toEqual([
      'POST /key-manager/v1/secrets',
      'PUT listeners/ID',
      'DELETE /key-manager/v1/secrets/ID',
    ]);

    await it.remove('web');
    expect(stored()).toEqual([]);
    expect(leftovers(it.sandbox)).toEqual({});
  });

  test('that another process stored go with the Service as well', async () => {
    ask({ [`${OWN}tls-secret`]: 'web-tls' });
    expect((await it.settle('web')).outcome.status).toBe('blocked');
    keep('one');
    await it.sweepUntilSettled(await it.another());
    expect(stored()).toHaveLength(1);

    await it.remove('web');

    expect(stored()).toEqual([]);
  });

  test('leave Barbican when the Service does without, or takes another one', async () => {
    keep('one');
    ask({ [`${OWN}tls-secret`]: 'web-tls' });
    await it.settle('web');

    ask({ [`${OWN}tls-secret`]: null });
    await it.sweepUntilSettled();

    expect(it.sandbox.cloud.listeners).toMatchObject([{ protocol: 'TCP' }]);
    expect(stored()).toEqual([]);
  });

  test('that nobody has any more are found by the sweep', async () => {
    keep('one');
    ask({ [`${OWN}tls-secret`]: 'web-tls' });
    await it.settle('web');
    it.sandbox.cloud.loadbalancers.length = 0;
    it.sandbox.cloud.listeners.length = 0;
    it.sandbox.cloud.pools.length = 0;
    it.sandbox.cloud.floatingips.length = 0;
    forceDelete(it.sandbox);

    await it.sweepUntilSettled(await it.another());

    expect(stored()).toEqual([]);
  });

  test('that were stored by a run whose answer was lost are found, not stored twice', async () => {
    keep('one');
    ask({ [`${OWN}tls-secret`]: 'web-tls' });
    await it.settle('web');
    const [name = ''] = stored();
    await it.remove('web');
    const read = readTlsSecret(aTlsSecret('one'));
    const attributes = {
      ...{ name, mode: `levelset-${await it.world.kube.clusterId()}`, secret_type: 'opaque' },
      payload: 'pair' in read ? toPkcs12(read.pair).toString('base64') : '',
      ...{ payload_content_type: 'application/octet-stream', payload_content_encoding: 'base64' },
    };
    // this process has just seen that there are none
    await it.world.cloud.create('secret', attributes);
    ask({ [`${OWN}tls-secret`]: 'web-tls' });
    await it.settle('web');

    expect(stored()).toEqual([name]);
  });

  test.each([
    ['are not there', undefined, 'is not a Secret of the namespace default'],
    ['are of another type', aTlsSecret('one', { type: 'Opaque' }), 'is not of type kubernetes.io/tls'],
    [
      'have the key of another',
      aTlsSecret('one', { key: keyOfPair('two') }),
      'does not belong to its certificate',
    ],
    ['have no certificate', aTlsSecret('one', { crt: 'no' }), 'has no certificate in tls.crt'],
  ])('that %s stop everything, and say why', async (_what, secret, why) => {
    const { type, data } = secret ?? {};
    if (secret)
      it.sandbox.kube.apply({ kind: 'Secret', metadata: { name: 'web-tls' }, type, data: { ...data } });
    ask({ [`${OWN}tls-secret`]: 'web-tls' });

    expect((await it.settle('web')).outcome.status).toBe('blocked');
    expect(readyOf(it.sandbox)?.message).toContain(why);
    expect(cloudWrites(it.sandbox)).toEqual([]);
  });

  test('of a namespace that did not opt in are blocked with the way to do it', async () => {
    it.sandbox.kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'closed' } });
    ask({ [`${OWN}tls-secret`]: 'web-tls' }, 'closed');

    const { outcome } = await it.settle('closed/web');

    expect(outcome).toMatchObject({ status: 'blocked' });
    expect(JSON.stringify(outcome)).toContain('opts in by a Role');
  });
});

test('TLS to the members is there from the first connection on, although Octavia makes no such pool with the rest', async () => {
  ask({ [`${OWN}pool-tls`]: 'true', [`${OWN}protocol`]: 'http' });
  await it.settle('web');
  expect(it.sandbox.cloud.pools).toMatchObject([{ tls_enabled: true }]);
  expect(listener()).toMatchObject({ default_pool_id: it.sandbox.cloud.pools[0]?.id });
  expect(it.sandbox.cloud.members).toHaveLength(3);
  expect(cloudWrites(it.sandbox).filter((write) => write === 'POST loadbalancers')).toHaveLength(1);
});
