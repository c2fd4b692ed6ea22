/** The life of secrets in a warm function: a replaced one is taken, the old one ends, and a Parameter Store that is down harms nobody. */
import { expect, test, vi } from 'vitest';
import { withParameters } from '../../../functions/lambda/parameters.ts';
import { AUDIT_TOKEN, NEXT_AUDIT_TOKEN } from '../../http/tokens.ts';
import { addressOf, aService } from '../sandbox-world.ts';
import { after, call, deployed, logged, request, taken, work, type Deployed } from './deployed.ts';

const CLOUD_CONFIG = '/levelset/test/CLOUD_CONFIG_TEXT';
const KUBECONFIG = '/levelset/test/KUBECONFIG_TEXT';
const AUDIT_TOKENS = '/levelset/test/AUDIT_TOKENS';

/** The status of an audit delivery with a token. */
async function post(token: string): Promise<number | undefined> {
  const { statusCode } = await call('audit', {
    method: 'POST',
    rawPath: '/audit/kubernetes',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: '{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[]}',
  });
  return statusCode;
}

const reads = ({ aws }: Deployed): number => aws.calls.filter((name) => name === 'GetParameters').length;

test('a new audit token is accepted at once by a warm function, and from then on the old one is refused', async () => {
  const world = await deployed();
  expect(await post(AUDIT_TOKEN)).toBe(202);
  world.aws.parameters.set(AUDIT_TOKENS, NEXT_AUDIT_TOKEN);
  after(6);

  expect(await post(NEXT_AUDIT_TOKEN)).toBe(202);
  expect(await post(AUDIT_TOKEN)).toBe(401);
});

test('an old token that nobody replaces in a request ends after five minutes', async () => {
  const world = await deployed();
  expect(await post(AUDIT_TOKEN)).toBe(202);
  world.aws.parameters.set(AUDIT_TOKENS, NEXT_AUDIT_TOKEN);

  after(299);
  expect(await post(AUDIT_TOKEN)).toBe(202);
  after(301);
  expect(await post(AUDIT_TOKEN)).toBe(401);
});

test.each(['<html>hush</html>', '{}', '{"Parameters":[{"Name":"/x"}]}'])(
  'an answer of somebody else, %s, is no answer of Parameter Store, and nothing of it is told',
  async (garbled) => {
    const { aws } = await deployed();
    aws.garbled = garbled;
    const env = { ...process.env, X_PARAMETER: '/x' };
    const error = await withParameters(env).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/another program than Parameter Store answered GetParameters of .*\/x/);
    expect(String(error)).not.toContain('hush');
  },
);

test('whoever shows wrong tokens makes a function read its secrets every five seconds at most', async () => {
  const world = await deployed();
  for (let at = 0; at < 21; at += 1) {
    after(at / 2);
    expect(await post('some-token-of-a-stranger')).toBe(401);
  }

  expect(reads(world)).toBe(3);
});

test('while Parameter Store is down the old token stays, the log says so, and tries are far between', async () => {
  const world = await deployed();
  expect(await post(AUDIT_TOKEN)).toBe(202);
  world.aws.down.set('SSM', 400);
  after(301);

  for (let times = 0; times < 5; times += 1) expect(await post(AUDIT_TOKEN)).toBe(202);

  expect(logged()).toContain('the values that were read before stay');
  expect(logged()).not.toContain(AUDIT_TOKEN);
  world.aws.down.clear();
  world.aws.parameters.set(AUDIT_TOKENS, NEXT_AUDIT_TOKEN);
  expect(await post(AUDIT_TOKEN)).toBe(202);
  after(307);
  expect(await post(AUDIT_TOKEN)).toBe(401);
});

test('a parameter that was taken away counts no longer', async () => {
  const world = await deployed();
  expect(await post(AUDIT_TOKEN)).toBe(202);
  world.aws.parameters.delete(AUDIT_TOKENS);
  after(301);

  await expect(post(AUDIT_TOKEN)).rejects.toThrow('SSM has no parameter /levelset/test/AUDIT_TOKENS');
});

test.each([
  ['Keystone', CLOUD_CONFIG, /password = .*/, 'password = old'],
  ['the apiserver', KUBECONFIG, /token: .*/, 'token: old'],
])('a secret that %s refuses is read again within the run', async (_side, parameter, secret, old) => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));
  const good = world.aws.parameters.get(parameter) ?? '';
  world.aws.parameters.set(parameter, good.replace(secret, old));
  const { connectedFunction } = await import('../../../functions/lambda/connected.ts');
  await connectedFunction();
  world.aws.parameters.set(parameter, good);
  after(6);

  await work({ request: request('web') });

  expect(world.sandbox.cloud.loadbalancers).toHaveLength(1);
});

test('a changed cloud.conf makes new connections after five minutes, and one that is wrong leaves the old ones', async () => {
  const world = await deployed();
  const { connectedFunction } = await import('../../../functions/lambda/connected.ts');
  const first = await connectedFunction();
  const text = world.aws.parameters.get(CLOUD_CONFIG) ?? '';
  expect((await connectedFunction()).world).toBe(first.world);

  world.aws.parameters.set(CLOUD_CONFIG, `${text}\n[LoadBalancer]\nlb-provider = ovn\n`);
  after(301);
  const second = await connectedFunction();
  expect(second.world.config.loadBalancer.lbProvider).toBe('ovn');
  world.aws.parameters.set(CLOUD_CONFIG, 'nonsense');
  after(602);
  expect((await connectedFunction()).world).toBe(second.world);
  expect(logged()).toContain('the old ones stay');
  world.aws.parameters.set(CLOUD_CONFIG, text);
  after(608); // what is corrected counts within seconds
  expect((await connectedFunction()).world.config.loadBalancer.lbProvider).toBe('amphora');
});

test('parameters are read ten at a time, and an optional one need not be there', async () => {
  const world = await deployed();
  const env: NodeJS.ProcessEnv = { ...process.env, CA_OPTIONAL_PARAMETER: '/nowhere' };
  for (let at = 0; at < 12; at += 1) {
    world.aws.parameters.set(`/p/${at}`, `value ${at}`);
    env[`P${at}_PARAMETER`] = `/p/${at}`;
  }

  const read = await withParameters(env);

  expect([read['P0'], read['P11'], read['CA']]).toEqual(['value 0', 'value 11', undefined]);
  expect(reads(world)).toBe(2);
});

test('a PEM that is a parameter takes the place of a file of cloud.conf, and without it the error says so', async () => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));
  const text = world.aws.parameters.get(CLOUD_CONFIG) ?? '';
  world.aws.parameters.set(
    CLOUD_CONFIG,
    text.replace('[Global]', '[Global]\nca-file = /etc/openstack/ca.pem'),
  );
  vi.stubEnv('LEVELSET_CA_FILE_TEXT_OPTIONAL_PARAMETER', '/levelset/test/ca-file');

  expect(await work({ request: request('web') })).toEqual([]);
  expect(logged()).toContain(
    'the CA file (ca-file, cacert or OS_CACERT): there is no such file (ENOENT); without a file, as on AWS Lambda, put its text into LEVELSET_CA_FILE_TEXT',
  );

  world.aws.parameters.set('/levelset/test/ca-file', '-----BEGIN CERTIFICATE-----\n');
  after(6);
  const { connectedFunction } = await import('../../../functions/lambda/connected.ts');
  expect((await connectedFunction()).world.config.openstack.ca).toBe('-----BEGIN CERTIFICATE-----\n');
  expect(taken(world.aws)).toEqual([]);
  expect(addressOf(world.sandbox.kube.get('Service', 'default', 'web'))).toBeUndefined();
});
