/** With the rights of the tables each scenario goes well. Without one of them its scenario fails, and says which one is missing. */
import { expect, test } from 'vitest';
import { CLUSTER_RIGHTS, type ClusterRight } from '../../infra/kubernetes/rights.ts';
import { ACCESS_RULES } from '../../infra/openstack/access-rules.ts';
import { CLOUD_RIGHTS } from '../../infra/openstack/rights.ts';
import { THOROUGH } from '../laws/worlds.ts';
import { callsOutside } from './calls-outside.ts';
import { grantsOf, rightFor, wordsOf } from './grants.ts';
import { live } from './live.ts';
import { SCENARIOS, scenarioOf } from './scenarios.ts';

const ruleText = ({ service, method, path }: (typeof ACCESS_RULES)[number]): string =>
  JSON.stringify({ service, method, path });

/** What levelset goes on without: hints, whose lack costs reads. */
const SILENT = ['list configmaps in levelset', 'patch configmaps levelset-place in levelset'];

/** In the words of the apiserver, or of the condition for what a namespace opts in to. */
function named({ verb, resource }: ClusterRight): string {
  if (resource === 'secrets') return 'opts in by a Role (infra/kubernetes/tls-secrets.example.yaml)';
  const [type = '', sub] = resource.split('/');
  const [plural = ''] = type.split('.');
  return `cannot ${verb} resource "${sub === undefined ? plural : `${plural}/${sub}`}"`;
}

const whole = { rules: ACCESS_RULES, grants: grantsOf(CLUSTER_RIGHTS) };
const CLOUD = CLOUD_RIGHTS.filter(({ password }) => !password).map((right) => ({
  ...{ ...whole, side: 'openstack' as const, words: ruleText(right), scenario: right.scenario },
  rules: ACCESS_RULES.filter((rule) => ruleText(rule) !== ruleText(right)),
  told: right.told ?? `the application credential lacks the access rule ${ruleText(right)}`,
}));
const CLUSTER = CLUSTER_RIGHTS.filter(({ scenario }) => scenario in SCENARIOS).map((right) => ({
  ...{ ...whole, side: 'kube' as const, words: wordsOf(right), scenario: right.scenario },
  grants: grantsOf(CLUSTER_RIGHTS.filter((one) => wordsOf(one) !== wordsOf(right))),
  told: SILENT.includes(wordsOf(right)) ? '' : named(right),
}));

/** `npm run thorough` plays all, `npm test` one of so many. */
const some = <T>(all: readonly T[], oneOf: number): readonly T[] =>
  THOROUGH ? all : all.filter((_, at) => at % oneOf === 0);

const PLAYED = some(Object.entries(SCENARIOS), 4);

test.each(PLAYED)('%s goes well with the rights of the tables, and asks for no more', async (_, scenario) => {
  const { wrong, requests } = await live(scenario, whole.rules, whole.grants);
  expect(wrong).toEqual([]);
  expect(callsOutside(requests)).toEqual([]);
  const used = requests.filter(({ side }) => side === 'kube').map(rightFor);
  expect(CLUSTER_RIGHTS.map(wordsOf)).toEqual(expect.arrayContaining(used));
});

const LACKS = some([...CLOUD, ...CLUSTER], 16);

test.each(LACKS)('without $words its scenario fails and names it', async ({ side, told, ...lack }) => {
  const lived = await live(scenarioOf(lack.scenario), lack.rules, lack.grants);
  expect(lived.wrong).not.toEqual([]);
  if (side === 'kube') expect(lived.requests.map(({ status }) => status)).toContain(403);
  expect(lived.told).toContain(told);
});

test('what only a user with a password can do is a certificate, and the plan says so', async () => {
  for (const { scenario, method, path } of CLOUD_RIGHTS.filter(({ password }) => password)) {
    const { password, ...asCredential } = scenarioOf(scenario);
    expect(password).toBe(true);
    const { wrong, told, requests } = await live(asCredential, ACCESS_RULES);
    expect(wrong).not.toEqual([]);
    expect(told).toContain(
      'let levelset log in as a user with a password; until then the Service is blocked',
    );
    expect(requests.filter((one) => one.method === method && one.path.endsWith(path))).toEqual([]);
  }
});

test('every scenario is named by a right', () => {
  const named = new Set([...CLOUD_RIGHTS, ...CLUSTER_RIGHTS].map(({ scenario }) => scenario));
  expect(Object.keys(SCENARIOS).filter((name) => !named.has(name))).toEqual([]);
});
