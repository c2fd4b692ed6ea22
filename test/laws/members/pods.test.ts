/** Laws of members that are Pods, for whatever the endpoints say and whichever nodes there are. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PodEndpoint } from '../../../shared/model/load-balancer/service-endpoints.ts';
import type { Service } from '../../../shared/model/kubernetes.ts';
import { SUBNET } from '../../support/cloud-contents.ts';
import { SimulatedCloud } from '../../support/simulated-cloud.ts';
import { aConfig } from '../../support/config.ts';
import { aStoredService } from '../../support/service.ts';
import { settle } from '../drive.ts';
import { someNodes } from '../arbitrary.ts';
import '../seed.ts';

const aPod: fc.Arbitrary<PodEndpoint> = fc
  .record({
    pod: fc.constantFrom('web-1', 'web-2', 'web-3'),
    // of the member subnet, of another one, of none
    net: fc.constantFrom('10.0.0', '10.0.0', '10.0.0', '10.9.0', '10.244.0', 'fd00:10:'),
    host: fc.integer({ min: 30, max: 35 }),
    port: fc.constantFrom(8080, 9090),
  })
  .map(({ pod, net, host, port }) => ({
    pod,
    address: `${net}${net.includes(':') ? ':' : '.'}${host}`,
    port,
  }));

const service = (local: boolean): Service =>
  aStoredService({
    spec: {
      allocateLoadBalancerNodePorts: false,
      ...(local ? { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_000 } : {}),
    },
  });

const config = aConfig(undefined, { subnetId: SUBNET });

/** A Pod is one member at each of its addresses, at the lowest number. */
const inSubnet = (pods: readonly PodEndpoint[]): readonly string[] => {
  const near = pods.filter(({ address }) => address.startsWith('10.0.0.'));
  const byPod = Map.groupBy(near, ({ pod, address }) => `${pod} ${address}`);
  const members = [...byPod.values()].map(
    (its) => `${its[0]?.address ?? ''}:${Math.min(...its.map(({ port }) => port))}`,
  );
  return [...new Set(members)].sort();
};

test('the pool has the Pods in the subnet, each once, whatever was in it before and in whatever order they come', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(aPod, { maxLength: 5 }), { minLength: 1, maxLength: 3 }),
      someNodes,
      fc.boolean(),
      async (rounds, nodes, local) => {
        const cloud = new SimulatedCloud();
        const near = rounds.map((pods) => pods.filter(({ address }) => !address.startsWith('10.9.')));
        for (const pods of near) {
          await settle(service(local), nodes, cloud, config, pods);
          const members = cloud
            .all('member')
            .map((one) => `${String(one['address'])}:${String(one['protocol_port'])}`);
          expect(members.sort()).toEqual(inSubnet(pods));
        }
        const reversed = [...(near.at(-1) ?? [])].reverse();
        const [plan] = await settle(service(local), nodes, cloud, config, reversed);
        expect(plan?.steps).toEqual([]);
      },
    ),
  ));
