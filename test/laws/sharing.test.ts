import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Service } from '../../shared/model/kubernetes.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';
import type { Wire } from '../support/cloud-contents.ts';
import { aConfig } from '../support/config.ts';
import { anEdit, leaving, serviceOf, usableNodes, type Edit } from './arbitrary.ts';
import { comparison, settle } from './drive.ts';
import { forAll } from './seed.ts';

const config = aConfig(undefined, { maxSharedLb: 5 });
const ID = 'loadbalancer.openstack.org/load-balancer-id';

/** One on this load balancer, if there is one. No two of them have a node port in common. */
function sharing(edit: Edit, at: number, lb: string | undefined, portsApart = 0): Service {
  const ports = edit.ports.map(({ protocol, port, nodePort }) => {
    return { protocol, port: port + portsApart * at, nodePort: nodePort + 100 * at };
  });
  const annotations: Edit['annotations'] = lb === undefined ? {} : { [ID]: lb };
  const uid = `5e5e5e5e-0000-4000-8000-00000000001${at}`;
  const made = serviceOf({ ...edit, ranges: [], ports, annotations }, uid);
  return { ...made, metadata: { ...made.metadata, name: ['web', 'api', 'dns'][at] ?? 'x' } };
}

/** Everything that carries a Service's tag, or hangs on what does. */
function partOf(cloud: SimulatedCloud, { metadata }: Service): unknown {
  const mine = (wire: Wire) => (wire['tags'] as string[]).includes(`levelset-service=${metadata.uid}`);
  const listeners = cloud.all('listener').filter(mine);
  const pools = cloud.all('pool').filter(({ id }) => listeners.some((one) => one['default_pool_id'] === id));
  const under = (kind: 'member' | 'healthmonitor') =>
    cloud.all(kind).filter((wire) => pools.some(({ id }) => wire['pool_id'] === id));
  return structuredClone([listeners, pools, under('member'), under('healthmonitor')]);
}

test('what Services do on one load balancer touches no other one’s part, whoever comes, changes and goes', () =>
  forAll(
    fc.array(anEdit, { minLength: 3, maxLength: 3 }),
    anEdit,
    fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
    usableNodes,
    async (edits, change, order, nodes) => {
      const cloud = new SimulatedCloud();
      const [first = change] = edits;
      await settle(sharing(first, 0, undefined), nodes, cloud, config);
      fc.pre(cloud.all('loadbalancer').length === 1);
      const id = cloud.all('loadbalancer')[0]?.id ?? '';
      const services = edits.map((edit, at) => sharing(edit, at, at === 0 ? undefined : id));
      const check = async (at: number, service: Service): Promise<void> => {
        const others = services.filter((_, other) => other !== at);
        const before = others.map((other) => partOf(cloud, other));
        await settle(service, nodes, cloud, config);
        expect(others.map((other) => partOf(cloud, other))).toEqual(before);
      };
      for (const [at, service] of services.entries()) await check(at, service);
      // each port is somebody's: of those that two want, the first one has it
      const wanted = edits.flatMap(({ ports }) => ports.map((one) => `${one.protocol}/${one.port}`));
      expect(cloud.all('listener')).toHaveLength(new Set(wanted).size);
      await check(1, sharing(change, 1, id));
      const { plan } = await comparison(sharing(first, 0, undefined), nodes, cloud, config);
      expect(plan.steps).toEqual([]);

      for (const [gone, at] of order.entries()) {
        const service = services[at];
        if (service) await check(at, leaving(service));
        for (const kind of ['loadbalancer', 'floatingip'] as const)
          expect(cloud.all(kind)).toHaveLength(gone === 2 ? 0 : 1);
      }
      for (const kind of ['listener', 'pool', 'member', 'healthmonitor'] as const)
        expect(cloud.all(kind)).toEqual([]);
    },
  ));

/** A cloud that is looked at after each write. */
class WatchedCloud extends SimulatedCloud {
  written = (): void => undefined;

  override async write<T>(title: string, send: () => Promise<T>): Promise<T> {
    const answer = await super.write(title, send);
    this.written();
    return answer;
  }

  /** Where the clients of each listener end up, by its id. */
  leads(): ReadonlyMap<string, string> {
    const leadsTo = (pool: unknown): string => {
      const behind = this.all('member').filter((member) => member['pool_id'] === pool);
      const places = behind.map((one) => `${String(one['address'])}:${String(one['protocol_port'])}`);
      return places.sort().join(' ');
    };
    return new Map(this.all('listener').map(({ id, default_pool_id: pool }) => [id, leadsTo(pool)]));
  }
}

test('no write changes where a listener leads that was right, whatever pools a person has pointed listeners at', () =>
  forAll(
    fc.array(anEdit, { minLength: 2, maxLength: 2 }),
    fc.infiniteStream(fc.option(fc.nat(20), { freq: 3 })),
    fc.boolean(),
    usableNodes,
    async (edits, pointed, isSecondFirst, nodes) => {
      const cloud = new WatchedCloud();
      const services: Service[] = [];
      for (const [at, edit] of edits.entries()) {
        const service = sharing(edit, at, cloud.all('loadbalancer')[0]?.id, 1_000);
        await settle(service, nodes, cloud, config);
        services.push(service);
      }
      const right = cloud.leads();
      const pools = cloud.all('pool');
      for (const { id, default_pool_id: own } of cloud.all('listener')) {
        const at = pointed.next().value as number | null;
        const protocol = pools.find((pool) => pool.id === own)?.['protocol'];
        const fitting = pools.filter((pool) => pool['protocol'] === protocol);
        const pool = at === null ? undefined : fitting[at % fitting.length];
        if (pool) await cloud.update('listener', id, { default_pool_id: pool.id });
        cloud.unlock();
      }
      let before = cloud.leads();
      cloud.written = () => {
        const now = cloud.leads();
        for (const [id, led] of before) if (led === right.get(id)) expect(now.get(id)).toBe(led);
        before = now;
      };
      const order = isSecondFirst ? services.toReversed() : services;
      for (const service of [...order, ...order]) await settle(service, nodes, cloud, config);
      expect(cloud.leads()).toEqual(right);
      expect(cloud.all('pool').length).toBe(pools.length);
    },
  ));
