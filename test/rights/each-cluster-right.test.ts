/** Each right in Kubernetes, taken away: its scenario fails, and says which one is missing. No smaller one does. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ACCESS_RULES } from '../../infra/openstack/access-rules.ts';
import { CLUSTER_RIGHTS, type ClusterRight } from '../../infra/kubernetes/rights.ts';
import { rightFor } from '../repo/kubernetes-rights.ts';
import { grantsOf, NAMESPACE, wordsOf } from './grants.ts';
import { live, type Lived } from './live.ts';
import { SCENARIOS, scenarioOf } from './scenarios.ts';

const rights = CLUSTER_RIGHTS.filter(({ scenario }) => scenario in SCENARIOS);
const without = (right?: ClusterRight): ReturnType<typeof grantsOf> =>
  grantsOf(CLUSTER_RIGHTS.filter((one) => !right || wordsOf(one) !== wordsOf(right)));
const usedIn = ({ requests }: Lived): ReadonlySet<string> =>
  new Set(requests.filter(({ side }) => side === 'kube').map((call) => rightFor(call, NAMESPACE)));

/** By its name, which rights a scenario makes use of. */
const uses = new Map<string, ReadonlySet<string>>();
beforeAll(async () => {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    const lived = await live(scenario, ACCESS_RULES, without());
    expect(lived.wrong, name).toEqual([]);
    uses.set(name, usedIn(lived));
  }
});

test('the scenarios ask for nothing that the table does not have', () => {
  const all = new Set(CLUSTER_RIGHTS.map(wordsOf));
  expect([...uses.values()].flatMap((used) => [...used]).filter((words) => !all.has(words))).toEqual([]);
});

describe.each(rights.map((right) => [wordsOf(right), right] as const))('without %s', (words, right) => {
  test('its scenario fails and names it', async () => {
    const { wrong, told, requests } = await live(scenarioOf(right.scenario), ACCESS_RULES, without(right));
    expect(wrong).not.toEqual([]);
    expect(requests.some(({ side, status }) => side === 'kube' && status === 403)).toBe(true);
    if (!SILENT.includes(words)) expect(told).toContain(named(right));
  });

  test('no scenario with fewer rights fails', async () => {
    const size = uses.get(right.scenario)?.size ?? 0;
    for (const [name, used] of uses) {
      if (!used.has(words) || used.size >= size) continue;
      const { wrong } = await live(scenarioOf(name), ACCESS_RULES, without(right));
      expect(wrong, name).toEqual([]);
    }
  });
});

/** What levelset goes on without: hints, whose lack costs reads. */
const SILENT = ['list configmaps in levelset', 'patch configmaps levelset-place in levelset'];

/** In the words of the apiserver, or of the condition for what a namespace opts in to. */
function named({ verb, resource }: ClusterRight): string {
  if (resource === 'secrets') return 'opts in by a Role (infra/kubernetes/tls-secrets.example.yaml)';
  const [type = '', sub] = resource.split('/');
  const [plural = ''] = type.split('.');
  return `cannot ${verb} resource "${sub === undefined ? plural : `${plural}/${sub}`}"`;
}
