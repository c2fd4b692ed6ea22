/** Certificates over time: they end, are renewed badly, or are removed. */
import { beforeEach, describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import type { World } from '../../../shared/ports.ts';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { aTlsSecret, certificateOf, keyOfPair, type Pair } from '../../support/tls-secret.ts';
import { cloudWrites, eventsOf, readyOf } from '../../support/told.ts';

const OWN = 'levelset.openstack.org/';
/** Of all certificates of the tests. */
const ENDS = '2126-10-28T09:28:18Z';

const it = inEachTest(() => startSandboxWorld());

const at = (time: string): World => ({ ...it.world, clock: { now: () => Date.parse(time) } });
const ask = (annotations: Record<string, string>): void => {
  it.sandbox.kube.apply(aService({ annotations, spec: { ports: [{ name: 'https', port: 443 }] } }));
};
const keep = (pair: Pair, other: Parameters<typeof aTlsSecret>[1] = {}): void => {
  const { type, data } = aTlsSecret(pair, other);
  it.sandbox.kube.apply({ kind: 'Secret', metadata: { name: 'web-tls' }, type, data: { ...data } });
};
const told = (): string => readyOf(it.sandbox)?.message ?? '';
const shown = (): unknown => it.sandbox.cloud.listeners[0]?.['default_tls_container_ref'];

describe('a certificate of a Secret', () => {
  beforeEach(async () => {
    keep('one');
    ask({ [`${OWN}tls-secret`]: 'web-tls' });
    await it.settle('web');
    await it.sweepUntilSettled();
  });

  test('is known by its end, and no condition names it while that is far', async () => {
    const later = { ...it.world, clock: { now: () => Date.now() + 5_000 } };
    const report = await run({ key: 'service/default/web', trigger: 'resync' }, later);
    expect(report.certificates).toEqual([{ name: 'web-tls', notAfter: ENDS }]);
    const found = await sweep(later);
    expect([...found.certificates]).toEqual([['service/default/web', report.certificates]]);
    expect(told()).not.toContain('renew');
  });

  test('is named once when its end is near, and once when it is there', async () => {
    await it.sweepUntilSettled(at('2126-10-15T00:00:00Z'));
    expect(told()).toContain(`${OWN}tls-secret "web-tls" expires on ${ENDS}: renew it`);
    const events = eventsOf(it.sandbox);
    const writes = cloudWrites(it.sandbox);
    expect((await sweep(at('2126-10-16T00:00:00Z'))).requests).toEqual([]);
    await it.sweepUntilSettled(at('2126-10-17T00:00:00Z'));
    expect(eventsOf(it.sandbox)).toEqual(events);

    await it.sweepUntilSettled(at('2126-10-29T00:00:00Z'));
    expect(told()).toContain(`expired on ${ENDS}, and clients refuse it`);
    expect(readyOf(it.sandbox)?.status).toBe('True');
    expect(cloudWrites(it.sandbox)).toEqual(writes);
  });

  test.each<[string, () => void, string]>([
    [
      'gone',
      () => {
        it.sandbox.kube.delete('Secret', 'default', 'web-tls');
      },
      'is not a Secret of the namespace',
    ],
    [
      'with the key of another',
      () => {
        keep('two', { key: keyOfPair('one') });
      },
      'has a key that does not belong',
    ],
    [
      'without a certificate',
      () => {
        keep('two', { crt: 'no' });
      },
      'has no certificate in tls.crt',
    ],
  ])('serves on while its Secret is %s, and the rest of the Service works', async (_what, spoil, why) => {
    const before = shown();
    spoil();
    it.sandbox.kube.addNode('node-9');
    await it.sweepUntilSettled();
    expect(shown()).toBe(before);
    expect(told()).toContain(why);
    expect(told()).toContain('levelset serves the certificate that it stored before');
    expect(readyOf(it.sandbox)?.status).toBe('True');
    expect(it.sandbox.cloud.members.map(({ name }) => name)).toContain('node-9');

    keep('two');
    await it.sweepUntilSettled();
    expect(shown()).not.toBe(before);
    expect(told()).not.toContain('stored before');
    expect(it.sandbox.cloud.secrets).toHaveLength(1);
  });

  test('is not replaced by one that has expired already', async () => {
    const before = shown();
    keep('two');
    await it.sweepUntilSettled(at('2126-11-01T00:00:00Z'));
    expect(shown()).toBe(before);
    expect(told()).toContain(
      `has a certificate that expired on ${ENDS}; until it is right, levelset serves the certificate that it stored before`,
    );
  });
});

test('a first certificate that has expired is served and named: nothing better is there', async () => {
  keep('one');
  ask({ [`${OWN}tls-secret`]: 'web-tls' });
  await it.sweepUntilSettled(at('2126-11-01T00:00:00Z'));
  expect(shown()).toBeDefined();
  expect(told()).toContain(`expired on ${ENDS}`);
});

describe('a certificate of Barbican', () => {
  const put = async (attributes: Record<string, unknown>): Promise<string> => {
    const stored = await it.world.cloud.create('secret', {
      ...attributes,
      payload_content_type: 'text/plain',
    });
    return String(stored['secret_ref']);
  };

  test('is watched where it stands by itself, and its key is never read', async () => {
    const certificate = await put({ secret_type: 'certificate', payload: certificateOf('rsa') });
    const key = await put({ secret_type: 'private', payload: keyOfPair('rsa') });
    const secret_refs = [
      { name: 'private_key', secret_ref: key },
      { name: 'certificate', secret_ref: certificate },
    ];
    const container = await it.world.cloud.create('container' as 'secret', {
      type: 'certificate',
      secret_refs,
    });
    const { id } = container;
    ask({ [`${OWN}tls-container-refs`]: id });

    const { certificates } = await it.settle('web');

    expect(certificates).toEqual([{ name: id, notAfter: '2126-10-28T09:27:20Z' }]);
    const read = it.sandbox.requests.filter(({ path }) => path.endsWith('/payload')).map(({ path }) => path);
    expect(read.length).toBeGreaterThan(0);
    expect(read.filter((path) => !path.includes(certificate.split('/').at(-1) ?? ''))).toEqual([]);
    await it.sweepUntilSettled(at('2126-10-20T00:00:00Z'));
    expect(told()).toContain(`${OWN}tls-container-refs "${id}" expires on 2126-10-28T09:27:20Z`);
  });

  test('that cannot be read without its key is left alone', async () => {
    const secret_ref = await put({ secret_type: 'opaque', payload: certificateOf('rsa') });
    ask({ [`${OWN}client-ca-tls-container-ref`]: secret_ref });
    const report = await it.settle('web');
    expect(report.certificates).toEqual([]);
    expect(it.sandbox.requests.filter(({ path }) => path.endsWith('/payload'))).toEqual([]);
  });
});
