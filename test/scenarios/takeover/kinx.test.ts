/**
 * What a Service gets by annotations of kinx (docs/sources/kinx.md, "Annotations of kinx") and of its successor (docs/sources/kinx.md, "Successor
 * of kinx") besides what the worlds in golden/takeover/kinx and the examples of the annotations show.
 */
import { expect, test } from 'vitest';
import { toPkcs12 } from '../../../shared/model/tls/pkcs12.ts';
import { readTlsSecret } from '../../../shared/model/tls/tls-secret.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aTlsSecret } from '../../support/tls-secret.ts';
import { readyOf } from '../../support/told.ts';

const KINX = 'service.beta.kubernetes.io/kinx-load-balancer-';
const PORTS = [{ name: 'web', port: 80, nodePort: 30_080 }];

const it = inEachTest(() => startSandboxWorld({}, { createMonitor: false }));

test('members are checked as by kinx, where cloud.conf is silent about monitors, and else as annotations say', async () => {
  const apply = async (kinx: Readonly<Record<string, string | null>>): Promise<unknown> => {
    const named = Object.entries(kinx).map(([name, text]) => [KINX + name, text] as const);
    const annotations = Object.fromEntries(named) as Record<string, string>;
    it.sandbox.kube.apply(aService({ annotations, spec: { ports: PORTS } }));
    await it.settle('web');
    return it.sandbox.cloud.healthmonitors[0];
  };
  const defaults = { type: 'TCP', delay: 5, timeout: 5, max_retries: 3 };
  expect(await apply({ 'backend-protocol': 'tcp' })).toMatchObject(defaults);
  const asked = { 'healthcheck-interval': '9', 'healthcheck-retry': '2', 'healthcheck-timeout': '4' };
  expect(await apply(asked)).toMatchObject({ delay: 9, max_retries: 2, timeout: 4 });
  const gone = { 'healthcheck-interval': null, 'healthcheck-retry': null, 'healthcheck-timeout': null };
  expect(await apply(gone)).toMatchObject(defaults);
});

test('a UDP port speaks no HTTP beside one that does, where kinx gave it an HTTP listener', async () => {
  const annotations = { [`${KINX}backend-protocol`]: 'HTTP' }; // as its successor takes it
  const dns = { name: 'dns', port: 53, protocol: 'UDP', nodePort: 30_053 };
  it.sandbox.kube.apply(aService({ annotations, spec: { ports: [...PORTS, dns] } }));

  await it.settle('web');

  expect(it.sandbox.cloud.listeners.map(({ protocol }) => protocol).sort()).toEqual(['HTTP', 'UDP']);
});

test('certificates end TLS, although the annotation says tcp; the condition names it', async () => {
  const read = readTlsSecret(aTlsSecret('one'));
  const { id } = await it.world.cloud.create('secret', {
    payload: 'pair' in read ? toPkcs12(read.pair).toString('base64') : '',
    payload_content_type: 'application/octet-stream',
    payload_content_encoding: 'base64',
  });
  const annotations = { [`${KINX}backend-protocol`]: 'tcp', [`${KINX}tls-container-ids`]: id };
  it.sandbox.kube.apply(aService({ annotations, spec: { ports: PORTS } }));

  await it.settle('web');

  const { listeners, pools } = it.sandbox.cloud;
  expect([listeners[0]?.protocol, pools[0]?.protocol]).toEqual(['TERMINATED_HTTPS', 'HTTP']);
  expect(readyOf(it.sandbox)?.message.split('\n')[1]).toContain(`${KINX}backend-protocol`);
});
