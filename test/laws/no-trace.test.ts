/** An intent comes after others: what is served is what it would be if it had come first. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Node } from '../../shared/model/kubernetes.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';
import { anAnnotation, anEdit, serviceOf, usableNodes, type Edit } from './arbitrary.ts';
import { executeWhole, comparison, pictureOf, served, settle } from './drive.ts';
import { forAll } from './seed.ts';

const MEMBER_SUBNET = 'loadbalancer.openstack.org/member-subnet-id';
const VIPS = 'levelset.openstack.org/additional-vip-subnet-ids';

interface Course {
  readonly first: Edit;
  /** What comes in between, and how many of its steps are done; absent: all, until nothing is left to do. */
  readonly second: Edit;
  readonly steps?: number;
  readonly last: Edit;
  readonly before: readonly Node[];
  readonly nodes: readonly Node[];
}

/** A load balancer keeps the VIPs that it was made with. */
function withVipsOf({ policy = 'SingleStack', annotations }: Edit, later: Edit): Edit {
  const { [VIPS]: subnets, ...others } = { ...later.annotations, [VIPS]: annotations[VIPS] };
  return { ...later, policy, annotations: subnets === undefined ? others : { ...others, [VIPS]: subnets } };
}

const another: fc.Arbitrary<Course> = fc
  .tuple(anEdit, anEdit, usableNodes, usableNodes)
  .map(([first, later, before, nodes]) => ({
    ...{ first, second: first, steps: 0, last: withVipsOf(first, later), before, nodes },
  }));

const withoutIt: fc.Arbitrary<Course> = fc
  .tuple(anEdit, anAnnotation, usableNodes)
  .map(([edit, [key, value], nodes]) => {
    const others = Object.fromEntries(Object.entries(edit.annotations).filter(([name]) => name !== key));
    const never = { ...edit, annotations: others };
    const withIt = { ...edit, annotations: { ...others, [key]: value } };
    return { first: never, second: withIt, last: never, before: nodes, nodes };
  });

/** What needs another pool, more often than by chance. */
const aPoolOfItsOwn = fc.constantFrom<Readonly<Record<string, string>>[]>(
  {},
  { 'levelset.openstack.org/protocol': 'http' },
  { 'loadbalancer.openstack.org/proxy-protocol': 'true' },
  { 'loadbalancer.openstack.org/proxy-protocol': 'v2' },
  { 'levelset.openstack.org/monitor-type': 'PING' },
  { [MEMBER_SUBNET]: 'aaaaaaaa-0000-4000-8000-000000000001' },
  { [MEMBER_SUBNET]: 'aaaaaaaa-0000-4000-8000-000000000002' },
);

type Change = [Edit, Readonly<Record<string, string>>];

const halfWay: fc.Arbitrary<Course> = fc
  .tuple(fc.array(fc.tuple(anEdit, aPoolOfItsOwn), { minLength: 3, maxLength: 3 }), usableNodes, fc.nat(12))
  .map(([edits, nodes, steps]) => {
    const [[first, pool], ...others] = edits as [Change, Change, Change];
    const on = (edit: Edit, its: Change[1]): Edit => {
      const { annotations, ...same } = withVipsOf(first, edit);
      return { ...same, ports: first.ports, annotations: { ...annotations, ...its } };
    };
    const [second, last] = others.map((other) => on(...other)) as [Edit, Edit];
    return { first: on(first, pool), second, last, steps, before: nodes, nodes };
  });

test.each([
  ['what came before leaves no trace in what is served', another],
  ['removing an annotation undoes it', withoutIt],
  ['what was begun leaves no trace, and members are where they were asked to be last', halfWay],
])('%s', (_, courses) =>
  forAll(courses, async ({ first, second, steps, last, before, nodes }) => {
    const [changed, fresh] = [await served(first, before), new SimulatedCloud()];
    if (steps === undefined) await settle(serviceOf(second), before, changed);
    const seen = await comparison(serviceOf(second), before, changed);
    await executeWhole({ ...seen, plan: { ...seen.plan, steps: seen.plan.steps.slice(0, steps) } }, changed);
    for (const cloud of [changed, fresh]) {
      const { plan } = await comparison(serviceOf(last), nodes, cloud);
      fc.pre(plan.problems.every(({ blocking }) => !blocking));
      await settle(serviceOf(last), nodes, cloud);
    }

    const asIfFirst = await pictureOf(serviceOf(last), nodes, fresh);
    expect(await pictureOf(serviceOf(last), nodes, changed)).toEqual(asIfFirst);
    const asked = last.annotations[MEMBER_SUBNET];
    const subnets = changed
      .all('member')
      .filter(({ address }) => asked !== undefined && String(address).startsWith('10.'))
      .map((member) => member['subnet_id']);
    expect(subnets).toEqual(subnets.map(() => asked));
  }),
);
