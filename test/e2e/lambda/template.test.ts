/** The CloudFormation template as osls packages it, judged by cfn-lint. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { packageTemplate } from '../../functions/lambda/packaged-template.ts';

const run = promisify(execFile);
const NETWORK = ['vpc-id=vpc-0123456789abcdef0', 'subnet-ids=subnet-0123456789abcdef0', 'vpc-endpoints=true'];
const TOPIC = 'alarm-topic=arn:aws:sns:eu-central-1:123456789012:night';

test.each([
  ['without parameters', []],
  ['with every parameter that adds resources', [...NETWORK, TOPIC, 'tracing=true']],
])('cfn-lint finds nothing in the template, %s', async (_, params) => {
  const { file, remove } = await packageTemplate({ params });
  onTestFinished(remove);

  const lint = await run('infra/lab/cfn-lint.sh', [file]).catch((error: unknown) => error);

  expect(lint).toMatchObject({ stdout: '', stderr: '' });
});
