/** Certificates of clients and of members: who is let in at the load balancer, and whom it trusts behind it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { anAuthority, type Authority } from './authority.ts';
import { storeContainer, type StoredContainer } from './certificate-container.ts';
import {
  addressOf,
  aNamespace,
  apply,
  aService,
  kubectl,
  lab,
  needsControl,
  nothingLeft,
  OpenStack,
  removeNamespace,
  removeNodes,
  serviceGone,
  someNodes,
  startLevelset,
  stopAllLevelsets,
  until,
  type LabNode,
} from './lab.ts';
import { askHttpsAs } from './tls-client.ts';

const OWN = 'levelset.openstack.org/';

let nodes: readonly LabNode[] = [];
let namespace = '';
let barbican: OpenStack;
let container: StoredContainer;
let authority: Authority;
const byHand: string[] = [];

beforeAll(async () => {
  if (!lab().controllable) return;
  nodes = await someNodes(['e2e-client-tls-1']);
  barbican = new OpenStack(lab().levelsetCloud);
  container = await storeContainer(barbican, 'rsa');
  authority = await anAuthority('clients of the tests');
  await startLevelset();
});
afterAll(async () => {
  if (!lab().controllable) return;
  await stopAllLevelsets();
  await removeNodes(nodes);
  await container.remove();
  authority.remove();
});
beforeEach(async (context) => {
  needsControl(context);
  namespace = await aNamespace();
});
afterEach(async () => {
  if (namespace === '') return;
  await removeNamespace(namespace);
  await nothingLeft({ timeoutMs: 60_000 });
  for (const path of byHand.splice(0)) await barbican.must('key-manager', 'DELETE', path);
});

/** Text in Barbican; its address. */
async function put(payload: string, secret_type: string): Promise<string> {
  const body = { name: 'e2e clients', secret_type, payload, payload_content_type: 'text/plain' };
  const { secret_ref } = await barbican.must<{ secret_ref: string }>(
    'key-manager',
    'POST',
    '/v1/secrets',
    body,
  );
  byHand.push(`/v1/secrets/${secret_ref.split('/').at(-1) ?? ''}`);
  return secret_ref;
}

const deploy = (annotations: Record<string, string>): Promise<string> =>
  apply([
    aService(namespace, 'web', [{ port: 443 }], {
      annotations: { [`${OWN}tls-container-refs`]: container.ref, ...annotations },
    }),
  ]);

async function leave(): Promise<void> {
  await kubectl(['-n', namespace, 'delete', 'service', 'web', '--wait=false']);
  await serviceGone(namespace, 'web');
}

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
  const address = await addressOf(namespace, 'web');
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
  const address = await addressOf(namespace, 'web');
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
