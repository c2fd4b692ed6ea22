import { describe, expect, test } from 'vitest';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { asPkcs12, keepTlsSecret, type aTlsSecret, type Pair } from '../../support/tls-secret.ts';
import { cloudWrites, forceDelete, leftovers } from '../../support/told.ts';

const OWN = 'levelset.openstack.org/';

const it = inEachTest(() => startSandboxWorld());

/** As a person puts it into Barbican; its address as Barbican has it. */
async function inBarbican(pair: Pair): Promise<string> {
  const stored = await it.world.cloud.create('secret', { name: `by hand: ${pair}`, ...asPkcs12(pair) });
  return String(stored['secret_ref']);
}

const HTTPS = { ports: [{ name: 'https', port: 443, targetPort: 8080 }] };
/** As a Service asks for a Secret. */
const SECRET = { [`${OWN}tls-secret`]: 'web-tls' };
const ask = (annotations: Record<string, string | null>, namespace = 'default') =>
  it.make({ annotations: annotations as Record<string, string>, namespace, spec: HTTPS });
const listener = () => it.cloud.listeners[0];
const keep = (pair: Pair, name = 'web-tls') => keepTlsSecret(it, pair, { name });
const stored = (): readonly string[] => it.cloud.secrets.map(({ name }) => name);

test('certificates of Barbican make the port terminate TLS, are changed in place, and leave it when they are no longer asked for', async () => {
  const [one, two] = [await inBarbican('one'), await inBarbican('two')];
  await ask({ [`${OWN}tls-container-refs`]: one, 'loadbalancer.openstack.org/x-forwarded-for': 'true' });
  expect(listener()).toMatchObject({
    protocol: 'TERMINATED_HTTPS',
    default_tls_container_ref: one,
    insert_headers: { 'X-Forwarded-For': 'true' },
  });
  expect(it.cloud.pools).toMatchObject([{ protocol: 'HTTP' }]);
  const { id } = listener() ?? {};

  // only the id in an address counts, wherever it says that Barbican is
  const elsewhere = two.replace(/^https?:\/\/[^/]+/, 'https://evil.example');
  await ask({ [`${OWN}tls-container-refs`]: `${elsewhere}, ${one}`, [`${OWN}tls-versions`]: 'TLSv1.3' });
  const changed = {
    id,
    default_tls_container_ref: two,
    sni_container_refs: [one],
    tls_versions: ['TLSv1.3'],
  };
  expect(listener()).toMatchObject(changed);

  await ask({ [`${OWN}tls-container-refs`]: two, [`${OWN}tls-versions`]: null });
  expect(listener()).toMatchObject({ id, sni_container_refs: [], tls_versions: ['TLSv1.2', 'TLSv1.3'] });

  await ask({ [`${OWN}tls-container-refs`]: null, 'loadbalancer.openstack.org/x-forwarded-for': null });
  expect(it.cloud.listeners).toMatchObject([{ protocol: 'TCP' }]);
  expect(stored()).toHaveLength(2);
});

describe('certificates of Secrets', () => {
  test('are kept in Barbican, follow their Secret, and go with the Service', async () => {
    keep('one');
    keep('rsa', 'other-tls');
    await ask({ [`${OWN}tls-secret`]: 'web-tls, other-tls' });
    const first = stored();
    expect(first).toHaveLength(2);
    expect(first[0]).toMatch(/^levelset\/[0-9a-f]{12}\/default\/web\/web-tls\/[0-9a-f]{16}$/);
    const refs = it.cloud.secrets.map(({ id }) => expect.stringMatching(`/secrets/${id}$`) as string);
    expect(listener()).toMatchObject({ default_tls_container_ref: refs[0], sni_container_refs: [refs[1]] });

    keep('two');
    await it.sweepUntilSettled();
    expect(stored()).toHaveLength(2);
    expect(stored()).toContain(first[1]);
    expect(stored()).not.toContain(first[0]);
    const renewed = it.cloud.secrets.find(({ name }) => name.includes('/web-tls/'));
    expect(listener()?.['default_tls_container_ref']).toMatch(new RegExp(`/secrets/${renewed?.id ?? ''}$`));
    const secrets = '/key-manager/v1/secrets';
    const inOrder = [`POST ${secrets}`, 'PUT listeners/ID', `DELETE ${secrets}/ID`];
    expect(cloudWrites(it).slice(-3)).toEqual(inOrder);

    await it.remove('web');
    expect(stored()).toEqual([]);
    expect(leftovers(it)).toEqual({});
  });

  test('that another process stored go with the Service as well', async () => {
    expect((await ask(SECRET)).outcome.status).toBe('blocked');
    keep('one');
    await it.sweepUntilSettled(await it.another());
    expect(stored()).toHaveLength(1);

    await it.remove('web');

    expect(stored()).toEqual([]);
  });

  test('leave Barbican when the Service does without, or takes another one', async () => {
    keep('one');
    await ask(SECRET);

    await ask({ [`${OWN}tls-secret`]: null });
    await it.sweepUntilSettled();

    expect(it.cloud.listeners).toMatchObject([{ protocol: 'TCP' }]);
    expect(stored()).toEqual([]);
  });

  test('that nobody has any more are found by the sweep', async () => {
    keep('one');
    await ask(SECRET);
    const { loadbalancers, listeners, pools, floatingips } = it.cloud;
    for (const rows of [loadbalancers, listeners, pools, floatingips]) rows.length = 0;
    forceDelete(it);

    await it.sweepUntilSettled(await it.another());

    expect(stored()).toEqual([]);
  });

  test('that were stored by a run whose answer was lost are found, not stored twice', async () => {
    keep('one');
    await ask(SECRET);
    const [name = ''] = stored();
    await it.remove('web');
    // this process has just seen that there are none
    const mode = `levelset-${await it.world.kube.clusterId()}`;
    await it.world.cloud.create('secret', { name, mode, secret_type: 'opaque', ...asPkcs12('one') });
    await ask(SECRET);

    expect(stored()).toEqual([name]);
  });

  test.each<[string, Parameters<typeof aTlsSecret>[1] | undefined, string]>([
    ['are not there', undefined, 'is not a Secret of the namespace default'],
    ['are of another type', { type: 'Opaque' }, 'is not of type kubernetes.io/tls'],
  ])('that %s stop everything, and say why', async (_what, other, why) => {
    if (other) keepTlsSecret(it, 'one', other);

    expect((await ask(SECRET)).outcome.status).toBe('blocked');
    expect(it.told()).toContain(why);
    expect(cloudWrites(it)).toEqual([]);
  });

  test('of a namespace that did not opt in are blocked with the way to do it', async () => {
    it.kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'closed' } });

    const { outcome } = await ask(SECRET, 'closed');

    expect(outcome).toMatchObject({ status: 'blocked' });
    expect(JSON.stringify(outcome)).toContain('opts in by a Role');
  });
});

test('TLS to the members is there from the first connection on, although Octavia makes no such pool with the rest', async () => {
  await ask({ [`${OWN}pool-tls`]: 'true', [`${OWN}protocol`]: 'http' });
  expect(it.cloud.pools).toMatchObject([{ tls_enabled: true }]);
  expect(listener()).toMatchObject({ default_pool_id: it.cloud.pools[0]?.id });
  expect(it.cloud.members).toHaveLength(3);
  expect(cloudWrites(it).filter((write) => write === 'POST loadbalancers')).toHaveLength(1);
});
