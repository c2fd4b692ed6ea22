import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aService } from '../support/service.ts';
import { startSandboxWorld, type SandboxWorld } from '../support/sandbox-world.ts';
import { THOROUGH } from './seed.ts';

const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';

interface Wish {
  readonly ports: readonly { readonly protocol: string; readonly port: number }[];
  readonly internal: boolean;
  readonly ranges: readonly string[];
  readonly sticky: boolean;
}

type Act =
  | { readonly do: 'write'; readonly name: string; readonly wish: Wish }
  | { readonly do: 'delete' | 'retype'; readonly name: string }
  | { readonly do: 'join' | 'leave'; readonly node: string }
  | { readonly do: 'run'; readonly name: string };

const anIntent: fc.Arbitrary<Wish> = fc.record({
  ports: fc.uniqueArray(
    fc.record({ protocol: fc.constantFrom('TCP', 'UDP'), port: fc.constantFrom(53, 80, 443) }),
    { minLength: 1, maxLength: 3, selector: ({ protocol, port }) => `${protocol}/${port}` },
  ),
  internal: fc.boolean(),
  ranges: fc.constantFrom([], ['10.0.0.0/8'], ['192.0.2.0/24', '10.0.0.0/8']),
  sticky: fc.boolean(),
});
const aName = fc.constantFrom('web', 'dns');
const anAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), name: aName, wish: anIntent }) },
  fc.record({ do: fc.constantFrom('delete' as const, 'retype' as const), name: aName }),
  fc.record({
    do: fc.constantFrom('join' as const, 'leave' as const),
    node: fc.constantFrom('node-2', 'node-3', 'node-4'),
  }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('run' as const), name: aName }) },
);

async function act(it: SandboxWorld, intent: Map<string, Wish>, what: Act): Promise<void> {
  const { kube } = it.sandbox;
  switch (what.do) {
    case 'write': {
      const { ports, internal, ranges, sticky } = what.wish;
      // a Service on its way out is not written by anybody
      if (kube.get('Service', 'default', what.name)?.metadata.deletionTimestamp !== undefined) return;
      kube.apply(
        aService({
          name: what.name,
          annotations: { [INTERNAL]: String(internal) },
          spec: {
            ports: ports.map((port) => ({ ...port, name: `${port.protocol.toLowerCase()}-${port.port}` })),
            loadBalancerSourceRanges: ranges,
            sessionAffinity: sticky ? 'ClientIP' : 'None',
          },
        }),
      );
      intent.set(what.name, what.wish);
      return;
    }
    case 'delete':
      kube.delete('Service', 'default', what.name);
      intent.delete(what.name);
      return;
    case 'retype':
      if (!intent.has(what.name)) return;
      kube.apply(aService({ name: what.name, spec: { type: 'NodePort' } }));
      intent.delete(what.name);
      return;
    case 'join':
      if (!kube.get('Node', undefined, what.node)) kube.addNode(what.node);
      return;
    case 'leave':
      if (kube.get('Node', undefined, what.node)) kube.removeNode(what.node);
      return;
    case 'run':
      await it.settle(what.name);
  }
}

interface Served {
  readonly external: boolean;
  readonly listeners: Readonly<Record<string, unknown>>;
}

/** The pools and members that follow from the intents, worked out by hand from the cluster's node ports and addresses. */
function wanted(
  { kube }: SandboxWorld['sandbox'],
  intent: ReadonlyMap<string, Wish>,
): Record<string, Served> {
  const addresses = kube
    .list('Node')
    .map(
      ({ status }) => (status?.['addresses'] as readonly { readonly address: string }[])[0]?.address ?? '',
    );
  const served = (name: string, wish: Wish): Served => {
    const ports = kube.get('Service', 'default', name)?.spec?.['ports'] as readonly StoredPort[];
    const listener = ({ protocol, port, nodePort }: StoredPort): readonly [string, unknown] => [
      `${protocol}/${port}`,
      {
        ranges: wish.ranges.length > 0 ? [...wish.ranges].sort() : null,
        sticky: wish.sticky,
        members: addresses.map((address) => `${address}:${nodePort}`).sort(),
      },
    ];
    return { external: !wish.internal, listeners: Object.fromEntries(ports.map(listener)) };
  };
  return Object.fromEntries([...intent].map(([name, wish]) => [name, served(name, wish)]));
}

interface StoredPort {
  readonly protocol: string;
  readonly port: number;
  readonly nodePort: number;
}

/** What the simulator serves, by the Service that publishes its address. */
function served({ cloud, kube }: SandboxWorld['sandbox']): Record<string, Served> {
  const serves = cloud.loadbalancers.map((lb): readonly [string, Served] => {
    const ip = cloud.floatingips.find(({ port_id }) => port_id === lb.vip_port_id);
    const address = ip?.floating_ip_address ?? lb.vip_address;
    const publisher = kube
      .list('Service')
      .find(({ status }) => JSON.stringify(status?.['loadBalancer']).includes(`"ip":"${address}"`));
    const listeners = cloud.listeners.filter((one) => one.loadbalancer_id === lb.id);
    const listener = (one: (typeof listeners)[number]): readonly [string, unknown] => {
      const pool = cloud.pools.find(({ id }) => id === one.default_pool_id);
      const members = cloud.members.filter(({ pool_id }) => pool_id === pool?.id);
      return [
        `${one.protocol}/${one.protocol_port}`,
        {
          ranges: one['allowed_cidrs'],
          sticky: pool?.['session_persistence'] !== null,
          members: members.map((member) => `${member.address}:${member.protocol_port}`).sort(),
        },
      ];
    };
    return [
      publisher?.metadata.name ?? `nobody's ${lb.id}`,
      { external: ip !== undefined, listeners: Object.fromEntries(listeners.map(listener)) },
    ];
  });
  return Object.fromEntries(serves);
}

test('whatever happens to Services and Nodes, a sweep brings the world to what is asked, and the next one rests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anAct, { minLength: 3, maxLength: 8 }), async (acts) => {
      const it = await startSandboxWorld({ pendingMs: 2 });
      try {
        const intent = new Map<string, Wish>();
        for (const what of acts) await act(it, intent, what);
        await it.sweepUntilSettled();

        const { sandbox } = it;
        expect(served(sandbox)).toEqual(wanted(sandbox, intent));
        const { loadbalancers, pools, listeners, floatingips, ports } = sandbox.cloud;
        expect(loadbalancers).toHaveLength(intent.size);
        expect(pools).toHaveLength(listeners.length);
        expect(floatingips).toHaveLength([...intent.values()].filter(({ internal }) => !internal).length);
        expect(ports.filter(({ device_owner }) => device_owner === 'Octavia')).toHaveLength(intent.size);

        const before = sandbox.requests.length;
        await it.sweepUntilSettled();
        const writes = sandbox.requests.slice(before).filter(({ write }) => write);
        expect(writes.filter(({ side }) => side === 'openstack')).toEqual([]);
      } finally {
        await it.close();
      }
    }),
    { numRuns: THOROUGH ? 25 : 5 },
  );
});
