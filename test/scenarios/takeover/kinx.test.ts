/**
 * A Service as kinx's README has it, in each of its three protocols (docs/sources/kinx.md, "Annotations of kinx"), and
 * as its successor's (docs/sources/kinx.md, "Successor of kinx").
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toPkcs12 } from '../../../shared/model/tls/pkcs12.ts';
import { readTlsSecret } from '../../../shared/model/tls/tls-secret.ts';
import { aService } from '../../support/service.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { aTlsSecret } from '../../support/tls-secret.ts';
import type { Pair } from '../../support/tls-secret.ts';
import { ingressOf, readyOf } from '../../support/told.ts';

const KINX = 'service.beta.kubernetes.io/kinx-load-balancer-';
const HOST = 'levelset.openstack.org/redirect-host';

let it: SandboxWorld;
beforeEach(async () => {
  // cloud.conf is silent about monitors, as kinx's may be
  it = await startSandboxWorld({}, { createMonitor: false });
});
afterEach(() => it.close());

type Asked = Readonly<Record<string, string | null>>;

const ask = async (kinx: Asked, { others = {}, spec = {} }: { others?: Asked; spec?: object } = {}) => {
  const named = Object.entries(kinx).map(([name, text]) => [KINX + name, text] as const);
  const annotations = { ...Object.fromEntries(named), ...others } as Record<string, string>;
  it.sandbox.kube.apply(aService({ annotations, spec: { ports: PORTS, ...spec } }));
  return it.settle('web');
};
const PORTS = [{ name: 'web', port: 80, nodePort: 30_080 }];
const listener = () => it.sandbox.cloud.listeners[0];
const pool = () => it.sandbox.cloud.pools[0];
const monitor = () => it.sandbox.cloud.healthmonitors[0];
const said = (): readonly string[] => readyOf(it.sandbox)?.message.split('\n').slice(1) ?? [];

async function inBarbican(pair: Pair): Promise<string> {
  const read = readTlsSecret(aTlsSecret(pair));
  const stored = await it.world.cloud.create('secret', {
    payload: 'pair' in read ? toPkcs12(read.pair).toString('base64') : '',
    payload_content_type: 'application/octet-stream',
    payload_content_encoding: 'base64',
  });
  return stored.id;
}

describe('tcp', () => {
  test('is passed through, and members are checked by TCP on their node port with kinx’s defaults', async () => {
    await ask({ 'backend-protocol': 'tcp' });
    expect(listener()).toMatchObject({ protocol: 'TCP', insert_headers: {} });
    expect(pool()).toMatchObject({ protocol: 'TCP' });
    expect(monitor()).toMatchObject({ type: 'TCP', delay: 5, timeout: 5, max_retries: 3 });
    expect(it.sandbox.cloud.members.map((member) => member['monitor_port'])).toEqual([null, null, null]);
    expect(said()).toEqual([]);
  });

  test('has checks that follow their annotations, which kinx never changed again', async () => {
    await ask({ 'backend-protocol': 'tcp' });
    await ask({ 'healthcheck-interval': '9', 'healthcheck-retry': '2', 'healthcheck-timeout': '4' });
    expect(monitor()).toMatchObject({ delay: 9, max_retries: 2, timeout: 4 });
    await ask({ 'healthcheck-interval': null, 'healthcheck-retry': null, 'healthcheck-timeout': null });
    expect(monitor()).toMatchObject({ delay: 5, max_retries: 3, timeout: 5 });
  });

  test('gives the client’s address by the PROXY protocol, with a new pool next to the old one', async () => {
    await ask({ 'backend-protocol': 'tcp' });
    await ask({ 'proxy-protocol': 'true' });
    expect(it.sandbox.cloud.pools).toMatchObject([{ protocol: 'PROXY' }]);
    expect(ingressOf(it.sandbox)).toMatchObject([{ ipMode: 'Proxy' }]);
    await ask({ 'proxy-protocol': 'false' });
    expect(it.sandbox.cloud.pools).toMatchObject([{ protocol: 'TCP' }]);
  });

  test('is what a port speaks when nothing is said, as with its successor', async () => {
    await ask({ 'healthcheck-interval': '7' });
    expect(listener()?.protocol).toBe('TCP');
    expect(said()).toEqual([]);
  });
});

describe('http', () => {
  test('is read, and requests say by which scheme they came', async () => {
    await ask({ 'backend-protocol': 'http' });
    expect(listener()).toMatchObject({ protocol: 'HTTP', insert_headers: { 'X-Forwarded-Proto': 'true' } });
    expect(pool()).toMatchObject({ protocol: 'HTTP' });
    expect(monitor()).toMatchObject({ type: 'TCP' });
  });

  test('is redirected to HTTPS where a host is named, and says so where none is', async () => {
    await ask({ 'backend-protocol': 'http', 'redirect-http': 'true' });
    expect(it.sandbox.cloud.l7policies).toEqual([]);
    expect(said()[0]).toContain('needs a host');
    await ask({}, { others: { [HOST]: 'app.example.org' } });
    expect(it.sandbox.cloud.l7policies).toMatchObject([{ redirect_prefix: 'https://app.example.org' }]);
    await ask({ 'redirect-http': null });
    expect(it.sandbox.cloud.l7policies).toEqual([]);
  });

  test('is not what a UDP port of the same Service speaks, where kinx gave it an HTTP listener', async () => {
    const dns = { name: 'dns', port: 53, protocol: 'UDP', nodePort: 30_053 };
    await ask({ 'backend-protocol': 'http' }, { spec: { ports: [...PORTS, dns] } });
    expect(it.sandbox.cloud.listeners.map(({ protocol }) => protocol).sort()).toEqual(['HTTP', 'UDP']);
  });
});

describe('terminated_https', () => {
  test('shows the first certificate, and the others by the name that is asked for', async () => {
    const [one, two] = [await inBarbican('one'), await inBarbican('two')];
    await ask({ 'backend-protocol': 'terminated_https', 'tls-container-ids': ` ${one} ,${two},` });
    expect(listener()).toMatchObject({
      protocol: 'TERMINATED_HTTPS',
      default_tls_container_ref: expect.stringContaining(one) as string,
      sni_container_refs: [expect.stringContaining(two)],
      insert_headers: { 'X-Forwarded-Proto': 'true' },
    });
    expect(pool()).toMatchObject({ protocol: 'HTTP' });
    await ask({ 'tls-container-ids': two });
    expect(listener()).toMatchObject({
      default_tls_container_ref: expect.stringContaining(two) as string,
      sni_container_refs: [],
    });
  });

  test('without TLS 1.0 and 1.1 is what low-tlsv asks for, whatever it sounds like', async () => {
    const one = await inBarbican('one');
    await ask({ 'backend-protocol': 'terminated_https', 'tls-container-ids': one, 'low-tlsv': 'true' });
    expect(listener()).toMatchObject({ tls_versions: ['TLSv1.2', 'TLSv1.3'] });
    expect(listener()?.tags).toContainEqual(expect.stringContaining('tls_versions'));
    await ask({ 'low-tlsv': 'false' });
    expect(listener()?.tags).not.toContainEqual(expect.stringContaining('tls_versions'));
  });

  test('without a certificate makes nothing, and says what is missing', async () => {
    const { outcome } = await ask({ 'backend-protocol': 'terminated_https' });
    expect(outcome.status).toBe('blocked');
    expect(it.sandbox.cloud.loadbalancers).toEqual([]);
    expect(readyOf(it.sandbox)?.message).toContain('needs a certificate');
  });

  test('is what certificates ask for, although the annotation says tcp; the condition names it', async () => {
    const one = await inBarbican('one');
    await ask({ 'backend-protocol': 'tcp', 'tls-container-ids': one });
    expect(listener()?.protocol).toBe('TERMINATED_HTTPS');
    expect(pool()).toMatchObject({ protocol: 'HTTP' });
    expect(said()[0]).toContain(`${KINX}backend-protocol`);
  });
});

describe('values', () => {
  test('are read whatever their case, where kinx sent an empty protocol', async () => {
    await ask({ 'backend-protocol': 'HTTP' });
    expect(listener()?.protocol).toBe('HTTP');
  });

  test('that are wrong are named, and the rest of the Service works', async () => {
    const { outcome } = await ask({ 'healthcheck-retry': 'often', 'healthcheck-interval': '1m' });
    expect(outcome).toEqual({ status: 'settled' });
    expect(said().map((line) => line.split(' ')[0])).toEqual([
      `${KINX}healthcheck-interval`,
      `${KINX}healthcheck-retry`,
    ]);
    expect(monitor()).toMatchObject({ delay: 5 });
  });
});

describe('its successor', () => {
  test('has internal load balancers at the address that is asked for, and algorithms that change', async () => {
    const others = {
      'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true',
      'loadbalancer.openstack.org/lb-method': 'LEAST_CONNECTIONS',
    };
    const spec = { loadBalancerIP: '10.0.0.200' };
    await ask({ 'backend-protocol': 'tcp', id: '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d' }, { others, spec });
    expect(ingressOf(it.sandbox)).toMatchObject([{ ip: '10.0.0.200' }]);
    expect(it.sandbox.cloud.floatingips).toEqual([]);
    expect(pool()).toMatchObject({ lb_algorithm: 'LEAST_CONNECTIONS' });
    expect(said()).toEqual([]);
    await ask({}, { others: { 'loadbalancer.openstack.org/lb-method': 'SOURCE_IP' }, spec });
    expect(pool()).toMatchObject({ lb_algorithm: 'SOURCE_IP' });
  });
});
