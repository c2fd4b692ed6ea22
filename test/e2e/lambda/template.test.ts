/** The CloudFormation template as osls packages it, judged by cfn-lint. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { FUNCTIONS } from '../../../build.ts';

const run = promisify(execFile);
const NETWORK = ['vpc-id=vpc-0123456789abcdef0', 'subnet-ids=subnet-0123456789abcdef0', 'vpc-endpoints=true'];
const TOPIC = 'alarm-topic=arn:aws:sns:eu-central-1:123456789012:night';

test.each([
  ['without parameters', []],
  ['with every parameter that adds resources', [...NETWORK, TOPIC, 'tracing=true']],
])('cfn-lint finds nothing in the template, %s', async (_, params) => {
  const copy = await mkdtemp(join(tmpdir(), 'levelset-template-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  for (const path of ['serverless.yml', 'infra/aws', 'package.json']) {
    await cp(path, join(copy, path), { recursive: true });
  }
  await symlink(resolve('node_modules'), join(copy, 'node_modules'));
  await mkdir(join(copy, 'dist/functions'), { recursive: true });
  for (const name of FUNCTIONS) await writeFile(join(copy, `dist/functions/${name}.zip`), '');
  const env = { ...process.env, HOME: copy, SLS_TELEMETRY_DISABLED: '1' };
  const words = params.flatMap((param) => ['--param', param]);
  await run(process.execPath, ['node_modules/.bin/osls', 'package', ...words], { cwd: copy, env });

  const template = join(copy, '.serverless/cloudformation-template-update-stack.json');
  const lint = await run('infra/lab/cfn-lint.sh', [template]).catch((error: unknown) => error);

  expect(lint).toMatchObject({ stdout: '', stderr: '' });
});
