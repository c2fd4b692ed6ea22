/** serverless.yml as osls packages it, without any network: queues, environment, rights. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FUNCTIONS } from '../../../build.ts';
import { flagsFromEnv } from '../../../shared/config/read-flags.ts';
import { zipFile } from '../../../infra/aws/zip-file.ts';

type Json = Readonly<Record<string, unknown>>;
interface Resource {
  readonly Type: string;
  readonly Properties: Json;
}

let copy: string;
let resources: Readonly<Record<string, Resource>>;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'levelset-package-'));
  for (const path of ['serverless.yml', 'infra/aws', 'package.json']) {
    await cp(path, join(copy, path), { recursive: true });
  }
  await mkdir(join(copy, 'dist/functions'), { recursive: true });
  for (const name of FUNCTIONS) {
    await writeFile(
      join(copy, `dist/functions/${name}.zip`),
      zipFile([{ name, content: Buffer.from(name) }]),
    );
  }
  await symlink(resolve('node_modules'), join(copy, 'node_modules'));
  await promisify(execFile)(process.execPath, ['node_modules/.bin/osls', 'package'], {
    cwd: copy,
    env: { PATH: process.env['PATH'], HOME: copy, SLS_TELEMETRY_DISABLED: '1' },
  });
  const file = join(copy, '.serverless/cloudformation-template-update-stack.json');
  ({ Resources: resources } = JSON.parse(await readFile(file, 'utf8')) as { Resources: typeof resources });
}, 60_000);
afterAll(() => rm(copy, { recursive: true }));

function ofType(type: string): Readonly<Record<string, Json>> {
  const found = Object.entries(resources).filter(([, resource]) => resource.Type === type);
  return Object.fromEntries(found.map(([name, { Properties }]) => [name, Properties]));
}

/** Every Allow statement of a role. */
function statements(role: Json): readonly { readonly Action: string[]; readonly Resource: unknown }[] {
  const policies = role['Policies'] as { PolicyDocument: { Statement: never[] } }[];
  return policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

test('the trigger queue is FIFO with a FIFO dead letter queue, the background queue is not', () => {
  const queues = ofType('AWS::SQS::Queue');

  expect(queues['TriggerQueue']).toMatchObject({
    FifoQueue: true,
    DeduplicationScope: 'messageGroup',
    FifoThroughputLimit: 'perMessageGroupId',
    RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['TriggerDeadLetters', 'Arn'] } },
  });
  expect(queues['TriggerDeadLetters']).toMatchObject({ FifoQueue: true });
  expect(queues['BackgroundQueue']).not.toHaveProperty('FifoQueue');
  // a body that is the same must not be dropped
  for (const queue of Object.values(queues)) expect(queue).not.toHaveProperty('ContentBasedDeduplication');
});

test('a message stays invisible for six times as long as the worker may run', () => {
  const timeout = Number(ofType('AWS::Lambda::Function')['ReconcileLambdaFunction']?.['Timeout']);
  const { TriggerQueue, BackgroundQueue } = ofType('AWS::SQS::Queue');

  expect(TriggerQueue?.['VisibilityTimeout']).toBeGreaterThanOrEqual(6 * timeout);
  expect(BackgroundQueue?.['VisibilityTimeout']).toBeGreaterThanOrEqual(6 * timeout);
});

test('the worker takes from both queues and reports what failed, item by item', () => {
  const sources = Object.values(ofType('AWS::Lambda::EventSourceMapping'));

  expect(sources.map((source) => source['EventSourceArn'])).toEqual([
    { 'Fn::GetAtt': ['TriggerQueue', 'Arn'] },
    { 'Fn::GetAtt': ['BackgroundQueue', 'Arn'] },
  ]);
  for (const source of sources) expect(source['FunctionResponseTypes']).toEqual(['ReportBatchItemFailures']);
});

test('each function runs on Node 24, with a role, a log that ends, alarms, and time for its caller', () => {
  const functions = ofType('AWS::Lambda::Function');
  const logs = Object.values(ofType('AWS::Logs::LogGroup'));
  const alarms = Object.keys(ofType('AWS::CloudWatch::Alarm'));

  expect(Object.keys(functions)).toHaveLength(FUNCTIONS.length);
  for (const name of FUNCTIONS) {
    const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    expect(functions[`${title}LambdaFunction`]).toMatchObject({
      Handler: `functions/${name}.handler`,
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Role: { 'Fn::GetAtt': [`${title}Role`, 'Arn'] },
    });
    expect(alarms).toEqual(expect.arrayContaining([`${title}ErrorsAlarm`, `${title}ThrottlesAlarm`]));
  }
  for (const log of logs) expect(log['RetentionInDays']).toBe(30);
  for (const name of ['Audit', 'Events', 'Resync', 'Status']) {
    expect(functions[`${name}LambdaFunction`]?.['Timeout']).toBeLessThan(30);
  }
});

test('each function has the flags that are parameters', () => {
  for (const properties of Object.values(ofType('AWS::Lambda::Function'))) {
    const { Variables } = properties['Environment'] as { Variables: Record<string, string> };
    expect(flagsFromEnv(Variables)).toEqual({
      clusterName: 'kubernetes',
      controllers: '*',
      stateNamespace: 'levelset',
      serviceAccount: 'levelset/levelset',
      allocateNodeCidrs: 'false',
      connectionDrainingTimeout: '0s',
    });
  }
});

test('no secret stands in the environment: it names parameters', () => {
  for (const properties of Object.values(ofType('AWS::Lambda::Function'))) {
    const { Variables } = properties['Environment'] as { Variables: Json };
    for (const [name, value] of Object.entries(Variables)) {
      if (/TOKENS|_TEXT/.test(name))
        expect([name, value]).toEqual([
          expect.stringMatching(/_PARAMETER$/),
          expect.stringMatching(/^\/levelset\/dev\//),
        ]);
    }
  }
});

test('every right names what it is for: no wildcard but the streams of the own log', () => {
  const roles = ofType('AWS::IAM::Role');

  expect(Object.keys(roles)).toHaveLength(FUNCTIONS.length);
  for (const { Action, Resource } of Object.values(roles).flatMap(statements)) {
    for (const action of Action) expect(action).toMatch(/^[a-z]+:[A-Za-z]+$/);
    expect(JSON.stringify(Resource).replaceAll(':log-stream:*"', '"')).not.toContain('*');
  }
});

test('a function may read the parameters that it gets by name, and send to the queues that it gets', () => {
  for (const [name, properties] of Object.entries(ofType('AWS::Lambda::Function'))) {
    const { Variables } = properties['Environment'] as { Variables: Json };
    const role = ofType('AWS::IAM::Role')[name.replace('LambdaFunction', 'Role')] ?? {};
    const readable = statements(role)
      .filter(({ Action }) => Action.includes('ssm:GetParameters'))
      .flatMap(({ Resource }) => Resource as { 'Fn::Sub': string }[])
      .map((resource) => resource['Fn::Sub'].split(':parameter')[1]);
    const told = Object.keys(Variables).filter((variable) => variable.endsWith('_PARAMETER'));

    expect(readable.toSorted()).toEqual(told.map((variable) => Variables[variable]).toSorted());
  }
});

test('the schedule may start the sweep, and nothing else may be started', () => {
  const schedule = Object.values(ofType('AWS::Scheduler::Schedule'))[0];
  const roles = ofType('AWS::IAM::Role');

  expect(schedule).toMatchObject({
    ScheduleExpression: 'rate(5 minutes)',
    Target: { RoleArn: { 'Fn::GetAtt': ['SweepRole', 'Arn'] } },
  });
  expect(JSON.stringify(roles['SweepRole']?.['AssumeRolePolicyDocument'])).toContain(
    'scheduler.amazonaws.com',
  );
  const invoke = Object.entries(roles).filter(([, role]) =>
    statements(role).some(({ Action }) => Action.includes('lambda:InvokeFunction')),
  );
  expect(invoke.map(([name]) => name)).toEqual(['SweepRole']);
});

test('the routes are those of the server', () => {
  const routes = Object.values(ofType('AWS::ApiGatewayV2::Route')).map((route) => route['RouteKey']);

  expect(routes.toSorted()).toEqual([
    'GET /',
    'GET /healthz',
    'GET /readyz',
    'POST /audit/{cluster}',
    'POST /events/{cluster}',
    'POST /resync',
  ]);
});
