/** infra/aws/README.md, typed by somebody who has nothing else, with the real AWS CLI; in place of AWS is what runs the functions here. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aws } from '../lambda/aws/aws.ts';
import { REGION } from '../lambda/aws/intrinsics.ts';
import { labWorld } from '../lab/lab-world.ts';
import { lab, writeCloudConfig } from '../lab/lab.ts';
import { startAccount, type AwsAccount } from './aws-account.ts';
import { blocksOf } from './document.ts';
import { newCluster, removeExample } from './new-cluster.ts';
import { Terminal } from './terminal.ts';

const STAGE = 'dev';
labWorld({ nodes: ['e2e-newcomer-3'], levelsetByTest: true });
const parts = aws();
let account: AwsAccount;
let putBack: (() => Promise<void>) | undefined;

beforeAll(async () => {
  account = await startAccount({ aws: parts, stage: STAGE, region: REGION, sweepEveryMs: 10_000 });
  putBack = await newCluster();
});
afterAll(async () => {
  await putBack?.();
  await account.stop();
});

it('infra/aws/README.md, from nothing to a load balancer', async () => {
  const { repository, server } = lab();
  const terminal = new Terminal({
    values: {
      STAGE,
      AWS_DEFAULT_REGION: REGION,
      APISERVER: server,
      CLOUD_CONF: await writeCloudConfig('newcomer', {}),
    },
    standIns: [
      'npm() { note npm "$@"; }',
      `aws() { '${join(repository, 'infra/lab/python-tool.sh')}' aws "$@"; }`,
      `npx() { if [ "$1" = osls ]; then command curl -sS --fail-with-body --data-raw "\${*:2}" '${account.url}/osls'; else command npx "$@"; fi; }`,
    ].join('\n'),
    environment: {
      AWS_ENDPOINT_URL: account.url,
      AWS_ACCESS_KEY_ID: 'lab',
      AWS_SECRET_ACCESS_KEY: 'lab',
    },
  });
  try {
    await terminal.follow(blocksOf('infra/aws/README.md', 'From nothing to a load balancer'));
    expect(terminal.noted).toEqual(['npm ci']);
    expect([...account.parameters.keys()]).toEqual([]);
    expect(account.deployment).toBeUndefined();
  } finally {
    await removeExample();
    terminal.remove();
  }
});
