import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Plan, Step } from '../../shared/model/plan.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';
import { anEdit, keysWithoutValues, leaving, serviceOf, someNodes, usableNodes } from './arbitrary.ts';
import type { Edit } from './arbitrary.ts';
import { executeWhole, comparison, served, settle } from './drive.ts';
import { forAll } from './seed.ts';

const FOREIGN_POOL = 'eeeeeeee-0000-4000-8000-000000000001';
const FOREIGN_LISTENER = 'eeeeeeee-0000-4000-8000-000000000002';
const FOREIGN = [FOREIGN_LISTENER, FOREIGN_POOL];

/** Somebody puts a listener and a pool of their own on the load balancer. */
function addForeign(cloud: SimulatedCloud): void {
  const loadbalancer_id = cloud.all('loadbalancer')[0]?.id;
  const tags = ['team=observability'];
  cloud.add('pool', { id: FOREIGN_POOL, loadbalancer_id, protocol: 'TCP', tags });
  const listener = { id: FOREIGN_LISTENER, default_pool_id: FOREIGN_POOL, protocol_port: 9100 };
  cloud.add('listener', { ...listener, loadbalancer_id, protocol: 'TCP', tags });
}

const stepsOf = (plans: readonly Plan[]): readonly Step[] => plans.flatMap(({ steps }) => steps);

test('every annotation of the table has values for these laws', () => {
  expect(keysWithoutValues).toEqual([]);
});

describe('whatever a user asks for, one after the other', () => {
  test('each comes to rest, and nothing is left to do then', () =>
    forAll(fc.array(fc.tuple(anEdit, usableNodes), { minLength: 1, maxLength: 3 }), async (edits) => {
      const cloud = new SimulatedCloud();
      for (const [edit, nodes] of edits) {
        await settle(serviceOf(edit), nodes, cloud);
        const writes = cloud.writes.length;
        const { plan } = await comparison(serviceOf(edit), nodes, cloud);
        expect(plan.steps).toEqual([]);
        expect(cloud.writes).toHaveLength(writes);
      }
    }));

  test('a plan carried out to its end needs no second one', () =>
    forAll(anEdit, anEdit, usableNodes, usableNodes, async (first, second, before, nodes) => {
      const cloud = await served(first, before);
      await executeWhole(await comparison(serviceOf(second), nodes, cloud), cloud);
      const { plan } = await comparison(serviceOf(second), nodes, cloud);
      // Neutron takes the tags of a new floating IP only after its POST; a stored certificate goes when no listener has it
      expect(plan.steps.filter(({ kind }) => kind !== 'floatingip' && kind !== 'secret')).toEqual([]);
    }));

  test('the order of nodes, ports, ranges and annotations makes no difference', () =>
    forAll(anEdit, anEdit, usableNodes, async (first, second, nodes) => {
      const cloud = await served(first, nodes);
      for (const kind of ['listener', 'pool', 'member'] as const) cloud.all(kind).reverse();
      const steps = async (edit: Edit, on = nodes): Promise<readonly Step[]> =>
        (await comparison(serviceOf(edit), on, cloud)).plan.steps;
      expect(await steps(first)).toEqual([]);
      const annotations = Object.fromEntries(Object.entries(second.annotations).reverse());
      const backwards = { ...second, ranges: second.ranges.toReversed(), annotations };
      expect(await steps(backwards, nodes.toReversed())).toEqual(await steps(second));
      expect(await steps({ ...first, ports: first.ports.toReversed() })).toEqual([]);
    }));
});

describe('no step', () => {
  test('touches what is not ours, not even when the Service leaves', () =>
    forAll(anEdit, anEdit, usableNodes, async (first, second, nodes) => {
      const cloud = await served(first, nodes);
      fc.pre(cloud.all('loadbalancer').length > 0);
      addForeign(cloud);
      const foreign = () =>
        [...cloud.all('listener'), ...cloud.all('pool')].filter(({ id }) => FOREIGN.includes(id));
      const before = structuredClone(foreign());
      const plans = [...(await settle(serviceOf(second), nodes, cloud))];
      plans.push(...(await settle(leaving(serviceOf(second)), nodes, cloud)));
      const ids = stepsOf(plans).map((step) => ('id' in step ? step.id : ''));
      expect(FOREIGN.filter((id) => ids.includes(id))).toEqual([]);
      expect(foreign()).toEqual(before);
      expect(cloud.all('listener')).toHaveLength(1);
      expect(cloud.all('loadbalancer')[0]?.['tags']).toEqual([]);
    }));

  test('is an empty update, and no call names a member twice', () =>
    forAll(anEdit, anEdit, usableNodes, someNodes, async (first, second, nodes, later) => {
      const cloud = new SimulatedCloud();
      const plans = [...(await settle(serviceOf(first), nodes, cloud))];
      plans.push(...(await settle(serviceOf(second), later, cloud)));
      for (const step of stepsOf(plans)) {
        if (step.verb === 'update') expect(step.changes).not.toEqual([]);
        if (step.verb !== 'members') continue;
        const places = step.members.map((one) => [one['address'], one['protocol_port']].join(':'));
        expect(places).toEqual([...new Set(places)]);
        expect([...step.added, ...step.removed, ...step.changed]).not.toEqual([]);
        if (step.additive) expect(places).toHaveLength(step.added.length + step.changed.length);
      }
    }));
});

test('a Service that leaves takes everything along but what it keeps', () =>
  forAll(anEdit, usableNodes, async (edit, nodes) => {
    const cloud = await served(edit, nodes);
    const had = cloud.all('floatingip').length;
    await settle(leaving(serviceOf(edit)), nodes, cloud);
    const keeps = edit.annotations['loadbalancer.openstack.org/keep-floatingip'] === 'true';
    for (const kind of ['loadbalancer', 'listener', 'pool', 'member', 'healthmonitor'] as const)
      expect(cloud.all(kind)).toEqual([]);
    expect(cloud.all('floatingip')).toHaveLength(keeps ? had : 0);
  }));
