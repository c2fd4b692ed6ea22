import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SimulatedCloud } from '../support/simulated-cloud.ts';
import { aConfig } from '../support/config.ts';
import { anEdit, serviceOf, usableNodes } from './arbitrary.ts';
import { settle } from './drive.ts';
import { assertReplayable } from './seed.ts';

const config = aConfig(undefined, { maxSharedLb: 5 });
const ID = 'loadbalancer.openstack.org/load-balancer-id';

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
    const members = this.all('member').map((wire) => [
      wire['pool_id'],
      `${String(wire['address'])}:${String(wire['protocol_port'])}`,
    ]);
    return new Map(
      this.all('listener').map(({ id, default_pool_id: pool }) => {
        const behind = members.flatMap(([of, member]) => (of === pool ? [member] : []));
        return [id, behind.sort().join(' ')];
      }),
    );
  }
}

test('no write changes where a listener leads that was right, whatever pools a person has pointed listeners at', () =>
  assertReplayable(
    fc.asyncProperty(
      fc.array(anEdit, { minLength: 2, maxLength: 2 }),
      fc.infiniteStream(fc.option(fc.nat(20), { freq: 3 })),
      fc.boolean(),
      usableNodes,
      async (edits, pointed, isSecondFirst, nodes) => {
        const cloud = new WatchedCloud();
        const services = [];
        for (const [at, edit] of edits.entries()) {
          const ports = edit.ports.map((port) => ({
            ...port,
            port: port.port + 1000 * at,
            nodePort: port.nodePort + 100 * at,
          }));
          const [lb] = cloud.all('loadbalancer');
          const annotations = lb ? { [ID]: lb.id } : {};
          const uid = `5e5e5e5e-0000-4000-8000-00000000001${at}`;
          const made = serviceOf({ ...edit, ranges: [], ports, annotations }, uid);
          const service = { ...made, metadata: { ...made.metadata, name: `web-${at}` } };
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
    ),
    {},
  ));
