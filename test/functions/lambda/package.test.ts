/** serverless.yml as osls packages it, without any network: for one cluster, for a registry of them, and with every parameter. */
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { FUNCTIONS } from '../../../build.ts';
import { ENDPOINTS } from '../../../docs/reference/endpoints-page.ts';
import { deployedParameters, problemOf } from '../../../infra/aws/parameters.ts';
import { OF_RECEIVING } from '../../../shared/clusters/entry.ts';
import type { MEASURED } from '../../../functions/measured.ts';
import { textOf } from '../../repo/files.ts';
import { listening } from '../../support/for-one-test.ts';
import { packageTemplate, type PackageOptions } from './packaged-template.ts';

type Json = Readonly<Record<string, unknown>>;
type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties: Json }>>;

/** Each parameter by default, and with another value. */
const PARAMETERS = {
  'cluster-name': ['kubernetes', 'shop.eu-1'],
  'state-namespace': ['levelset', 'cloud'],
  'service-account': ['levelset/levelset', 'cloud/keeper'],
  controllers: ['*', 'service,route'],
  'cluster-cidr': ['', '10.64.0.0/14,fd00:64::/48'],
  regional: ['false', 'true'],
  parameters: ['/levelset/dev', '/shop/eu/levelset'],
  clusters: ['', 'registry'],
  'alarm-topic': ['', 'arn:aws-cn:sns:cn-north-1:210987654321:on-call'],
  'vpc-id': ['', 'vpc-0fedcba9'],
  'subnet-ids': ['', 'subnet-0fedcba9,subnet-1fedcba9'],
  'vpc-endpoints': ['false', 'true'],
  tracing: ['false', 'true'],
} as const;
const valuesAt = (at: 0 | 1): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(PARAMETERS).map(([name, values]) => [name, values[at]]));
const DEFAULTS = valuesAt(0);
const EVERYTHING = valuesAt(1);

let one: Resources;
let many: Resources;
let everything: Resources;

beforeAll(async () => {
  const packaged = async (options: PackageOptions): Promise<Resources> => {
    const { file, remove } = await packageTemplate(options);
    const { Resources: found } = JSON.parse(await readFile(file, 'utf8')) as { Resources: Resources };
    await remove();
    return found;
  };
  one = await packaged({});
  many = await packaged({ file: 'clusters: registry\nregional: true\n', params: ['regional=false'] });
  everything = await packaged({ file: JSON.stringify(EVERYTHING) });
}, 300_000);

test('a stack tells its parameters, whether the file had them, the command line or nobody', () => {
  for (const [resources, parameters] of [
    [one, DEFAULTS],
    [many, { ...DEFAULTS, clusters: 'registry' }],
    [everything, EVERYTHING],
    [{}, {}],
  ] as const)
    expect(deployedParameters({ Resources: resources })).toEqual(parameters);
});

function ofType(type: string, resources = one): Readonly<Record<string, Json>> {
  const found = Object.entries(resources).filter(([, resource]) => resource.Type === `AWS::${type}`);
  return Object.fromEntries(found.map(([name, { Properties }]) => [name, Properties]));
}

const variablesOf = (properties: Json = {}): Readonly<Record<string, string>> =>
  (properties['Environment'] as { Variables: Record<string, string> }).Variables;

interface Statement {
  readonly Action: readonly string[];
  readonly Resource: readonly { readonly 'Fn::Sub'?: string }[];
}

function statements(role: Json = {}): readonly Statement[] {
  const policies = role['Policies'] as { PolicyDocument: { Statement: readonly Statement[] } }[];
  return policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

test('the worker gets one message at a time, hidden for longer than it may run, and knows for how long and when a sweep comes again', () => {
  const source = textOf('functions/lambda/reconcile.ts');
  const { VisibilityTimeout: visibility, RedrivePolicy: redrive } = ofType('SQS::Queue')['KeyQueue'] ?? {};
  const [schedule] = Object.values(ofType('Scheduler::Schedule'));
  const minutes = /^rate\((\d+) minutes\)$/.exec(String(schedule?.['ScheduleExpression']))?.[1];

  expect(Object.values(ofType('Lambda::EventSourceMapping'))).toMatchObject([{ BatchSize: 1 }]);
  expect(ofType('Lambda::Function')['ReconcileLambdaFunction']?.['Timeout']).toBeLessThan(Number(visibility));
  expect(redrive).toMatchObject({ deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetters', 'Arn'] } });
  expect(source).toContain(`const VISIBILITY_S = ${Number(visibility)};`);
  expect(source).toContain(`const INTERVAL_MS = ${Number(minutes) * 60}_000;`);
});

describe.each([
  ['one cluster', () => one],
  ['a registry', () => many],
])('a deployment of %s', (what, resources) => {
  const roles = () => ofType('IAM::Role', resources());

  test('has no secret in its environment, and each function may read the parameters that are named there', () => {
    for (const [name, properties] of Object.entries(ofType('Lambda::Function', resources()))) {
      const variables = Object.entries(variablesOf(properties));
      const named = variables.filter(([variable]) => variable.endsWith('_PARAMETER'));
      for (const [variable] of variables.filter(([its]) => /TOKENS|_TEXT/.test(its)))
        expect(variable).toMatch(what === 'a registry' ? /_TOKENS_OPTIONAL_PARAMETER$/ : /_PARAMETER$/);
      const readable = statements(roles()[name.replace('LambdaFunction', 'Role')])
        .filter(({ Action }) => Action.some((action) => action.startsWith('ssm:')))
        .flatMap(({ Resource }) => Resource.map((its) => its['Fn::Sub']?.split(':parameter')[1] ?? ''));
      const entries = readable.filter((path) => path.includes('/clusters/'));
      const expected = /^(Audit|Events)/.test(name) ? OF_RECEIVING.map((text) => `/${text}`) : [''];
      const ofEntries = expected.map((end) => `/levelset/dev/clusters/*${end}`);

      expect(entries).toEqual(what === 'a registry' ? ofEntries : []);
      const others = readable.filter((path) => !entries.includes(path));
      expect(others.toSorted()).toEqual(named.map(([, path]) => path).toSorted());
      for (const path of readable) expect(path).toMatch(/^\/levelset\/dev\//);
    }
  });

  test('names what each right is for: no wildcard but the streams of the own log and the entries of clusters', () => {
    expect(Object.keys(roles())).toHaveLength(FUNCTIONS.length + 1);
    for (const { Action, Resource } of Object.values(roles()).flatMap(statements)) {
      for (const action of Action) expect(action).toMatch(/^[a-z]+:[A-Za-z]+$/);
      expect(JSON.stringify(Resource).replaceAll(/:log-stream:\*"|\/clusters\/\*/g, '')).not.toContain('*');
    }
  });

  test('has the routes of the server, but no /metrics and no page of an object', () => {
    const routes = Object.values(ofType('ApiGatewayV2::Route', resources())).map(({ RouteKey }) => RouteKey);
    const ofOthers =
      what === 'a registry' ? /metrics|objects/ : /metrics|objects|(resync|clusters)\/:cluster/;
    const served = Object.entries(ENDPOINTS).filter(([path]) => !ofOthers.test(path));
    expect(routes.toSorted()).toEqual(
      served.map(([path, { methods }]) => `${methods} ${path.replace(':cluster', '{cluster}')}`).toSorted(),
    );
  });
});

test('a registry is no function, queue or alarm more, and leaves the others as they are', () => {
  const kept = (resources: Resources): readonly string[] =>
    Object.keys(resources).filter((name) => !/LambdaVersion|OfCluster$/.test(name));
  expect(kept(many)).toEqual(kept(one));
  for (const type of ['SQS::Queue', 'CloudWatch::Alarm', 'Scheduler::Schedule', 'Lambda::EventSourceMapping'])
    expect(ofType(type, many)).toEqual(ofType(type));
  for (const properties of Object.values(ofType('Lambda::Function', many)))
    expect(variablesOf(properties)['LEVELSET_CLUSTERS']).toBe('parameters:/levelset/dev');
});

test('the schedule alone may start something: the sweep, one at a time', () => {
  const [schedule] = Object.values(ofType('Scheduler::Schedule'));
  const arns = { Arn: { Ref: 'SweepLiveAlias' }, RoleArn: { 'Fn::GetAtt': ['ScheduleRole', 'Arn'] } };
  expect(schedule).toMatchObject({ Target: arns });
  for (const [name, role] of Object.entries(ofType('IAM::Role'))) {
    const invokes = statements(role).filter(({ Action }) => Action.includes('lambda:InvokeFunction'));
    const started = name === 'ScheduleRole' ? [[{ Ref: 'SweepLiveAlias' }]] : [];
    expect(invokes.map(({ Resource }) => Resource)).toEqual(started);
  }
  expect(ofType('Lambda::Function')['SweepLambdaFunction']?.['ReservedConcurrentExecutions']).toBe(1);
});

test('whoever calls a function calls its alias, which names its newest version', () => {
  for (const [alias, { FunctionVersion }] of Object.entries(ofType('Lambda::Alias'))) {
    const version = Object.keys(ofType('Lambda::Version')).find((id) =>
      id.startsWith(alias.replace('LiveAlias', 'LambdaVersion')),
    );
    expect(FunctionVersion).toEqual({ 'Fn::GetAtt': [version, 'Version'] });
  }
  const callers = ['ApiGatewayV2::Integration', 'Lambda::Permission', 'Lambda::EventSourceMapping'];
  for (const caller of callers.flatMap((type) => Object.values(ofType(type))))
    expect(JSON.stringify(caller['FunctionName'] ?? caller['IntegrationUri'])).toContain('"live"');
});

test('each alarm of the README is there, those about functions ask all of them, and silence of sweeps is one', () => {
  const alarms = ofType('CloudWatch::Alarm');
  const named = [...textOf('infra/aws/README.md').matchAll(/`(\w+Alarm)`/g)].map(([, name = '']) => name);

  expect(Object.keys(alarms).toSorted()).toEqual([...new Set(named)].toSorted());
  for (const name of ['ErrorsAlarm', 'ThrottlesAlarm', 'DurationAlarm'])
    for (const each of FUNCTIONS) expect(JSON.stringify(alarms[name])).toContain(`"Id":"${each}"`);
  expect(alarms['SweepStoppedAlarm']).toMatchObject({ TreatMissingData: 'breaching' });
  const counted: keyof typeof MEASURED = 'levelset_messages_total';
  expect(alarms['LeftToSweepAlarm']).toMatchObject({ MetricName: counted });
});

/** CloudFormation with one stack, whose template this is. */
function anAccount(template: string): Promise<string> {
  const escaped = template.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return listening((request, response) => {
    request.resume();
    response.end(
      `<GetTemplateResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><GetTemplateResult><TemplateBody>${escaped}</TemplateBody></GetTemplateResult></GetTemplateResponse>`,
    );
  });
}

test('a deployment takes nothing back but what it names: it says what else to write, and where', async () => {
  const deployTo = await anAccount(JSON.stringify({ Resources: everything }));
  const { tracing: _, ...lost } = EVERYTHING;
  const said = await packageTemplate({ deployTo, params: ['tracing=false'] }).catch(String);
  expect(said).toContain('the stack levelset-dev has parameters that nobody gives');
  expect(said).toContain('my-cluster/aws-dev.yml');
  for (const [name, value] of Object.entries(lost)) expect(said).toContain(`\n${name}: ${value}`);
  expect(said).not.toContain('tracing: true');
}, 300_000);

test.each([
  ['parameters', 'levelset/test', /parameters: "levelset\/test".*a path of Parameter Store/],
  ['parameters', '/levelset/test/', /no \/ at its end/],
  ['parameters', '/ssm/levelset', /neither aws nor ssm/],
  ['cluster-name', 'eu/shop', /cluster-name: "eu\/shop".*\/audit\/NAME/],
  ['alarm-topic', 'on-call', /alarm-topic: "on-call".*ARN/],
  ['vpc-id', 'default', /vpc-id: "default"/],
  ['subnet-ids', ['subnet-0a', 'subnet-0b'], /subnet-ids: \["subnet-0a","subnet-0b"\].*commas/],
  ['vpc-endpoints', 'yes', /vpc-endpoints: "yes".*true and false/],
  ['vpc-endpoints', true, /give vpc-id and subnet-ids/],
  ['vpc-id', 'vpc-0a', /give both/],
  ['tracing', 'Active', /tracing: "Active"/],
  ['regional', 'RegionOne', /regional: "RegionOne"/],
  ['clusters', 'folder', /clusters: "folder".*registry/],
  ['cluster-nmae', 'shop', /no parameter cluster-nmae.*cluster-name/],
])('%s: %j is refused before anything is made', (name, value, words) => {
  expect(problemOf({ ...DEFAULTS, [name]: value }, Object.keys(DEFAULTS), {})).toMatch(words);
});

test('a flag that has no such value is refused by the deployment, not by the function that starts with it', () => {
  const names = Object.keys(DEFAULTS);
  for (const parameters of [DEFAULTS, EVERYTHING]) expect(problemOf(parameters, names, {})).toBeUndefined();
  const problem = problemOf(DEFAULTS, names, { LEVELSET_CLUSTER_CIDR: '10.64.0.0' });
  expect(problem).toContain('--cluster-cidr has a value that is not allowed');
});
