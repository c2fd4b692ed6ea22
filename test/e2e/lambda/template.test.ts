/** The CloudFormation template as osls packages it, judged by cfn-lint. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { packageTemplate } from '../../functions/lambda/packaged-template.ts';

const run = promisify(execFile);
const SUBNETS = ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'];
const NETWORK = ['vpc-id=vpc-0123456789abcdef0', `subnet-ids=${SUBNETS.join(',')}`, 'vpc-endpoints=true'];
const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:night';
const EVERYTHING = [...NETWORK, `alarm-topic=${TOPIC}`, 'tracing=true'];

async function packaged(params: readonly string[]): Promise<string> {
  const { file, remove } = await packageTemplate({ params });
  onTestFinished(remove);
  return file;
}

test.each([
  ['without parameters', []],
  ['with every parameter that adds resources', EVERYTHING],
])('cfn-lint finds nothing in the template, %s', async (_, params) => {
  const lint = await run('infra/lab/python-tool.sh', [
    'cfn-lint',
    '--template',
    await packaged(params),
  ]).catch((error: unknown) => error);

  expect(lint).toMatchObject({ stdout: '', stderr: '' });
});
