/** Certificates over time: they end, are renewed badly, or are removed. */
import { beforeEach, describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import type { World } from '../../../shared/ports.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { certificateOf, keepTlsSecret, keyOfPair, type Pair } from '../../support/tls-secret.ts';
import { cloudWrites, eventsOf, readyOf } from '../../support/told.ts';

type Other = Parameters<typeof keepTlsSecret>[2];
const OWN = 'levelset.openstack.org/';
/** Of all certificates of the tests. */
const ENDS = '2126-10-28T09:28:18Z';

const it = inEachTest(() => startSandboxWorld());

const at = (time: string): World => ({ ...it.world, clock: { now: () => Date.parse(time) } });
const SECRET = { [`${OWN}tls-secret`]: 'web-tls' };
const ask = (annotations: Record<string, string>, by = it.world) =>
  it.make({ annotations, spec: { ports: [{ name: 'https', port: 443 }] } }, {}, by);
const keep = (...given: [Pair, Other?]) => keepTlsSecret(it, ...given);
const shown = (): unknown => it.cloud.listeners[0]?.['default_tls_container_ref'];

describe('a certificate of a Secret', () => {
  beforeEach(async () => {
    keep('one');
    await ask(SECRET);
    await it.sweepUntilSettled();
  });

  test('is known by its end, and no condition names it while that is far', async () => {
    const later = it.later(5_000);
    const report = await it.once({ trigger: 'resync' }, later);
    expect(report.certificates).toEqual([{ name: 'web-tls', notAfter: ENDS }]);
    const found = await sweep(later);
    expect([...found.certificates]).toEqual([['service/default/web', report.certificates]]);
    expect(it.told()).not.toContain('renew');
  });

  test('is named once when its end is near, and once when it is there', async () => {
    await it.sweepUntilSettled(at('2126-10-15T00:00:00Z'));
    expect(it.told()).toContain(`${OWN}tls-secret "web-tls" expires on ${ENDS}: renew it`);
    const events = eventsOf(it);
    const writes = cloudWrites(it);
    expect((await sweep(at('2126-10-16T00:00:00Z'))).requests).toEqual([]);
    await it.sweepUntilSettled(at('2126-10-17T00:00:00Z'));
    expect(eventsOf(it)).toEqual(events);

    await it.sweepUntilSettled(at('2126-10-29T00:00:00Z'));
    expect(it.told()).toContain(`expired on ${ENDS}, and clients refuse it`);
    expect(readyOf(it)?.status).toBe('True');
    expect(cloudWrites(it)).toEqual(writes);
  });

  test.each<[string, Other, string]>([
    ['gone', undefined, 'is not a Secret of the namespace'],
    ['with the key of another', { key: keyOfPair('one') }, 'has a key that does not belong'],
    ['without a certificate', { crt: 'no' }, 'has no certificate in tls.crt'],
  ])('serves on while its Secret is %s, and the rest of the Service works', async (_what, other, why) => {
    const before = shown();
    if (other) keep('two', other);
    else it.kube.delete('Secret', 'default', 'web-tls');
    it.kube.addNode('node-9');
    await it.sweepUntilSettled();
    expect(shown()).toBe(before);
    expect(it.told()).toContain(why);
    expect(it.told()).toContain('levelset serves the certificate that it stored before');
    expect(readyOf(it)?.status).toBe('True');
    expect(it.cloud.members.map(({ name }) => name)).toContain('node-9');

    keep('two');
    await it.sweepUntilSettled();
    expect(shown()).not.toBe(before);
    expect(it.told()).not.toContain('stored before');
    expect(it.cloud.secrets).toHaveLength(1);
  });

  test('is not replaced by one that has expired already', async () => {
    const before = shown();
    keep('two');
    await it.sweepUntilSettled(at('2126-11-01T00:00:00Z'));
    expect(shown()).toBe(before);
    const stays = 'until it is right, levelset serves the certificate that it stored before';
    expect(it.told()).toContain(`has a certificate that expired on ${ENDS}; ${stays}`);
  });
});

test('a first certificate that has expired is served and named: nothing better is there', async () => {
  keep('one');
  await ask(SECRET, at('2126-11-01T00:00:00Z'));
  expect(shown()).toBeDefined();
  expect(it.told()).toContain(`expired on ${ENDS}`);
});

describe('a certificate of Barbican', () => {
  const put = async (secret_type: string, payload: string): Promise<string> => {
    const text = { secret_type, payload, payload_content_type: 'text/plain' };
    return String((await it.world.cloud.create('secret', text))['secret_ref']);
  };

  test('is watched where it stands by itself, and its key is never read', async () => {
    const certificate = await put('certificate', certificateOf('rsa'));
    const secret_refs = [
      { name: 'private_key', secret_ref: await put('private', keyOfPair('rsa')) },
      { name: 'certificate', secret_ref: certificate },
    ];
    const container = { type: 'certificate', secret_refs };
    const { id } = await it.world.cloud.create('container' as 'secret', container);
    const { certificates } = await ask({ [`${OWN}tls-container-refs`]: id });

    expect(certificates).toEqual([{ name: id, notAfter: '2126-10-28T09:27:20Z' }]);
    const read = it.requests.filter(({ path }) => path.endsWith('/payload')).map(({ path }) => path);
    expect(read.length).toBeGreaterThan(0);
    expect(read.filter((path) => !path.includes(certificate.split('/').at(-1) ?? ''))).toEqual([]);
    await it.sweepUntilSettled(at('2126-10-20T00:00:00Z'));
    expect(it.told()).toContain(`${OWN}tls-container-refs "${id}" expires on 2126-10-28T09:27:20Z`);
  });

  test('that cannot be read without its key is left alone', async () => {
    const secret_ref = await put('opaque', certificateOf('rsa'));
    expect((await ask({ [`${OWN}client-ca-tls-container-ref`]: secret_ref })).certificates).toEqual([]);
    expect(it.requests.filter(({ path }) => path.endsWith('/payload'))).toEqual([]);
  });
});
