import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TAG_PREFIX } from '../../shared/model/ownership.ts';
import type { Step } from '../../shared/model/plan.ts';
import { renderPlan } from '../../shared/plan/render-plan.ts';
import { addressesToPublish, ingressOf } from '../../shared/service/report/published-address.ts';
import { nothingApplied } from '../../shared/service/finish.ts';
import { evaluateWorld, readWorld } from './world.ts';

/**
 * Each file is a load balancer that another controller made, and what levelset plans when it finds it. After a change
 * that is meant, `UPDATE=1 vitest run test/golden` writes the plans anew; read the diff.
 */
const HERE = join(import.meta.dirname, 'takeover');
const UPDATE = process.env['UPDATE'] === '1';
const ENDING = '.world.json';

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
    const { plan } = await evaluateWorld(world);
    const file = join(HERE, `${name}.plan.txt`);
    const text = `${renderPlan(plan)}\n`;
    if (UPDATE) writeFileSync(file, text);

    expect(text).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
  });

  test('is recognised, and nothing but our tags is added to it', async () => {
    const evaluation = await evaluateWorld(world);

    expect(evaluation.observed.loadBalancer?.id).toBe(world.openstack[0]?.loadbalancer.id);
    expect(evaluation.plan.steps.filter((step) => !addsOurTagsOnly(step))).toEqual([]);
  });

  test('keeps the address that is published', async () => {
    const evaluation = await evaluateWorld(world);
    const addresses = addressesToPublish(evaluation, nothingApplied(evaluation));

    expect(ingressOf(evaluation, addresses)).toEqual(world.service.status?.loadBalancer?.ingress);
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
