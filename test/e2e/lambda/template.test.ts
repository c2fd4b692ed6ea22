/** The CloudFormation template as osls packages it, judged by cfn-lint, and what its parameters add. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { FUNCTIONS } from '../../../build.ts';
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

/** Of one type, by logical id. */
async function propertiesOf(file: string, type: string): Promise<ReadonlyMap<string, object>> {
  const { Resources } = JSON.parse(await readFile(file, 'utf8')) as {
    readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: object }>>;
  };
  const found = Object.entries(Resources).filter(([, { Type }]) => Type === type);
  return new Map(found.map(([id, { Properties }]) => [id, Properties]));
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

test('with the parameters for it, functions are in a VPC that has ways to AWS, are traced, and alarms tell', async () => {
  const file = await packaged(EVERYTHING);

  for (const properties of (await propertiesOf(file, 'AWS::Lambda::Function')).values()) {
    expect(properties).toMatchObject({
      VpcConfig: {
        SubnetIds: SUBNETS,
        SecurityGroupIds: [{ 'Fn::GetAtt': ['FunctionsSecurityGroup', 'GroupId'] }],
      },
      TracingConfig: { Mode: 'Active' },
    });
  }
  const endpoints = await propertiesOf(file, 'AWS::EC2::VPCEndpoint');
  expect([...endpoints.keys()]).toEqual(['SqsEndpoint', 'SsmEndpoint']);
  const roles = await propertiesOf(file, 'AWS::IAM::Role');
  const networked = [...roles.values()].filter((role) =>
    ['ec2:CreateNetworkInterface', 'xray:PutTraceSegments'].every((right) =>
      JSON.stringify(role).includes(right),
    ),
  );
  expect(networked).toHaveLength(FUNCTIONS.length);
  for (const alarm of (await propertiesOf(file, 'AWS::CloudWatch::Alarm')).values()) {
    expect(alarm).toMatchObject({ AlarmActions: [TOPIC], OKActions: [TOPIC] });
  }
});

test('a parameter makes new versions of the functions: only then do the aliases move', async () => {
  const versions = async (params: readonly string[]): Promise<readonly string[]> => [
    ...(await propertiesOf(await packaged(params), 'AWS::Lambda::Version')).keys(),
  ];
  const [before, after] = [await versions([]), await versions(NETWORK)];

  expect(after).toHaveLength(FUNCTIONS.length);
  expect(after.filter((version) => before.includes(version))).toEqual([]);
});

test('a VPC without subnets is refused', async () => {
  const message = 'vpc-id: vpc-1, subnet-ids: : give both, or neither';
  await expect(packageTemplate({ params: ['vpc-id=vpc-1'] })).rejects.toThrow(message);
});
