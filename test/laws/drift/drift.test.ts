import { attributeRule } from '../../../shared/model/attributes.ts';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Step } from '../../../shared/model/plan.ts';
import type { ResourceKind } from '../../../shared/model/resources.ts';
import type { Cloud } from '../../../shared/ports.ts';
import { MUTATIONS } from './mutations.ts';
import { FEATURES, startDriftWorld, withoutIds, type DriftWorld, type Feature } from './drift-world.ts';
import { forAll } from '../seed.ts';

type Row = Record<string, unknown>;

const FEATURE_NAMES = Object.keys(FEATURES) as Feature[];

/** The rows of a kind that are the Service's. */
function rowsOf(kind: string, { cloud }: SandboxInside): readonly Row[] {
  const { loadbalancers, listeners, pools, members, healthmonitors, l7policies, l7rules } = cloud;
  const tables: Readonly<Record<string, { [Symbol.iterator](): Iterator<object> }>> = {
    ...{ loadbalancer: loadbalancers, listener: listeners, pool: pools, member: members },
    ...{ healthmonitor: healthmonitors, l7policy: l7policies, l7rule: l7rules },
    ...{ floatingip: cloud.floatingips, securitygroup: cloud.securityGroups, port: cloud.ports },
  };
  const rows = [...(tables[kind] ?? [])] as Row[];
  if (kind === 'securitygroup') return rows.filter(({ name }) => String(name).startsWith('lb-sg-'));
  if (kind === 'port') return rows.filter(({ device_owner: owner }) => String(owner).startsWith('compute:'));
  return rows;
}

/** The row to change: one that has the attribute, and a value of it before others. */
function rowFor({ kind, attribute }: (typeof MUTATIONS)[number], inside: SandboxInside): Row | undefined {
  const rows = rowsOf(kind, inside).filter((row) => attribute in row);
  return rows.find((row) => row[attribute] !== null) ?? rows[0];
}

/** Whether the attribute belongs to a feature, such as TLS, that nobody asks for here: there is no value that it should have. */
function isOfNoUse(one: One, { inside }: DriftWorld): boolean {
  const { needs = null } = attributeRule(one.kind as ResourceKind, one.attribute);
  return rowFor(one, inside)?.[one.attribute] === null && needs !== null;
}

function mutated(present: unknown, to: unknown, { cloud }: SandboxInside): unknown {
  const list = (Array.isArray(present) ? present : []) as readonly string[];
  if (to === 'with one more') return [...list, 'by-hand'];
  if (to === 'without ours') return list.filter((tag) => !tag.startsWith('levelset-service='));
  const ours = cloud.securityGroups.filter(({ name }) => name.startsWith('lb-sg-')).map(({ id }) => id);
  if (to === 'without our group') return list.filter((group) => !ours.includes(group));
  return to;
}

type One = (typeof MUTATIONS)[number];

/** Changes one attribute of one row by hand, and expects that one sweep tells of it, and puts it back or leaves it. */
async function changeAndSweep(it: DriftWorld, one: One): Promise<'drift' | 'left' | 'not there'> {
  const { kind, attribute, to } = one;
  const row = rowFor(one, it.inside);
  const value = mutated(row?.[attribute], to, it.inside);
  const before = row?.[attribute];
  if (!row || isDeepStrictEqual(before ?? null, value ?? null)) return 'not there';
  const what = `${kind}.${attribute} ${JSON.stringify(before)} -> ${JSON.stringify(value)}`;
  const picture = it.picture();
  it.byHand(() => {
    row[attribute] = value;
  });
  const { drift } = await it.sweepOnce();
  const told = drift.flatMap(placesOf);
  if (told.length > 0) {
    expect(told, what).toEqual([expect.stringMatching(` ${attribute}$`)]);
    expect(it.picture(), what).toEqual(picture);
    return 'drift';
  }
  expect(drift, what).toEqual([]);
  expect(row[attribute], what).toEqual(value);
  row[attribute] = before;
  return 'left';
}

/** Drift of each sort that a Service without TLS has. */
const SOME_DRIFT: readonly (readonly [address: string, kind: string, attribute: string])[] = [
  ['lb', 'loadbalancer', 'admin_state_up'],
  ['listener/tcp/80', 'listener', 'connection_limit'],
  ['monitor/tcp/80', 'healthmonitor', 'delay'],
  ['pool/tcp/80', 'pool', 'lb_algorithm'],
];
const SOME_PLACES = SOME_DRIFT.map(([address, , attribute]) => `${address} ${attribute}`);

/** What a step of drift is about: `ADDRESS ATTRIBUTE`, `ADDRESS missing`, `ADDRESS there`. */
function placesOf(step: Step): readonly string[] {
  const { address } = step;
  if (step.verb === 'update') return step.changes.map(({ attribute }) => `${address} ${attribute}`);
  if (step.verb === 'members')
    return [
      ...step.added.map((one) => `${address} ${one} missing`),
      ...step.removed.map((one) => `${address} ${one} there`),
      ...step.changed.map((one) => `${address} ${one.split(' ').slice(0, 2).join(' ')}`),
    ];
  return [`${address} ${step.verb === 'create' ? 'missing' : 'there'}`];
}

type Act = (hand: Cloud, inside: SandboxInside) => Promise<unknown>;
const OWN_ID = (rows: Iterable<{ readonly id: string }>): string => [...rows][0]?.id ?? '';

/** What somebody does to a whole resource by the API of OpenStack, and what is told of it. */
// prettier-ignore
const WHOLE: readonly (readonly [what: string, act: Act, told: RegExp])[] = [
  ['a member that is deleted', (hand, { cloud }) => hand.remove('member', OWN_ID(cloud.members), { parent: cloud.members[0]?.pool_id ?? '' }), /^(member|pool)\/tcp\/80\S* (\S+ )?missing$/],
  ['a member that is added', (hand, { cloud }) => hand.create('member', { address: '10.0.0.77', protocol_port: 4711 }, OWN_ID(cloud.pools)), /^(member|pool)\/tcp\/80.10.0.0.77:4711 there$/],
  ['a monitor that is deleted', (hand, { cloud }) => hand.remove('healthmonitor', OWN_ID(cloud.healthmonitors)), /^monitor\/tcp\/80 missing$/],
  ['a policy that is deleted', (hand, { cloud }) => hand.remove('l7policy', OWN_ID(cloud.l7policies)), /^l7policy\/tcp\/80\/redirect missing$/],
  ['a listener that is deleted', (hand, { cloud }) => hand.remove('listener', OWN_ID(cloud.listeners)), /^listener\/tcp\/80 missing$/],
  ['a pool that is deleted', (hand, { cloud }) => hand.remove('pool', OWN_ID(cloud.pools)), /^pool\/tcp\/80 missing$/],
  ['a load balancer that is deleted', (hand, { cloud }) => hand.remove('loadbalancer', OWN_ID(cloud.loadbalancers), { cascade: true }), /^lb missing$/],
  ['a floating IP that is deleted', (hand, { cloud }) => hand.remove('floatingip', OWN_ID(cloud.floatingips)), /^floatingip missing$/],
  ['an opening that is closed', (hand, { cloud }) => hand.remove('securitygrouprule', OWN_ID(cloud.securityGroupRules.filter(({ port_range_min: port }) => port === 30_080))), /^securitygrouprule\/tcp\/30080\/\S+ missing$/],
];

/** Where drift is only to be reported, what is missing is made all the same. */
const PUT_BACK = WHOLE.flatMap(([what, act, told]) =>
  (told.source.endsWith('missing$') ? ['repair', 'report'] : ['repair']).map((mode) => {
    return { what, act, told, mode };
  }),
);

const nameOf = ({ kind, attribute }: One): string => `${kind}.${attribute}`;

describe('what somebody changes by hand in a settled world', () => {
  test('is told by one sweep, and put back or left, attribute by attribute of the table', async () => {
    const it = await startDriftWorld(FEATURE_NAMES);
    expect((await it.sweepOnce()).reports).toEqual([]);
    const told: Record<string, string[]> = {};
    for (const one of MUTATIONS) (told[await changeAndSweep(it, one)] ??= []).push(nameOf(one));
    expect(told).toMatchSnapshot();
  });

  test('is told whatever the Service asks for', () =>
    forAll(
      fc.subarray(FEATURE_NAMES),
      fc.uniqueArray(fc.constantFrom(...MUTATIONS), { minLength: 1, maxLength: 4, selector: nameOf }),
      async (features, mutations) => {
        const it = await startDriftWorld(features);
        for (const one of mutations) if (!isOfNoUse(one, it)) await changeAndSweep(it, one);
      },
    ));

  test.each(PUT_BACK)('is told of $what, which is put back: $mode', async ({ what, act, told, mode }) => {
    const it = await startDriftWorld(['http', 'redirect', 'tls'], { [DRIFT]: mode });
    const picture = withoutIds(it.picture());
    it.inside.clock.advance(60_000);
    await act(it.hand, it.inside);
    it.inside.clock.advance(60_000);
    const { drift } = await it.sweepOnce();
    expect(drift.flatMap(placesOf)).toContainEqual(expect.stringMatching(told));
    expect(withoutIds(it.picture())).toEqual(picture);
    expect(it.isReady()).toBe(true);
    const isOnlyAdded = mode === 'report' && /member|opening/.test(what);
    const becomes = isOnlyAdded ? 'only adds what is missing' : 'undoes it';
    expect(JSON.stringify(it.inside.kube.list('Event'))).toContain(`levelset ${becomes}`);
  });
});

test('drift that is only to be reported is not written over, not even when a Node joins, until it is to be repaired', async () => {
  const it = await startDriftWorld(['http', 'limits'], { [DRIFT]: 'report' });
  const changed = SOME_DRIFT.map(([, kind, attribute]) => {
    const one = MUTATIONS.find((row) => row.kind === kind && row.attribute === attribute);
    const [row] = rowsOf(kind, it.inside);
    if (!one || !row) throw new Error(`there is no ${kind}`);
    return { ...one, row, before: row[attribute] };
  });
  it.byHand(() => {
    for (const { row, attribute, to } of changed) row[attribute] = to;
  });
  const [byHand, writes] = [it.picture(), it.writes().length];
  for (let sweeps = 0; sweeps < 2; sweeps += 1) {
    const { drift, reports } = await it.sweepOnce();
    if (sweeps === 0) expect(drift.flatMap(placesOf).sort()).toEqual(SOME_PLACES);
    expect(reports.flatMap(({ plan }) => plan?.steps ?? [])).toEqual([]);
  }
  expect([it.picture(), it.writes().slice(writes)]).toEqual([byHand, []]);
  expect(JSON.stringify(it.inside.kube.list('Event'))).toContain('DriftReported');

  it.inside.kube.addNode('node-9');
  it.inside.clock.advance(60_000);
  await it.sweepOnce();
  expect(it.inside.cloud.members.filter(({ name }) => name.includes('node-9'))).not.toEqual([]);
  for (const { row, attribute, to } of changed) expect(row[attribute], attribute).toEqual(to);

  it.apply({ [DRIFT]: 'repair' });
  it.inside.clock.advance(60_000);
  const { drift } = await it.sweepOnce();
  expect(drift.flatMap(placesOf)).toEqual(expect.arrayContaining(SOME_PLACES));
  for (const { row, attribute, before } of changed) expect(row[attribute], attribute).toEqual(before);
  expect(JSON.stringify(it.inside.kube.list('Event'))).toContain('DriftRepaired');
});

const DRIFT = 'levelset.openstack.org/drift';
