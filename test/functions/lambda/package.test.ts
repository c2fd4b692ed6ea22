/** serverless.yml as osls packages it, without any network: queues, environment, rights. */
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { FUNCTIONS } from '../../../build.ts';
import { flagsFromEnv } from '../../../shared/config/read-flags.ts';
import { titled } from '../../../infra/aws/cloudformation.ts';
import type { TemplateText } from '../../e2e/lambda/aws/intrinsics.ts';
import { readTemplate } from '../../e2e/lambda/aws/template.ts';
import { packageTemplate } from './packaged-template.ts';

type Json = Readonly<Record<string, unknown>>;
interface Resource {
  readonly Type: string;
  readonly Properties: Json;
}

let resources: Readonly<Record<string, Resource>>;
let text: TemplateText;

beforeAll(async () => {
  const { file, remove } = await packageTemplate();
  text = JSON.parse(await readFile(file, 'utf8')) as TemplateText;
  resources = text.Resources as typeof resources;
  await remove();
}, 300_000);

function ofType(type: string): Readonly<Record<string, Json>> {
  const found = Object.entries(resources).filter(([, resource]) => resource.Type === type);
  return Object.fromEntries(found.map(([name, { Properties }]) => [name, Properties]));
}

/** Every Allow statement of a role. */
function statements(role: Json): readonly { readonly Action: string[]; readonly Resource: unknown }[] {
  const policies = role['Policies'] as { PolicyDocument: { Statement: never[] } }[];
  return policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

test('the queue is FIFO with a FIFO dead letter queue, for messages that five workers died of', () => {
  const queues = ofType('AWS::SQS::Queue');

  expect(queues['KeyQueue']).toMatchObject({
    FifoQueue: true,
    DeduplicationScope: 'messageGroup',
    FifoThroughputLimit: 'perMessageGroupId',
    RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetters', 'Arn'] }, maxReceiveCount: 5 },
  });
  expect(queues['DeadLetters']).toMatchObject({ FifoQueue: true });
  // a body that is the same must not be dropped, and a delay would hold up what people changed
  for (const queue of Object.values(queues))
    for (const property of ['ContentBasedDeduplication', 'DelaySeconds'])
      expect(queue).not.toHaveProperty(property);
});

test('a message stays invisible for a little longer than the worker may run, as the worker says itself', async () => {
  const timeout = Number(ofType('AWS::Lambda::Function')['ReconcileLambdaFunction']?.['Timeout']);
  const visibility = Number(ofType('AWS::SQS::Queue')['KeyQueue']?.['VisibilityTimeout']);

  expect([timeout, visibility]).toEqual([60, 75]);
  const source = await readFile('functions/lambda/reconcile.ts', 'utf8');
  expect(source).toContain(`const VISIBILITY_S = ${visibility};`);
});

test('the worker takes one message at a time, and a hundred keys may wait at once', () => {
  expect(Object.values(ofType('AWS::Lambda::EventSourceMapping'))).toMatchObject([
    {
      EventSourceArn: { 'Fn::GetAtt': ['KeyQueue', 'Arn'] },
      BatchSize: 1,
      ScalingConfig: { MaximumConcurrency: 100 },
    },
  ]);
});

test('each function runs on Node 24, with a role, a log that ends, and time for its caller', () => {
  const functions = ofType('AWS::Lambda::Function');
  const logs = Object.values(ofType('AWS::Logs::LogGroup'));

  expect(Object.keys(functions)).toHaveLength(FUNCTIONS.length);
  for (const name of FUNCTIONS) {
    const title = titled(name);
    expect(functions[`${title}LambdaFunction`]).toMatchObject({
      Handler: `functions/${name}.handler`,
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Role: { 'Fn::GetAtt': [`${title}Role`, 'Arn'] },
    });
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

  expect(Object.keys(roles)).toHaveLength(FUNCTIONS.length + 1);
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

test('the schedule may start the sweep by a role of its own, and nothing else may be started', () => {
  const [schedule] = Object.values(ofType('AWS::Scheduler::Schedule'));
  const roles = ofType('AWS::IAM::Role');

  expect(schedule).toMatchObject({
    ScheduleExpression: 'rate(5 minutes)',
    Target: {
      Arn: { Ref: 'SweepLiveAlias' },
      Input: '{"trigger":"sweep"}',
      RoleArn: { 'Fn::GetAtt': ['ScheduleRole', 'Arn'] },
    },
  });
  for (const [name, role] of Object.entries(roles)) {
    const invokes = statements(role).filter(({ Action }) => Action.includes('lambda:InvokeFunction'));
    expect(invokes.map(({ Resource }) => Resource)).toEqual(
      name === 'ScheduleRole' ? [[{ Ref: 'SweepLiveAlias' }]] : [],
    );
    expect(JSON.stringify(role['AssumeRolePolicyDocument']).includes('scheduler.amazonaws.com')).toBe(
      name === 'ScheduleRole',
    );
  }
});

test('no two sweeps run at once, and one that could not start is not started late', () => {
  const [started] = Object.values(ofType('AWS::Lambda::EventInvokeConfig'));
  const [schedule] = Object.values(ofType('AWS::Scheduler::Schedule'));

  expect(ofType('AWS::Lambda::Function')['SweepLambdaFunction']?.['ReservedConcurrentExecutions']).toBe(1);
  expect(started).toMatchObject({
    Qualifier: 'live',
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 60,
  });
  expect(schedule).toMatchObject({ Target: { RetryPolicy: { MaximumRetryAttempts: 0 } } });
});

test('whoever calls a function calls its alias, which names the newest version', () => {
  const aliases = ofType('AWS::Lambda::Alias');
  const versions = Object.keys(ofType('AWS::Lambda::Version'));

  for (const [name, { FunctionName, FunctionVersion, Name }] of Object.entries(aliases)) {
    const version = versions.find((id) => id.startsWith(name.replace('LiveAlias', 'LambdaVersion')));
    expect({ FunctionName, FunctionVersion, Name }).toEqual({
      FunctionName: { Ref: name.replace('LiveAlias', 'LambdaFunction') },
      FunctionVersion: { 'Fn::GetAtt': [version, 'Version'] },
      Name: 'live',
    });
  }
  expect(Object.keys(aliases)).toHaveLength(FUNCTIONS.length);
  const callers = ['ApiGatewayV2::Integration', 'Lambda::Permission', 'Lambda::EventSourceMapping'];
  for (const caller of callers.flatMap((type) => Object.values(ofType(`AWS::${type}`)))) {
    expect(JSON.stringify(caller['FunctionName'] ?? caller['IntegrationUri'])).toContain('"live"');
  }
});

test('an alarm is about all functions, and silence is one: a sweep that does not run breaches', () => {
  const alarms = ofType('AWS::CloudWatch::Alarm');

  for (const name of ['ErrorsAlarm', 'ThrottlesAlarm', 'DurationAlarm']) {
    const { Metrics } = alarms[name] as { Metrics: { Id: string; Expression?: string }[] };
    expect(Metrics.map(({ Id }) => Id)).toEqual(['all', ...FUNCTIONS]);
    for (const each of FUNCTIONS) expect(Metrics[0]?.Expression).toContain(each);
  }
  expect(alarms['DurationAlarm']).toMatchObject({
    Metrics: [
      { Expression: expect.stringContaining('sweep / 300000') as string },
      ...FUNCTIONS.map(() => ({})),
    ],
  });
  expect(alarms['SweepStoppedAlarm']).toMatchObject({ TreatMissingData: 'breaching' });
  for (const alarm of Object.values(alarms)) expect(alarm).not.toHaveProperty('AlarmActions');
});

/** Each with the metric that it asks for, of what, and how that is compared. */
const SILENT_TROUBLES = {
  SweepStoppedAlarm: ['Invocations', 'SweepLambdaFunction', 'LessThanThreshold'],
  RefusedAlarm: ['4xx', 'HttpApi', 'GreaterThanThreshold'],
  LeftToSweepAlarm: ['levelset_messages_total', 'failed', 'GreaterThanThreshold'],
  DeadLettersAlarm: ['ApproximateNumberOfMessagesVisible', 'DeadLetters', 'GreaterThanThreshold'],
  QueueLateAlarm: ['ApproximateAgeOfOldestMessage', 'KeyQueue', 'GreaterThanThreshold'],
  ErrorsAlarm: ['Errors', 'AuditLambdaFunction', 'GreaterThanThreshold'],
  ThrottlesAlarm: ['Throttles', 'ReconcileLambdaFunction', 'GreaterThanThreshold'],
  DurationAlarm: ['Duration', 'SweepLambdaFunction', 'GreaterThanThreshold'],
} as const;

test('each trouble that nobody would hear of has its alarm, and there is no other', () => {
  const alarms = ofType('AWS::CloudWatch::Alarm');

  expect(Object.keys(alarms).toSorted()).toEqual(Object.keys(SILENT_TROUBLES).toSorted());
  for (const [name, [metric, of, comparison]] of Object.entries(SILENT_TROUBLES)) {
    expect(alarms[name]).toMatchObject({ ComparisonOperator: comparison });
    expect(JSON.stringify(alarms[name])).toContain(`"MetricName":"${metric}"`);
    expect(JSON.stringify(alarms[name]), name).toContain(`"${of}"`);
  }
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

test('the lab can deploy all of it, and says what it does not know', () => {
  const place = { sqsUrl: 'http://127.0.0.1:9324', zips: 'dist/functions' };
  const read = readTemplate(text, place);

  expect(read.functions.map(({ zip }) => zip).toSorted()).toEqual(
    FUNCTIONS.map((name) => `dist/functions/${name}.zip`).toSorted(),
  );
  expect(read.schedules.map((schedule) => schedule.function)).toEqual(['levelset-dev-sweep']);
  expect(read.mappings).toHaveLength(1);
  expect(read.queues).toHaveLength(2);
  const [queue] = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::SQS::Queue');
  const having = (more: Json): TemplateText => ({
    ...text,
    Resources: {
      ...text.Resources,
      Strange: { Type: 'AWS::SQS::Queue', Properties: { ...queue?.[1].Properties, ...more } },
    },
  });
  expect(() => readTemplate(having({ Colour: 'red' }), place)).toThrow(
    'does not know Colour of the queue Strange',
  );
  const imported = { DelaySeconds: { 'Fn::ImportValue': 'delay' } };
  expect(() => readTemplate(having(imported), place)).toThrow('does not know Fn::ImportValue');
});
