import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Service } from '../../shared/model/kubernetes.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';
import type { Wire } from '../support/cloud-contents.ts';
import { aConfig } from '../support/config.ts';
import { anEdit, leaving, serviceOf, usableNodes, type Edit } from './arbitrary.ts';
import { evaluation, settle } from './drive.ts';
import './seed.ts';

const config = aConfig(undefined, { maxSharedLb: 5 });
const ID = 'loadbalancer.openstack.org/load-balancer-id';
const NAMES = ['web', 'api', 'dns'] as const;

/** No two of them have a node port in common. */
function named(edit: Edit, at: number, annotations: Readonly<Record<string, string>>): Service {
  const ports = edit.ports.map((port) => ({ ...port, nodePort: port.nodePort + 100 * at }));
  const made = serviceOf({ ...edit, ports, annotations }, `5e5e5e5e-0000-4000-8000-00000000001${at}`);
  return { ...made, metadata: { ...made.metadata, name: NAMES[at] ?? 'x' } };
}

/** Everything that carries a Service's tag, or hangs on what does. */
function partOf(cloud: SimulatedCloud, { metadata }: Service): unknown {
  const mine = (wire: Wire): boolean =>
    (wire['tags'] as string[]).includes(`levelset-service=${metadata.uid}`);
  const listeners = cloud.all('listener').filter(mine);
  const pools = cloud.all('pool').filter(({ id }) => listeners.some((one) => one['default_pool_id'] === id));
  const under = (kind: 'member' | 'healthmonitor') =>
    cloud.all(kind).filter((wire) => pools.some(({ id }) => wire['pool_id'] === id));
  return structuredClone([listeners, pools, under('member'), under('healthmonitor')]);
}

const withoutAnnotations = anEdit.map((edit) => ({ ...edit, ranges: [] }));

test('what Services do on one load balancer touches no other one’s part, whoever comes, changes and goes', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(withoutAnnotations, { minLength: 3, maxLength: 3 }),
      withoutAnnotations,
      fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
      usableNodes,
      async (edits, change, order, nodes) => {
        const cloud = new SimulatedCloud();
        const [first = change] = edits;
        await settle(named(first, 0, {}), nodes, cloud, config);
        fc.pre(cloud.all('loadbalancer').length === 1);
        const id = cloud.all('loadbalancer')[0]?.id ?? '';
        const services = edits.map((edit, at) => named(edit, at, at === 0 ? {} : { [ID]: id }));
        const check = async (at: number, service: Service): Promise<void> => {
          const others = services.filter((_, other) => other !== at);
          const before = others.map((other) => partOf(cloud, other));
          await settle(service, nodes, cloud, config);
          expect(others.map((other) => partOf(cloud, other))).toEqual(before);
        };
        for (const [at, service] of services.entries()) await check(at, service);
        // each port is somebody's: of those that two want, the first one has it
        const wanted = new Set(
          edits.flatMap(({ ports }) => ports.map((one) => `${one.protocol}/${one.port}`)),
        );
        expect(cloud.all('listener')).toHaveLength(wanted.size);
        await check(1, named(change, 1, { [ID]: id }));
        for (const service of services.slice(0, 1))
          expect((await evaluation(service, nodes, cloud, config)).plan.steps).toEqual([]);

        for (const [gone, at] of order.entries()) {
          const service = services[at];
          if (service) await check(at, leaving(service));
          expect(cloud.all('loadbalancer')).toHaveLength(gone === 2 ? 0 : 1);
          expect(cloud.all('floatingip')).toHaveLength(gone === 2 ? 0 : 1);
        }
        for (const kind of ['listener', 'pool', 'member', 'healthmonitor'] as const)
          expect(cloud.all(kind)).toEqual([]);
      },
    ),
  ));
