import { readFile, rm } from 'node:fs/promises';
import { onTestFailed, onTestFinished } from 'vitest';
import { writeAccess } from '../../../functions/sandbox/access-files.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../infra/sandbox/sandbox.ts';
import { AUDIT_TOKEN, PAGE_TOKEN, RESYNC_TOKEN } from '../../http/tokens.ts';
import { addressOf } from '../../support/told.ts';
import { until } from '../lab/until.ts';
import type { Aws } from './aws/aws.ts';
import { tellAll } from './aws/told.ts';
import type { Deployment, DeploymentOptions } from './aws/deployment.ts';

export interface SandboxStack {
  readonly sandbox: Sandbox;
  readonly deployment: Deployment;
  /** The Service's address, when it has one. */
  readonly address: (name: string) => Promise<string>;
  /** Until the queue has no message left, and nothing runs. */
  readonly quiet: () => Promise<void>;
}

export interface SandboxStackOptions extends SandboxOptions {
  readonly change?: DeploymentOptions['change'];
}

/** The functions against a world of the simulators', whose apiserver sends its audit events to them. Gone with the test. */
export async function sandboxStack(
  aws: Aws,
  { change, ...options }: SandboxStackOptions = {},
): Promise<SandboxStack> {
  const sandbox = await startSandbox(options);
  const access = await writeAccess(sandbox);
  const deployment = await aws.deploy({
    parameters: {
      '/levelset/dev/cloud.conf': await readFile(access.cloudConfig, 'utf8'),
      '/levelset/dev/kubeconfig': await readFile(access.levelsetKubeconfig, 'utf8'),
      '/levelset/dev/audit-tokens': AUDIT_TOKEN,
      '/levelset/dev/resync-tokens': RESYNC_TOKEN,
      '/levelset/dev/page-tokens': PAGE_TOKEN,
    },
    ...(change && { change }),
  });
  await rm(access.directory, { recursive: true });
  sandbox.setAuditSink(`${deployment.api.url}/audit/kubernetes`, AUDIT_TOKEN);
  onTestFailed(() => tellAll(deployment));
  onTestFinished(async () => {
    await deployment.stop();
    await sandbox.close();
  });
  return {
    sandbox,
    deployment,
    address: (name) =>
      until(`an address of ${name}`, () => addressOf(sandbox, name), { timeoutMs: 120_000, everyMs: 50 }),
    quiet: () =>
      until(
        'an empty queue',
        async () => {
          const { visible, inFlight } = await deployment.depth('KeyQueue');
          return visible + inFlight === 0;
        },
        { timeoutMs: 120_000 },
      ).then(() => undefined),
  };
}
