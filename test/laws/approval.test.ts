import fc from 'fast-check';
import { expect, test } from 'vitest';
import { APPROVE } from '../../shared/model/ownership.ts';
import type { Plan } from '../../shared/model/plan.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';
import { anEdit, serviceOf, usableNodes, type Edit } from './arbitrary.ts';
import { evaluation, pictureOf, settle } from './drive.ts';
import './seed.ts';

/** What cannot change on a load balancer that is there. */
const PLACES = [
  { 'loadbalancer.openstack.org/subnet-id': 'aaaaaaaa-0000-4000-8000-000000000002' },
  { 'loadbalancer.openstack.org/flavor-id': '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d' },
  { 'loadbalancer.openstack.org/availability-zone': 'az1' },
  {},
] as const;

/** Several VIPs stay where they are if nothing else is asked for, which at once would have been elsewhere. */
const KEYS = [
  ...PLACES.flatMap((place) => Object.keys(place)),
  'levelset.openstack.org/additional-vip-subnet-ids',
  // a port is in the subnets that it is in
  'loadbalancer.openstack.org/port-id',
];
/** Two edits that differ in where the load balancer is, or what it is made of. */
const placed: fc.Arbitrary<readonly Edit[]> = fc
  .tuple(fc.tuple(anEdit, anEdit), fc.shuffledSubarray([...PLACES], { minLength: 2, maxLength: 2 }))
  .map(([edits, places]) =>
    edits.map((edit, at) => ({
      ...edit,
      policy: 'SingleStack' as const,
      annotations: { ...without(edit.annotations), ...places[at] },
    })),
  );

function without(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const others = Object.entries(annotations).filter(([key]) => !KEYS.includes(key) && key !== APPROVE);
  return Object.fromEntries(others);
}

const hashesOf = ({ refused }: Plan): readonly string[] => refused.flatMap(({ approval }) => approval ?? []);

test('whatever is approved comes to rest as what was asked, at the same address', () =>
  fc.assert(
    fc.asyncProperty(placed, usableNodes, async ([first, second], nodes) => {
      if (!first || !second) return;
      const cloud = new SimulatedCloud();
      await settle(serviceOf(first), nodes, cloud);
      const [ip] = structuredClone(cloud.all('floatingip'));
      const [made] = structuredClone(cloud.all('loadbalancer'));
      const { plan } = await evaluation(serviceOf(second), nodes, cloud);
      fc.pre(plan.problems.every(({ blocking }) => !blocking));
      await settle(serviceOf(second), nodes, cloud);
      const told = hashesOf((await evaluation(serviceOf(second), nodes, cloud)).plan);
      fc.pre(told.length > 0);

      const approved = { ...second, annotations: { ...second.annotations, [APPROVE]: told.join() } };
      await settle(serviceOf(approved), nodes, cloud);

      const { plan: left } = await evaluation(serviceOf(approved), nodes, cloud);
      expect(left.steps).toEqual([]);
      expect(cloud.all('loadbalancer')).toHaveLength(1);
      if (left.refused.some(({ reason }) => reason.startsWith('the approval is given, but '))) {
        expect(cloud.all('loadbalancer')[0]?.id).toBe(made?.id);
        return;
      }
      expect(hashesOf(left)).toEqual([]);
      const fresh = new SimulatedCloud();
      await settle(serviceOf(approved), nodes, fresh);
      expect(await pictureOf(serviceOf(approved), nodes, cloud)).toEqual(
        withTagsOf(await pictureOf(serviceOf(approved), nodes, fresh), cloud),
      );
      const [now] = cloud.all('floatingip');
      if (ip && now) expect(now['floating_ip_address']).toBe(ip['floating_ip_address']);
    }),
  ));

/** What takes another one's place says so, which one that was made at once does not. */
function withTagsOf(picture: unknown, cloud: SimulatedCloud): unknown {
  const tags = cloud.all('loadbalancer').flatMap(({ tags: all }) => all as readonly string[]);
  const replaces = tags.filter((tag) => tag.startsWith('levelset-replaces='));
  const { lb, ...others } = picture as { lb: { tags: readonly string[] } };
  return { ...others, lb: { ...lb, tags: [...lb.tags, ...replaces].sort() } };
}
