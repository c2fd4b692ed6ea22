/** A sample of what each-right.test.ts plays in `npm run thorough`, and what costs no time. */
import { expect, test } from 'vitest';
import { ACCESS_RULES } from '../../infra/openstack/access-rules.ts';
import { CLOUD_RIGHTS } from '../../infra/openstack/rights.ts';
import { CLUSTER_RIGHTS } from '../../infra/kubernetes/rights.ts';
import { callsOutside } from './calls-outside.ts';
import { grantsOf } from './grants.ts';
import { live } from './live.ts';
import { SCENARIOS, scenarioOf } from './scenarios.ts';

const SAMPLE = Object.entries(SCENARIOS).filter((_, at) => at % 4 === 0);

test.each(SAMPLE)(
  '%s goes well with the rights of the tables, and asks for nothing else',
  async (_, scenario) => {
    const { wrong, requests } = await live(scenario, ACCESS_RULES, grantsOf(CLUSTER_RIGHTS));
    expect(wrong).toEqual([]);
    expect(callsOutside(requests)).toEqual([]);
  },
);

test('what only a user with a password can do is a certificate, and the plan says so', async () => {
  for (const { scenario, method, path } of CLOUD_RIGHTS.filter(({ password }) => password)) {
    const { password, ...asCredential } = SCENARIOS[scenario] ?? { act: () => undefined };
    expect(password).toBe(true);
    const { wrong, told, requests } = await live(asCredential, ACCESS_RULES);
    expect(wrong).not.toEqual([]);
    expect(told).toContain('until it logs in as a user with a password, the Service is blocked');
    expect(requests.filter((one) => one.method === method && one.path.endsWith(path))).toEqual([]);
  }
});

test.each([0, 20, 40].map((at) => [ACCESS_RULES[at]?.path ?? '', CLOUD_RIGHTS[at]] as const))(
  'without the rule for %s its scenario fails and names it',
  async (_, right) => {
    const rules = ACCESS_RULES.filter(({ path, method }) => path !== right?.path || method !== right.method);
    const { wrong, told } = await live(scenarioOf(right?.scenario ?? ''), rules);
    expect(rules).toHaveLength(ACCESS_RULES.length - 1);
    expect(wrong).not.toEqual([]);
    expect(told).toContain(
      `the application credential lacks the access rule {"service":"${right?.service ?? ''}","method":"${right?.method ?? ''}","path":"${right?.path ?? ''}"}`,
    );
  },
);

test('every scenario is named by a right', () => {
  const named = new Set([...CLOUD_RIGHTS, ...CLUSTER_RIGHTS].map(({ scenario }) => scenario));
  expect(Object.keys(SCENARIOS).filter((name) => !named.has(name))).toEqual([]);
});
