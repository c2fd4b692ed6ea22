/** Parameters of a deployment on AWS: where they are read, which are refused, and that a deployment takes none back. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Resource } from '../../../infra/aws/cloudformation.ts';
import { deployedParameters, problemOf, takenBack } from '../../../infra/aws/parameters.ts';
import { packageTemplate, type PackageOptions } from './packaged-template.ts';

interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
}

const DEFAULTS = {
  'cluster-name': 'kubernetes',
  'state-namespace': 'levelset',
  'service-account': 'levelset/levelset',
  controllers: '*',
  'cluster-cidr': '',
  regional: 'false',
  parameters: '/levelset/dev',
  clusters: '',
  'alarm-topic': '',
  'vpc-id': '',
  'subnet-ids': '',
  'vpc-endpoints': 'false',
  tracing: 'false',
};

const EVERYTHING = {
  'cluster-name': 'shop.eu-1',
  'state-namespace': 'cloud',
  'service-account': 'cloud/keeper',
  controllers: 'service,route',
  'cluster-cidr': '10.64.0.0/14,fd00:64::/48',
  regional: 'true',
  parameters: '/shop/eu/levelset',
  clusters: 'registry',
  'alarm-topic': 'arn:aws-cn:sns:cn-north-1:210987654321:on-call',
  'vpc-id': 'vpc-0fedcba9',
  'subnet-ids': 'subnet-0fedcba9,subnet-1fedcba9',
  'vpc-endpoints': 'true',
  tracing: 'true',
};

const lines = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}: ${value.replace(/^(.*[*,].*|)$/, "'$1'")}\n`)
    .join('');

/** The template of a deployment with every parameter. */
let everything: string;

beforeAll(async () => {
  everything = await templateOf({ file: lines(EVERYTHING) });
}, 300_000);

async function templateOf(options: PackageOptions): Promise<string> {
  const { file, remove } = await packageTemplate(options);
  const text = await readFile(file, 'utf8');
  await remove();
  return text;
}

const deployedIn = (text: string): object => deployedParameters(JSON.parse(text) as Template);

test(
  'a stack tells its parameters, whether the file had them, the command line or nobody',
  { timeout: 300_000 },
  async () => {
    expect(deployedIn(everything)).toEqual(EVERYTHING);
    const typed = await templateOf({ file: 'cluster-name: a\nregional: true\n', params: ['cluster-name=b'] });
    expect(deployedIn(typed)).toEqual({ ...DEFAULTS, 'cluster-name': 'b', regional: 'true' });
    expect(deployedIn('{"Resources":{}}')).toEqual({});
  },
);

/** CloudFormation with one stack, whose template this is. */
async function anAccount(template: string): Promise<string> {
  const escaped = template.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const server = http.createServer((request, response) => {
    request.resume();
    response.end(
      `<GetTemplateResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><GetTemplateResult><TemplateBody>${escaped}</TemplateBody></GetTemplateResult></GetTemplateResponse>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test(
  'a deployment that names nothing takes nothing back: it says what to write, and where',
  { timeout: 300_000 },
  async () => {
    const deployTo = await anAccount(everything);
    const said = await packageTemplate({ deployTo }).catch(String);
    expect(said).toContain('the stack levelset-dev has parameters that nobody gives');
    expect(said).toContain('my-cluster/aws-dev.yml');
    for (const [name, value] of Object.entries(EVERYTHING)) expect(said).toContain(`\n${name}: ${value}`);
  },
);

test('what is to go is given as it is to be, and the rest is asked for', () => {
  const asked = { ...DEFAULTS, 'cluster-name': 'shop.eu-1', tracing: 'false' };
  const lost = takenBack(EVERYTHING, asked, [
    'vpc-id',
    'subnet-ids',
    'vpc-endpoints',
    'alarm-topic',
    'tracing',
  ]);
  expect(Object.fromEntries(lost)).toMatchObject({
    'cluster-cidr': '10.64.0.0/14,fd00:64::/48',
    regional: 'true',
  });
  for (const name of ['vpc-id', 'subnet-ids', 'vpc-endpoints', 'alarm-topic', 'tracing', 'cluster-name'])
    expect(lost.map(([its]) => its)).not.toContain(name);
  expect(takenBack(EVERYTHING, EVERYTHING, [])).toEqual([]);
  expect(takenBack({}, DEFAULTS, [])).toEqual([]);
});

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

test.each([['LEVELSET_CLUSTER_CIDR', '10.64.0.0', /--cluster-cidr has a value that is not allowed/]])(
  '%s=%s is refused by the deployment, not by the function that starts with it',
  (name, value, words) => {
    expect(problemOf(DEFAULTS, Object.keys(DEFAULTS), { [name]: value })).toMatch(words);
  },
);

test.each([DEFAULTS, EVERYTHING])('%j are taken', (parameters) => {
  expect(problemOf(parameters, Object.keys(DEFAULTS), {})).toBeUndefined();
});
