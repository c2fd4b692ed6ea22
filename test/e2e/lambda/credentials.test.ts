/** Secrets that are replaced while functions are warm, with the simulators as cluster and cloud. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { AUDIT_TOKEN, NEXT_AUDIT_TOKEN } from '../../http/tokens.ts';
import { aService } from '../../support/service.ts';
import { until } from '../lab/until.ts';
import { aws } from './aws/aws.ts';
import { toldSince } from './aws/told.ts';
import { postAudit, sandboxStack, type SandboxStack } from './sandbox-stack.ts';

const parts = aws();
const AUDIT_TOKENS = '/levelset/dev/audit-tokens';
const CLOUD_CONFIG = '/levelset/dev/cloud.conf';
const KUBECONFIG = '/levelset/dev/kubeconfig';
const seconds = (since: number): string => ((Date.now() - since) / 1_000).toFixed(1);

/** The functions audit and reconcile have worked once, and are idle. */
async function warm({ sandbox, address, quiet }: SandboxStack): Promise<void> {
  sandbox.kube.apply(aService({ name: 'first' }));
  await address('first');
  await quiet();
}

/** Replaces a text in a parameter, some seconds after the other side did, as people do. */
async function replaceLater(
  { deployment }: SandboxStack,
  name: string,
  old: string,
  now: string,
): Promise<number> {
  await pause(11_000); // after a refusal credentials are read again once in ten seconds
  const value = deployment.parameters.values.get(name) ?? '';
  expect(value).toContain(old);
  deployment.parameters.values.set(name, value.replace(old, now));
  return Date.now();
}

it('takes a new audit token within seconds of its first use, and then refuses the old one', async () => {
  const { deployment } = await sandboxStack(parts);
  expect(await postAudit(deployment, AUDIT_TOKEN)).toBe(202);
  deployment.parameters.values.set(AUDIT_TOKENS, NEXT_AUDIT_TOKEN);
  const began = Date.now();
  await until('the new token is taken', async () => (await postAudit(deployment, NEXT_AUDIT_TOKEN)) === 202);
  console.log(
    `a new audit token: taken ${seconds(began)} s after it was written, ${deployment.parameters.calls.length} calls of Parameter Store`,
  );
  expect(Date.now() - began).toBeLessThan(10_000);
  expect(await postAudit(deployment, AUDIT_TOKEN)).toBe(401);
  const before = deployment.parameters.calls.length;
  for (let tries = 0; tries < 20; tries += 1)
    expect(await postAudit(deployment, `no-token-of-anybody-${tries}`)).toBe(401);
  expect(deployment.parameters.calls.length - before, 'calls for twenty wrong tokens').toBeLessThanOrEqual(2);
  expect(deployment.invocationsOf('audit').filter(({ isCold }) => isCold)).toHaveLength(1);
});

it('goes on with another password of Keystone', async () => {
  const stack = await sandboxStack(parts);
  await warm(stack);
  const began = Date.now();
  stack.sandbox.keystone.changePassword('demo', 'another');
  stack.sandbox.kube.apply(aService());
  const replaced = await replaceLater(stack, CLOUD_CONFIG, 'password = demo', 'password = another');
  await stack.deployment.tick(); // three runs have failed by then
  await stack.address('web');
  const logins = stack.sandbox.requests.filter(
    ({ path, status }) => path.includes('auth/tokens') && status === 401,
  );
  console.log(
    `another password: address ${seconds(replaced)} s after it was written, ${logins.length} refused logins; ${toldSince(stack.deployment, began)}`,
  );
  expect(Date.now() - replaced).toBeLessThan(60_000);
  expect(stack.deployment.lambda.invocations.filter(({ functionError }) => functionError)).toEqual([]);
});

it('goes on with another token of the apiserver', async () => {
  const stack = await sandboxStack(parts);
  await warm(stack);
  const began = Date.now();
  const token = stack.sandbox.changeKubeToken();
  stack.sandbox.kube.apply(aService());
  const replaced = await replaceLater(stack, KUBECONFIG, stack.sandbox.kubeToken, token);
  await stack.deployment.tick(); // three runs have failed by then
  await stack.address('web');
  console.log(
    `another token: address ${seconds(replaced)} s after it was written; ${toldSince(stack.deployment, began)}`,
  );
  expect(Date.now() - replaced).toBeLessThan(60_000);
  expect(stack.deployment.lambda.invocations.filter(({ functionError }) => functionError)).toEqual([]);
});
