/** TLS ends at the load balancer, with certificates of Barbican and of Secrets: what a client is shown, from outside. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { certificateOf, keyOfPair, type Pair } from '../../support/tls-secret.ts';
import { barbican, forThisTest, storeContainer } from '../fixtures/barbican.ts';
import {
  addressOf,
  apply,
  aService,
  CLIENT,
  kubectl,
  lab,
  readyOf,
  removeServices,
  sweepUntilSettled,
  until,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import { askHttps, handshake } from '../fixtures/tls-client.ts';

const OWN = 'levelset.openstack.org/';

const world = labWorld({ withPassword: true, nodes: ['e2e-tls-1', 'e2e-tls-2'] });

const container = async (pair: Pair): Promise<string> => forThisTest(await storeContainer(pair));

const deploy = (annotations: Record<string, string>): Promise<string> =>
  apply([aService(world.namespace, 'web', [{ port: 443 }], { annotations })]);

async function stored(): Promise<readonly string[]> {
  const { secrets } = await barbican<{ secrets: { name: string | null }[] }>('GET', '/v1/secrets?limit=100');
  return secrets.flatMap(({ name }) => (name?.includes(`/${world.namespace}/web/`) ? [name] : []));
}

const keep = (pair: Pair): Promise<string> =>
  apply([
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: world.namespace, name: 'web-tls' },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': certificateOf(pair), 'tls.key': keyOfPair(pair) },
    },
  ]);

const told = async (): Promise<string> => (await readyOf(world.namespace, 'web'))?.message ?? '';

const shows = (address: string, name: string, subject: string): Promise<boolean> =>
  until(`${name} to be shown ${subject}`, async () => {
    const shown = await handshake(address, name);
    return shown.subject === subject;
  });

it('certificates of Barbican are shown by name, TLS is as asked, and members hear of the client', async () => {
  const [rsa, two] = [await container('rsa'), await container('two')];
  const annotations = {
    // only the id in an address counts
    [`${OWN}tls-container-refs`]: `${rsa.replace(/^http:\/\/[^/]+/, 'https://nowhere.example')}, ${two}`,
    'loadbalancer.openstack.org/x-forwarded-for': 'true',
  };
  await deploy(annotations);
  const address = await addressOf(world.namespace, 'web');

  await shows(address, 'anything.example.org', 'CN = rsa.example.org');
  await shows(address, 'two.example.org', 'CN = two.example.org');
  expect(await handshake(address, 'rsa.example.org', ['-tls1_2'])).toMatchObject({ version: 'TLSv1.2' });
  expect(await askHttps(address, 'rsa.example.org')).toMatchObject({ 'x-forwarded-for': CLIENT });

  await deploy({ ...annotations, [`${OWN}tls-versions`]: 'TLSv1.3', [`${OWN}alpn-protocols`]: 'http/1.1' });
  await until('TLS 1.2 to be refused', async () => {
    const { version } = await handshake(address, 'rsa.example.org', ['-tls1_2']);
    return version === undefined;
  });
  expect(await handshake(address, 'rsa.example.org')).toMatchObject({ version: 'TLSv1.3', alpn: 'http/1.1' });

  await deploy(annotations);
  await until('TLS 1.2 to be back', async () => {
    const { version } = await handshake(address, 'rsa.example.org', ['-tls1_2']);
    return version === 'TLSv1.2';
  });
  await removeServices(world.namespace, ['web']);
});

it('a certificate of a Secret is kept in Barbican, follows the Secret, and goes with the Service', async () => {
  await keep('one');
  await deploy({ [`${OWN}tls-secret`]: 'web-tls' });
  // the namespace has not opted in
  await until('the Service to say how', async () => (await told()).includes('opts in by a Role'));
  const role = readFileSync(join(lab().repository, 'infra/kubernetes/tls-secrets.example.yaml'), 'utf8');
  await kubectl(['apply', '-f', '-'], role.replaceAll('namespace: default', `namespace: ${world.namespace}`));
  await sweepUntilSettled();
  const address = await addressOf(world.namespace, 'web');
  await shows(address, 'one.example.org', 'CN = one.example.org');
  const [first = '', ...more] = await stored();
  expect(more).toEqual([]);

  await keep('two');
  await sweepUntilSettled();
  await shows(address, 'one.example.org', 'CN = two.example.org');
  const renewed = await stored();
  expect(renewed).toHaveLength(1);
  expect(renewed).not.toContain(first);

  await kubectl(['-n', world.namespace, 'delete', 'secret', 'web-tls']);
  await sweepUntilSettled();
  expect(await told()).toContain('until it is right, levelset serves the certificate that it stored before');
  expect(await handshake(address, 'one.example.org')).toMatchObject({ subject: 'CN = two.example.org' });
  expect(await stored()).toEqual(renewed);

  await removeServices(world.namespace, ['web']);
  expect(await stored()).toEqual([]);
});
