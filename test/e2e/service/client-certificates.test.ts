/** Certificates of clients and of members: who is let in at the load balancer, and whom it trusts behind it. */
import { beforeAll, expect, it } from 'vitest';
import { anAuthority, type Authority } from '../fixtures/authority.ts';
import { forThisTest, storeContainer, storeSecret, type Stored } from '../fixtures/barbican.ts';
import { addressOf, apply, aService, removeServices, until } from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';
import { askHttpsAs } from '../fixtures/tls-client.ts';

const OWN = 'levelset.openstack.org/';

let container: Stored;
let authority: Authority;
const world = labWorld({ withPassword: true, nodes: ['e2e-client-tls-1'] });
beforeAll(async () => {
  container = await storeContainer('rsa');
  authority = await anAuthority('clients of the tests');
  return async () => {
    await container.remove();
    authority.remove();
  };
});

const put = async (...secret: Parameters<typeof storeSecret>): Promise<string> =>
  forThisTest(await storeSecret(...secret));

const deploy = (annotations: Record<string, string>): Promise<string> =>
  apply([
    aService(world.namespace, 'web', [{ port: 443 }], {
      annotations: { [`${OWN}tls-container-refs`]: container.ref, ...annotations },
    }),
  ]);

const leave = (): Promise<void> => removeServices(world.namespace, ['web']);

it('lets in clients with a certificate, tells the members whose, and refuses one that is withdrawn', async () => {
  const [good, bad] = [await authority.client('good'), await authority.client('bad')];
  const stranger = await anAuthority('somebody else');
  const unknown = await stranger.client('good');
  const annotations = {
    [`${OWN}client-authentication`]: 'MANDATORY',
    [`${OWN}client-ca-tls-container-ref`]: await put(authority.certificate, 'certificate'),
    [`${OWN}insert-headers`]: 'X-SSL-Client-CN, X-SSL-Client-Verify',
  };
  await deploy(annotations);
  const address = await addressOf(world.namespace, 'web');
  await until('the client with a certificate to be let in', async () => {
    const answer = await askHttpsAs(address, 'app.example.org', good);
    return typeof answer !== 'string';
  });
  expect(await askHttpsAs(address, 'app.example.org', good)).toMatchObject({
    tls: false,
    headers: { 'x-ssl-client-cn': 'good', 'x-ssl-client-verify': '0' },
  });
  expect(await askHttpsAs(address, 'app.example.org', bad)).toMatchObject({
    headers: { 'x-ssl-client-cn': 'bad' },
  });
  expect(await askHttpsAs(address, 'app.example.org')).toMatch(/^no answer/);
  expect(await askHttpsAs(address, 'app.example.org', unknown)).toMatch(/^no answer/);
  stranger.remove();

  const crl = await put(await authority.withdraw([bad]), 'opaque');
  await deploy({ ...annotations, [`${OWN}client-crl-container-ref`]: crl });
  await until('the withdrawn certificate to be refused', async () => {
    const answer = await askHttpsAs(address, 'app.example.org', bad);
    return typeof answer === 'string' && answer.startsWith('no answer');
  });
  expect(await askHttpsAs(address, 'app.example.org', good)).toMatchObject({
    headers: { 'x-ssl-client-cn': 'good' },
  });

  await deploy({});
  await until('everybody to be let in', async () => {
    const answer = await askHttpsAs(address, 'app.example.org');
    return typeof answer !== 'string';
  });
  await leave();
});

it('speaks TLS to the members, and only to those whose certificate it can trust', async () => {
  await deploy({ [`${OWN}pool-tls`]: 'true' });
  const address = await addressOf(world.namespace, 'web');
  await until('an answer over TLS', async () => {
    const answer = await askHttpsAs(address, 'app.example.org');
    return typeof answer !== 'string' && answer.tls;
  });

  const ca = await put(authority.certificate, 'certificate');
  await deploy({ [`${OWN}pool-tls`]: 'true', [`${OWN}pool-ca-tls-container-ref`]: ca });
  await until(
    'the members to be refused, whose certificate is their own',
    async () => (await askHttpsAs(address, 'app.example.org')) === 'status 503',
  );

  await deploy({});
  await until('an answer in the clear', async () => {
    const answer = await askHttpsAs(address, 'app.example.org');
    return typeof answer !== 'string' && !answer.tls;
  });
  await leave();
});
