/** An intent changes while the steps of the one before are half done. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SimulatedCloud } from '../support/simulated-cloud.ts';
import { anEdit, serviceOf, usableNodes, type Edit } from './arbitrary.ts';
import { executeWhole, evaluation, pictureOf, settle } from './drive.ts';
import './seed.ts';

const MEMBER_SUBNET = 'loadbalancer.openstack.org/member-subnet-id';
/** Where it is cannot change later. */
const VIPS = 'levelset.openstack.org/additional-vip-subnet-ids';

/** On the load balancer of the first one, and with what needs another pool more often than by chance. */
const edits: fc.Arbitrary<readonly [Edit, Edit, Edit]> = fc
  .tuple(anEdit, anEdit, anEdit, fc.array(aPoolOfItsOwn(), { minLength: 3, maxLength: 3 }))
  .map(([first, second, third, pools]) => {
    const { ports, policy = 'SingleStack' } = first;
    const vips = Object.entries(first.annotations).filter(([name]) => name === VIPS);
    const on = (edit: Edit, at: number): Edit => {
      const others = Object.entries(edit.annotations).filter(([name]) => name !== VIPS);
      return {
        ...edit,
        ports,
        policy,
        annotations: { ...Object.fromEntries([...others, ...vips]), ...pools[at] },
      };
    };
    return [on(first, 0), on(second, 1), on(third, 2)];
  });

function aPoolOfItsOwn(): fc.Arbitrary<Readonly<Record<string, string>>> {
  return fc.constantFrom(
    {},
    { 'levelset.openstack.org/protocol': 'http' },
    { 'loadbalancer.openstack.org/proxy-protocol': 'true' },
    { 'loadbalancer.openstack.org/proxy-protocol': 'v2' },
    { 'levelset.openstack.org/monitor-type': 'PING' },
    { [MEMBER_SUBNET]: 'aaaaaaaa-0000-4000-8000-000000000001' },
    { [MEMBER_SUBNET]: 'aaaaaaaa-0000-4000-8000-000000000002' },
  );
}

test('what was begun leaves no trace, and members are where they were asked to be last', () =>
  fc.assert(
    fc.asyncProperty(
      edits,
      usableNodes,
      fc.nat({ max: 12 }),
      async ([first, second, third], nodes, steps) => {
        const changed = new SimulatedCloud();
        const fresh = new SimulatedCloud();
        await settle(serviceOf(first), nodes, changed);
        const seen = await evaluation(serviceOf(second), nodes, changed);
        await executeWhole(
          { ...seen, plan: { ...seen.plan, steps: seen.plan.steps.slice(0, steps) } },
          changed,
        );
        for (const cloud of [changed, fresh]) {
          const { plan } = await evaluation(serviceOf(third), nodes, cloud);
          fc.pre(plan.problems.every(({ blocking }) => !blocking));
          await settle(serviceOf(third), nodes, cloud);
        }

        expect(await pictureOf(serviceOf(third), nodes, changed)).toEqual(
          await pictureOf(serviceOf(third), nodes, fresh),
        );
        const asked = third.annotations[MEMBER_SUBNET];
        const subnets = changed
          .all('member')
          .filter(({ address }) => asked !== undefined && String(address).startsWith('10.'))
          .map((member) => member['subnet_id']);
        expect(subnets).toEqual(subnets.map(() => asked));
      },
    ),
  ));
