/** Each right of the tables, taken away: its scenario fails, and says which one is missing. No smaller one does. */
import { beforeAll, describe, expect, test } from 'vitest';
import { CLUSTER_RIGHTS, type ClusterRight } from '../../infra/kubernetes/rights.ts';
import { ACCESS_RULES } from '../../infra/openstack/access-rules.ts';
import { CLOUD_RIGHTS } from '../../infra/openstack/rights.ts';
import { allows } from '../../infra/sandbox/openstack/keystone/access-rules.ts';
import { rightFor } from '../repo/kubernetes-rights.ts';
import { askedOf, callsOutside } from './calls-outside.ts';
import { grantsOf, NAMESPACE, wordsOf } from './grants.ts';
import { live, type Lived } from './live.ts';
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
  told: right.told ?? ruleText(right),
}));
const CLUSTER = CLUSTER_RIGHTS.filter(({ scenario }) => scenario in SCENARIOS).map((right) => ({
  ...{ ...whole, side: 'kube' as const, words: wordsOf(right), scenario: right.scenario },
  grants: grantsOf(CLUSTER_RIGHTS.filter((one) => wordsOf(one) !== wordsOf(right))),
  told: SILENT.includes(wordsOf(right)) ? '' : named(right),
}));

/** Which rights a scenario makes use of, in both tables. */
function usedIn({ requests }: Lived): Readonly<Record<'kube' | 'openstack', ReadonlySet<string>>> {
  const rules = ACCESS_RULES.filter((rule) => requests.some((one) => allows([rule], askedOf(one))));
  const inKube = requests.filter(({ side }) => side === 'kube');
  return {
    openstack: new Set(rules.map(ruleText)),
    kube: new Set(inKube.map((call) => rightFor(call, NAMESPACE))),
  };
}

const uses = new Map<string, ReturnType<typeof usedIn>>();
beforeAll(async () => {
  const all = CLUSTER_RIGHTS.map(wordsOf);
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    const lived = await live(scenario, whole.rules, whole.grants);
    expect(lived.wrong, name).toEqual([]);
    expect(callsOutside(lived.requests), name).toEqual([]);
    const used = usedIn(lived);
    expect(
      [...used.kube].filter((words) => !all.includes(words)),
      name,
    ).toEqual([]);
    uses.set(name, used);
  }
});

describe.each([...CLOUD, ...CLUSTER])('without $words', ({ side, words, scenario, told, rules, grants }) => {
  test('its scenario fails and names it', async () => {
    const lived = await live(scenarioOf(scenario), rules, grants);
    expect(lived.wrong).not.toEqual([]);
    expect(lived.requests.some((one) => one.side === side && one.status === 403) || side !== 'kube').toBe(
      true,
    );
    expect(lived.told).toContain(told);
  });

  test('no scenario with fewer rights fails', async () => {
    const size = uses.get(scenario)?.[side].size ?? 0;
    for (const [name, used] of uses) {
      if (!used[side].has(words) || used[side].size >= size) continue;
      const { wrong } = await live(scenarioOf(name), rules, grants);
      expect(wrong, name).toEqual([]);
    }
  });
});
