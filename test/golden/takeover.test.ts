import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { isRecord } from '../../shared/model/json.ts';
import { APPROVE, TAG_PREFIX } from '../../shared/model/ownership.ts';
import type { Step } from '../../shared/model/plan.ts';
import { renderPlan } from '../../shared/plan/render-plan.ts';
import { addressesToPublish, ingressOf } from '../../shared/service/report/published-status.ts';
import { nothingApplied } from '../../shared/service/finish.ts';
import type { ServicePods } from '../support/service.ts';
import { compareWorld, readWorld, type RecordedWorld } from './world.ts';

/**
 * Each file is a load balancer that another controller made, and what levelset plans when it finds it. After a change
 * that is meant, `UPDATE=1 vitest run test/golden` writes the plans anew; read the diff.
 */
const HERE = join(import.meta.dirname, 'takeover');
const UPDATE = process.env['UPDATE'] === '1';
const ENDING = '.world.json';
type Changed = RecordedWorld & { readonly pods?: Partial<ServicePods> };
const { edits, cases } = parse(readFileSync(join(HERE, 'changed.yaml'), 'utf8')) as {
  readonly edits: Readonly<Record<string, unknown>>;
  readonly cases: Readonly<Record<string, readonly [world: string, ...edits: readonly string[]]>>;
};

const worlds = readdirSync(HERE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith(ENDING))
  .map((path) => path.slice(0, -ENDING.length))
  .sort();

test('there are worlds of both controllers', () => {
  expect(worlds.map((name) => name.split('/')[0])).toEqual(expect.arrayContaining(['kinx', 'occm']));
});

describe.each(worlds)('%s', (name) => {
  const world = readWorld(join(HERE, `${name}${ENDING}`));

  test('is planned as written', async () => {
    const { plan } = await compareWorld(world);
    const file = join(HERE, `${name}.plan.txt`);
    const text = `${renderPlan(plan)}\n`;
    if (UPDATE) writeFileSync(file, text);

    expect(text).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
  });

  test('is recognised, and nothing but our tags is added to it', async () => {
    const comparison = await compareWorld(world);

    expect(comparison.observed.loadBalancer?.id).toBe(world.openstack[0]?.loadbalancer.id);
    expect(comparison.plan.steps.filter((step) => !addsOurTagsOnly(step))).toEqual([]);
  });

  test('keeps the address that is published', async () => {
    const comparison = await compareWorld(world);
    const addresses = addressesToPublish(comparison, nothingApplied(comparison));

    expect(ingressOf(comparison, addresses)).toEqual(world.service.status?.loadBalancer?.ingress);
  });
});

function addsOurTagsOnly(step: Step): boolean {
  if (step.verb !== 'update') return false;
  return step.changes.every(({ attribute, from, to }) => {
    const before = from as readonly string[];
    const after = to as readonly string[];
    return (
      attribute === 'tags' &&
      before.every((tag) => after.includes(tag)) &&
      after.filter((tag) => !before.includes(tag)).every((tag) => tag.startsWith(TAG_PREFIX))
    );
  });
}

/** With what an edit says: `*` is each of a list or a map, `+` is what joins a list, and null takes away. */
function patched(value: unknown, edit: unknown): unknown {
  if (!isRecord(edit)) return edit;
  const { '*': each, '+': more, ...named } = edit;
  const there = each === null ? [] : Object.entries(value ?? {});
  const all = new Map(there.map(([key, one]) => [key, each === undefined ? one : patched(one, each)]));
  for (const [key, one] of Object.entries(named))
    if (one === null) all.delete(key);
    else all.set(key, patched(all.get(key), one));
  return Array.isArray(value) ? [...all.values(), ...[more ?? []].flat()] : Object.fromEntries(all);
}

function changed(name: string, ...by: readonly string[]): Changed {
  const world: unknown = readWorld(join(HERE, `${name}${ENDING}`));
  return by.reduce((done, edit) => patched(done, edits[edit]), world) as Changed;
}

const compared = (world: Changed) => compareWorld(world, world.pods);

test('what has changed since is planned as written', async () => {
  const blocks: string[] = [];
  for (const [title, given] of Object.entries(cases)) {
    const comparison = await compared(changed(...given));
    const { plan } = comparison;
    // what is made is named alone, and golden.test.ts has what it is like
    const steps = plan.steps
      .filter((step) => !addsOurTagsOnly(step))
      .map((step) => (step.verb === 'create' && step.kind !== 'member' ? { ...step, attributes: {} } : step));
    const published = addressesToPublish(comparison, nothingApplied(comparison)).join(', ');
    blocks.push(`${title}\n${renderPlan({ ...plan, steps })}\n  at ${published}\n`);
  }
  const file = join(HERE, 'changed.txt');
  if (UPDATE) writeFileSync(file, blocks.join('\n'));

  expect(blocks.join('\n')).toBe(readFileSync(file, 'utf8'));
});

test.each<[string, approved: readonly string[], asked: readonly string[], isApproved: boolean]>([
  ['all that waits', ['sticky'], ['sticky'], true],
  ['less than what waits', ['sticky'], ['sticky', 'without-monitors'], false],
  ['another Service that asks for the same', ['sticky', 'another-uid'], ['sticky'], false],
  ['another value', ['interval-8'], ['interval-7'], false],
])('an approval of %s is written down: %s %s %s', async (_, approved, asked, isApproved) => {
  const { plan } = await compared(changed('kinx/readme-tcp', ...approved));
  const [hash, ...others] = new Set(plan.awaitingApproval.map(({ approval }) => approval));
  const world = changed('kinx/readme-tcp', ...asked);
  const annotations = { ...world.service.metadata.annotations, [APPROVE]: hash };
  const edit = { service: { metadata: { annotations } } };
  const [before, after] = [await compared(world), await compared(patched(world, edit) as Changed)];

  expect([others, after.plan.steps.filter((step) => !addsOurTagsOnly(step))]).toEqual([[], []]);
  expect(JSON.stringify(after.plan.steps).includes('levelset-adopted=kinx/readme-tcp')).toBe(isApproved);
  // so that a sweep finds it
  expect(after.hash).not.toBe(before.hash);
});
