/** serverless.yml with `clusters: registry`: what differs from the deployment of one cluster, and nothing else does. */
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { OF_RECEIVING } from '../../../../shared/clusters/entry.ts';
import { flagsFromEnv } from '../../../../shared/config/read-flags.ts';
import { packageTemplate } from '../packaged-template.ts';

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}
type Resources = Readonly<Record<string, Resource>>;

let one: Resources;
let many: Resources;

const resourcesOf = async (params: readonly string[]): Promise<Resources> => {
  const { file, remove } = await packageTemplate({ params });
  const { Resources: found } = JSON.parse(await readFile(file, 'utf8')) as { Resources: Resources };
  await remove();
  return found;
};
beforeAll(async () => {
  one = await resourcesOf([]);
  many = await resourcesOf(['clusters=registry']);
}, 300_000);

const namesOf = (resources: Resources, type: string): readonly string[] =>
  Object.keys(resources).filter((name) => resources[name]?.Type === type);
const variablesOf = (resources: Resources, name: string): Readonly<Record<string, string>> =>
  (resources[name]?.Properties['Environment'] as { Variables: Record<string, string> }).Variables;
const FUNCTION = 'AWS::Lambda::Function';

interface Statement {
  readonly Action: readonly string[];
  readonly Resource: readonly { readonly 'Fn::Sub'?: string }[];
}
const statementsOf = ({ Properties }: Resource): readonly Statement[] =>
  (Properties['Policies'] as { PolicyDocument: { Statement: Statement[] } }[]).flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );

test('one cluster more is no function, queue or alarm more: two routes are all', () => {
  const types = new Set([...Object.values(one), ...Object.values(many)].map(({ Type }) => Type));
  for (const type of types) {
    if (type === 'AWS::Lambda::Version') continue;
    const added = namesOf(many, type).filter((name) => !(name in one));
    expect(namesOf(one, type).filter((name) => !(name in many))).toEqual([]);
    expect(added.map((name) => many[name]?.Properties['RouteKey'])).toEqual(
      type === 'AWS::ApiGatewayV2::Route' ? ['POST /resync/{cluster}', 'GET /clusters/{cluster}'] : [],
    );
  }
  const same = (resources: Resources): object =>
    Object.fromEntries(
      Object.entries(resources).filter(
        ([name, { Type }]) =>
          name in one &&
          ![FUNCTION, 'AWS::IAM::Role', 'AWS::Lambda::Alias', 'AWS::Lambda::Version'].includes(Type),
      ),
    );
  expect(same(many)).toEqual(same(one));
});

test('each function has the flag, and no secret of one cluster', () => {
  for (const name of namesOf(many, FUNCTION)) {
    const variables = variablesOf(many, name);
    expect(flagsFromEnv(variables)).toMatchObject({ clusters: 'parameters:/levelset/dev' });
    const parameters = Object.keys(variables).filter((variable) => variable.endsWith('PARAMETER'));
    for (const parameter of parameters)
      expect(parameter).toMatch(/^LEVELSET_(AUDIT|RESYNC|PAGE)_TOKENS_OPTIONAL_PARAMETER$/);
    const without = Object.entries(variablesOf(one, name)).filter(
      ([variable]) => !variable.endsWith('PARAMETER'),
    );
    expect(variables).toMatchObject(Object.fromEntries(without));
  }
});

test('who connects may read the entries of the registry, who only receives events their tokens and flags, and of one cluster nobody any', () => {
  const entries = (role: Resource): readonly string[] =>
    statementsOf(role)
      .filter(({ Action }) => Action.some((action) => action.startsWith('ssm:')))
      .flatMap(({ Action, Resource }) =>
        Resource.map((resource) => `${Action.join()} ${resource['Fn::Sub']?.split(':parameter')[1] ?? ''}`),
      )
      .filter((text) => text.includes('/clusters/'));
  const path = '/levelset/dev/clusters/*';
  const receiving = OF_RECEIVING.map((text) => `ssm:GetParameters ${path}/${text}`);
  for (const name of namesOf(one, 'AWS::IAM::Role')) {
    const [before, role] = [one[name], many[name]];
    expect(before && entries(before)).toEqual([]);
    const rights = /^(Audit|Events)Role$/.test(name) ? receiving : [`ssm:GetParametersByPath ${path}`];
    expect(role && entries(role)).toEqual(name === 'ScheduleRole' ? [] : rights);
  }
});

test('a sweep is late when the schedule has come again', async () => {
  const [schedule] = namesOf(many, 'AWS::Scheduler::Schedule');
  const minutes = /^rate\((\d+) minutes\)$/.exec(
    String(many[schedule ?? '']?.Properties['ScheduleExpression']),
  )?.[1];
  const source = await readFile('functions/lambda/reconcile.ts', 'utf8');
  expect(source).toContain(`const INTERVAL_MS = ${Number(minutes) * 60}_000;`);
});

test('another value is refused by name', async () => {
  await expect(packageTemplate({ params: ['clusters=many'] })).rejects.toThrow(
    'clusters: "many" is not allowed: registry',
  );
}, 300_000);
