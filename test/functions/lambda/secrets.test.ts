/** The life of secrets in a warm function: a replaced one is taken, the old one ends, and a Parameter Store that is down harms nobody. */
import { expect, test } from 'vitest';
import { AUDIT_TOKEN, NEXT_AUDIT_TOKEN } from '../../http/tokens.ts';
import { eventList, serviceEvent } from '../../unit/trigger/audit-events.ts';
import { aService } from '../sandbox-world.ts';
import type { AwsFake } from './aws-fake.ts';
import { after, asked, deployed, logged, post, taken, work } from './deployed.ts';

const CLOUD_CONFIG = '/levelset/test/CLOUD_CONFIG_TEXT';
const KUBECONFIG = '/levelset/test/KUBECONFIG_TEXT';
const AUDIT_TOKENS = '/levelset/test/AUDIT_TOKENS';

/** The status of an audit delivery with a token, the same event each time. */
async function deliverWith(token: string): Promise<number | undefined> {
  const events = eventList([serviceEvent('create', { auditID: 'audit-1' })]);
  return (await post('audit', '/audit/kubernetes', token, events)).statusCode;
}

const reads = (aws: AwsFake): number => aws.calls.filter((name) => name === 'GetParameters').length;

test('a new token counts at once, and the old one ends then, or when nobody shows the new one after five minutes', async () => {
  const { aws } = await deployed();
  expect(await deliverWith(AUDIT_TOKEN)).toBe(202);
  aws.parameters.set(AUDIT_TOKENS, NEXT_AUDIT_TOKEN);
  after(290);
  expect(await deliverWith(AUDIT_TOKEN)).toBe(202);
  expect(await deliverWith(NEXT_AUDIT_TOKEN)).toBe(202);
  expect(await deliverWith(AUDIT_TOKEN)).toBe(401);
  expect(taken(aws)).toMatchObject([asked('service/shop/web')]); // once, however often it is sent

  aws.parameters.set(AUDIT_TOKENS, AUDIT_TOKEN);
  after(299 + 301);
  expect(await deliverWith(NEXT_AUDIT_TOKEN)).toBe(401);
});

test('whoever shows wrong tokens makes a function read its secrets every five seconds at most', async () => {
  const { aws } = await deployed();
  for (let at = 0; at < 21; at += 1) {
    after(at / 2);
    expect(await deliverWith('some-token-of-a-stranger')).toBe(401);
  }

  expect(reads(aws)).toBe(3);
});

test.each([
  ['refuses', { status: 400 }],
  ['is another program', { status: 200, text: '{"Parameters":[{"Name":"hush"}]}' }],
])('while Parameter Store %s the old token stays, the log says so and tries are few', async (_, trouble) => {
  const { aws } = await deployed();
  expect(await deliverWith(AUDIT_TOKEN)).toBe(202);
  aws.trouble.set('SSM', trouble);
  after(301);

  for (let times = 0; times < 5; times += 1) expect(await deliverWith(AUDIT_TOKEN)).toBe(202);

  expect(aws.troubled).toBe(1);
  expect(logged()).toContain('the values that were read before stay');
  expect(logged()).not.toMatch(new RegExp(`hush|${AUDIT_TOKEN}`));
  aws.trouble.clear();
  aws.parameters.set(AUDIT_TOKENS, NEXT_AUDIT_TOKEN);
  expect(await deliverWith(AUDIT_TOKEN)).toBe(202);
  after(307);
  expect(await deliverWith(AUDIT_TOKEN)).toBe(401);
});

test('a parameter that was taken away counts no longer', async () => {
  const { aws } = await deployed();
  expect(await deliverWith(AUDIT_TOKEN)).toBe(202);
  aws.parameters.delete(AUDIT_TOKENS);
  after(301);

  await expect(deliverWith(AUDIT_TOKEN)).rejects.toThrow('SSM has no parameter /levelset/test/AUDIT_TOKENS');
});

test.each([
  ['Keystone', CLOUD_CONFIG, /password = .*/, 'password = old'],
  ['the apiserver', KUBECONFIG, /token: .*/, 'token: old'],
])('a secret that %s refuses is read again within the run', async (_side, parameter, secret, old) => {
  const { aws, sandbox } = await deployed();
  sandbox.kube.apply(aService('web'));
  const good = aws.parameters.get(parameter) ?? '';
  aws.parameters.set(parameter, good.replace(secret, old));
  const { connectedFunction } = await import('../../../functions/lambda/connected.ts');
  await connectedFunction();
  aws.parameters.set(parameter, good);
  after(6);

  await work(asked());

  expect(sandbox.cloud.loadbalancers).toHaveLength(1);
});

test('a changed cloud.conf makes new connections after five minutes, and one that is wrong leaves the old ones', async () => {
  const { aws } = await deployed();
  const { connectedFunction } = await import('../../../functions/lambda/connected.ts');
  const world = async () => (await connectedFunction()).world;
  const first = await world();
  const text = aws.parameters.get(CLOUD_CONFIG) ?? '';
  expect(await world()).toBe(first);

  aws.parameters.set(CLOUD_CONFIG, `${text}\n[LoadBalancer]\nlb-provider = ovn\n`);
  after(301);
  const second = await world();
  expect(second.config.loadBalancer.lbProvider).toBe('ovn');
  aws.parameters.set(CLOUD_CONFIG, 'nonsense');
  after(602);
  expect(await world()).toBe(second);
  expect(logged()).toContain('the old ones stay');
  aws.parameters.set(CLOUD_CONFIG, text);
  after(608); // what is corrected counts within seconds
  expect((await world()).config.loadBalancer.lbProvider).toBe('amphora');
});
