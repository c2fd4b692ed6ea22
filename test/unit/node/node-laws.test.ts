import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeAddresses, type NodeAddressInput } from '../../../shared/node/desired/node-addresses.ts';
import type { NodeAddress } from '../../../shared/model/kubernetes.ts';
import type { NeutronPort, Server } from '../../../shared/model/node/nova.ts';

/** Few addresses and networks, so that they meet; and now and then what nobody expects. */
const address = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      '10.0.0.5',
      '10.0.0.40',
      '10.1.0.5',
      '203.0.113.9',
      'fd00:10::5',
      'fd00:10::a',
    ),
  },
  { weight: 1, arbitrary: fc.oneof(fc.string(), fc.ipV4(), fc.ipV6(), fc.constant('::ffff:10.0.0.5')) },
);
const network = fc.constantFrom('private', 'extra', 'public', '1', '__proto__');
const orNull = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(some, { freq: 8 });

const port: fc.Arbitrary<NeutronPort> = fc.record(
  {
    id: fc.uuid(),
    status: fc.constantFrom('ACTIVE', 'ACTIVE', 'DOWN', 'BUILD', 'ERROR', 'odd'),
    fixed_ips: orNull(fc.array(fc.record({ ip_address: address }), { maxLength: 3 })),
  },
  { requiredKeys: ['id'] },
);
const server: fc.Arbitrary<Server> = fc.record(
  {
    id: fc.uuid(),
    accessIPv4: orNull(fc.constantFrom('', '198.51.100.7', '10.0.0.5')),
    accessIPv6: orNull(fc.constantFrom('', '2001:db8::1', 'fd00:10::5')),
    metadata: orNull(fc.dictionary(fc.constantFrom('hostname', 'other'), fc.string())),
    addresses: orNull(
      fc.dictionary(
        network,
        orNull(
          fc.array(
            fc.record(
              { addr: address, 'OS-EXT-IPS:type': fc.constantFrom('fixed', 'fixed', 'floating') },
              { requiredKeys: ['addr'] },
            ),
            { maxLength: 4 },
          ),
        ),
      ),
    ),
  },
  { requiredKeys: ['id'] },
);
const existing: fc.Arbitrary<readonly NodeAddress[]> = fc.uniqueArray(
  fc.record({
    type: fc.constantFrom('InternalIP', 'ExternalIP', 'Hostname', 'InternalDNS'),
    address: fc.oneof(address, fc.constant('web-1')),
  }),
  { maxLength: 5, selector: ({ type, address: of }) => `${type} ${of}` },
);
const input: fc.Arbitrary<NodeAddressInput> = fc.record(
  {
    server,
    ports: fc.uniqueArray(port, { maxLength: 4, selector: ({ id }) => id }),
    subports: fc.uniqueArray(fc.record({ port, networkName: network }), {
      maxLength: 2,
      selector: (one) => one.port.id,
    }),
    existing,
    providedNodeIPs: fc.oneof(
      fc.constantFrom('10.0.0.5', '10.1.0.5,fd00:10::5', 'FD00:10:0::5,10.0.0.5', '203.0.113.9'),
      fc.string(),
    ),
    options: fc.record({
      publicNetworkName: fc.subarray(['public', 'extra']),
      internalNetworkName: fc.subarray(['private', 'extra', '1']),
      ipv6SupportDisabled: fc.boolean(),
      addressSortOrder: fc.subarray(['10.1.0.0/16', '10.0.0.0/8', 'fd00::/8', '0.0.0.0/0']),
    }),
  },
  { requiredKeys: ['server', 'ports', 'existing', 'options'] },
);

const holds = (law: (given: NodeAddressInput) => void): void => {
  fc.assert(fc.property(input, law), { numRuns: 500 });
};

/** What the Node has when this was done: without addresses that are desired it keeps its own. */
function predictState(given: NodeAddressInput): readonly NodeAddress[] {
  const { addresses } = nodeAddresses(given);
  return addresses.length > 0 ? addresses : given.existing;
}

test('what is desired is desired again once it is there', () => {
  holds((given) => {
    const addresses = predictState(given);
    expect(predictState({ ...given, existing: addresses })).toEqual(addresses);
  });
});

test('ports that go down move nothing', () => {
  holds((given) => {
    const up = given.ports.map((one) => ({ ...one, status: 'ACTIVE' }));
    const addresses = predictState({ ...given, ports: up });
    expect(predictState({ ...given, existing: addresses })).toEqual(addresses);
  });
});

test('the order in which ports and networks were listed says nothing', () => {
  holds((given) => {
    const { server: one, ports, subports = [] } = given;
    const reversed = {
      ...given,
      server: { ...one, addresses: Object.fromEntries(Object.entries(one.addresses ?? {}).reverse()) },
      ports: [...ports].reverse(),
      subports: [...subports].reverse(),
    };
    expect(nodeAddresses(reversed)).toEqual(nodeAddresses(given));
  });
});

test('no message comes twice, and no InternalIP is lost without another one, or as an ExternalIP', () => {
  holds((given) => {
    const { addresses } = nodeAddresses(given);
    const lines = addresses.map(({ type, address: of }) => `${type} ${of}`);
    expect(new Set(lines).size).toBe(lines.length);
    const had = given.existing.filter(({ type }) => type === 'InternalIP');
    if (addresses.length > 0 && had.length > 0 && !lines.some((line) => line.startsWith('InternalIP ')))
      expect(lines).toEqual(expect.arrayContaining(had.map(({ address: of }) => `ExternalIP ${of}`)));
  });
});

test('either there are addresses, or a Problem says why not', () => {
  holds((given) => {
    const { addresses, problems } = nodeAddresses(given);
    expect(addresses.length > 0 || problems.length === 1).toBe(true);
  });
});
