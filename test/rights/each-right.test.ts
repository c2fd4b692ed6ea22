/** Each right of the table, taken away: its scenario fails, and says which one is missing. No smaller one does. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ACCESS_RULES } from '../../infra/openstack/access-rules.ts';
import { CLOUD_RIGHTS } from '../../infra/openstack/rights.ts';
import { allows } from '../../infra/sandbox/openstack/keystone/access-rules.ts';
import { askedOf, callsOutside } from './calls-outside.ts';
import { live } from './live.ts';
import { SCENARIOS, scenarioOf } from './scenarios.ts';

const textOf = ({ service, method, path }: (typeof ACCESS_RULES)[number]): string =>
  JSON.stringify({ service, method, path });
const without = (right: (typeof ACCESS_RULES)[number]): typeof ACCESS_RULES =>
  ACCESS_RULES.filter((rule) => textOf(rule) !== textOf(right));

/** By its name, which rules a scenario makes use of. */
const uses = new Map<string, ReadonlySet<string>>();
beforeAll(async () => {
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    const { requests, wrong } = await live(scenario, ACCESS_RULES);
    expect(wrong, name).toEqual([]);
    expect(callsOutside(requests), name).toEqual([]);
    const used = ACCESS_RULES.filter((rule) => requests.some((one) => allows([rule], askedOf(one))));
    uses.set(name, new Set(used.map(textOf)));
  }
});

const rights = CLOUD_RIGHTS.filter(({ password }) => !password);

describe.each(rights.map((right) => [`${right.method} ${right.service} ${right.path}`, right] as const))(
  'without %s',
  (_, right) => {
    test('its scenario fails and names it', async () => {
      const { wrong, told } = await live(scenarioOf(right.scenario), without(right));
      expect(wrong).not.toEqual([]);
      expect(told).toContain(right.told ?? textOf(right));
    });

    test('no scenario with fewer rights fails', async () => {
      const size = uses.get(right.scenario)?.size ?? 0;
      for (const [name, used] of uses) {
        if (!used.has(textOf(right)) || used.size >= size) continue;
        const { wrong } = await live(scenarioOf(name), without(right));
        expect(wrong, name).toEqual([]);
      }
    });
  },
);
