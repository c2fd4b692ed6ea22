import { describe, expect, test } from 'vitest';
import { routeDoubt, desireRoutes } from '../../../shared/routes/desired/desire-routes.ts';
import type { AddressPair, Route, RoutePort } from '../../../shared/model/network/routes.ts';
import {
  ELSEWHERE,
  ROUTER,
  nodeOf,
  pairOf,
  portOf,
  readingOf,
  written,
  type RouteCase,
} from '../../support/route-reading.ts';

/** Routes as they should be, pairs by port number, and why Nodes get none. */
interface Wish {
  readonly routes: readonly string[];
  readonly pairs?: Readonly<Record<number, readonly string[]>>;
  readonly without?: readonly string[];
  readonly record?: readonly string[];
}

const text = ({ destination, nexthop }: Route): string => `${destination} > ${nexthop}`;

function wishOf(given: RouteCase): Required<Wish> {
  const { resources, nodes, after } = desireRoutes(readingOf(given));
  const router = resources.find(({ kind }) => kind === 'router');
  const ports = resources.filter(({ kind }) => kind === 'port');
  const pairs = ports.map(({ address, attributes }) => [
    Number(address.slice(-12)),
    (attributes as { allowed_address_pairs: readonly AddressPair[] }).allowed_address_pairs.map(
      ({ ip_address: cidr }) => cidr,
    ),
  ]);
  return {
    routes: (router?.attributes as { routes: readonly Route[] }).routes.map(text),
    pairs: Object.fromEntries(pairs) as Record<number, readonly string[]>,
    without: nodes.flatMap((one) =>
      one.without.map(({ cidr, why }) => `${one.node.metadata.name} ${cidr}: ${why}`),
    ),
    record: (after.get(ROUTER) ?? []).map(text),
  };
}

const ONE = '10.244.1.0/24 > 10.0.0.1';
const TWO = '10.244.2.0/24 > 10.0.0.2';
const one = { nodes: [nodeOf(1)], ports: [portOf(1)] };

// prettier-ignore
const rows: readonly (readonly [what: string, given: RouteCase, wish: Wish])[] = [
  ['a new Node', one, { routes: [ONE], pairs: { 1: ['10.244.1.0/24'] }, record: [ONE] }],
  ['two families, each by an address of its own', { nodes: [nodeOf(1, { podCIDRs: ['10.244.1.0/24', 'fd00:244:0:1::/64'] })], ports: [portOf(1)] },
    { routes: [ONE, 'fd00:244:0:1::/64 > fd00:10::1'], pairs: { 1: ['10.244.1.0/24', 'fd00:244:0:1::/64'] } }],
  ['a CIDR and a route that are spelled in another way',
    { nodes: [nodeOf(1, { podCIDRs: ['FD00:0244:0:1::/64'] })], ports: [portOf(1, ['FD00:244:0:01::/64'])], routes: ['fd00:0244:0:1:0::/64 > fd00:0010::1', 'fd00:244:0:1::/64 > fd00:10::1'] },
    { routes: ['fd00:0244:0:1:0::/64 > fd00:0010::1'], pairs: { 1: ['FD00:244:0:01::/64'] } }],
  ['the InternalIP comes first of several ports',
    { nodes: [{ ...nodeOf(1), status: { addresses: [{ type: 'InternalIP', address: '10.0.0.7' }] } }], ports: [portOf(1), portOf(7, [], { device_id: portOf(1).device_id ?? '' })] },
    { routes: ['10.244.1.0/24 > 10.0.0.7'], pairs: { 7: ['10.244.1.0/24'] } }],
  ['a route to another port of the Node stays',
    { nodes: [nodeOf(1)], ports: [portOf(1), portOf(7, ['10.244.1.0/24'], { device_id: portOf(1).device_id ?? '' })], routes: ['10.244.1.0/24 > 10.0.0.7'] },
    { routes: ['10.244.1.0/24 > 10.0.0.7'], pairs: { 7: ['10.244.1.0/24'] } }],
  ['a Node without an OpenStack providerID is found by its InternalIP', { nodes: [nodeOf(1, { providerID: '' })], ports: [portOf(1)] }, { routes: [ONE], pairs: { 1: ['10.244.1.0/24'] } }],
  ["the same address elsewhere is another machine's",
    { nodes: [nodeOf(1, { providerID: '' })], ports: [portOf(1), portOf(9, [], { fixed_ips: [{ subnet_id: ELSEWHERE, ip_address: '10.0.0.1' }], device_id: 'other' })] },
    { routes: [ONE], pairs: { 1: ['10.244.1.0/24'] } }],
  ['no port on a subnet of the router (recorded: rec-two)', { nodes: [nodeOf(1)], ports: [portOf(1, [], { fixed_ips: [{ subnet_id: ELSEWHERE, ip_address: '10.1.0.1' }] })] },
    { routes: [], without: ['node-1 10.244.1.0/24: none of its ports has an IPv4 address in a subnet of router 54d3ba2c-2f27-4701-9154-23afcc682dd3'] }],
  ['a podCIDR outside the cluster CIDRs', { nodes: [nodeOf(1, { podCIDRs: ['10.99.0.0/24', 'bad'] })], ports: [portOf(1)] },
    { routes: [], without: ['node-1 10.99.0.0/24: it is not in a --cluster-cidr', 'node-1 bad: it is not in a --cluster-cidr'] }],
  ['two Nodes of one server: what they have stays (decision 27)',
    { nodes: [nodeOf(1), { ...nodeOf(1), metadata: { ...nodeOf(1).metadata, name: 'twin' } }], ports: [portOf(1, ['10.244.1.0/24'])], routes: [ONE] },
    { routes: [ONE], without: ['node-1 10.244.1.0/24: another Node has the same server', 'twin 10.244.1.0/24: another Node has the same server'] }],
  ['two Nodes with one podCIDR: the one that has the route', { nodes: [nodeOf(1, { podCIDRs: ['10.244.2.0/24'] }), nodeOf(2)], ports: [portOf(1), portOf(2)], routes: [TWO] },
    { routes: [TWO], pairs: { 2: ['10.244.2.0/24'] }, without: ['node-1 10.244.2.0/24: it is a podCIDR of Node node-2, too'] }],
  ['the podCIDR of a Node whose ports cannot be seen just now is no other’s',
    { nodes: [nodeOf(1, { podCIDRs: ['10.244.2.0/24'] }), nodeOf(2)], ports: [portOf(1)], routes: [TWO], written: written(TWO) },
    { routes: [TWO], without: ['node-1 10.244.2.0/24: it is a podCIDR of Node node-2, too', 'node-2 10.244.2.0/24: no port of its server is known'], record: [TWO] }],
  ['a Node whose ports cannot be seen just now keeps its route and its place in the record', { nodes: [nodeOf(1)], ports: [], routes: [ONE], written: written(ONE) },
    { routes: [ONE], without: ['node-1 10.244.1.0/24: no port of its server is known'], record: [ONE] }],
  ['a Node that is gone: by the record (decision 112)', { ...one, routes: [ONE, TWO], written: written(ONE, TWO) }, { routes: [ONE], pairs: { 1: ['10.244.1.0/24'] }, record: [ONE] }],
  ['a Node that is gone while its server stays: the pair goes, too',
    {...one, ports: [portOf(1, ['10.244.1.0/24']), portOf(2, ['10.244.2.0/24', '10.244.0.0/16'])], routes: [ONE, TWO], written: written(ONE, TWO) },
    { routes: [ONE], pairs: { 1: ['10.244.1.0/24'], 2: ['10.244.0.0/16'] }, record: [ONE] }],
  ["the route of a Node that is gone, and of which no record is, may be another cluster's", { ...one, routes: [ONE, TWO] }, { routes: [ONE, TWO], pairs: { 1: ['10.244.1.0/24'] }, record: [ONE] }],
  ['another podCIDR: route and pair move', { nodes: [nodeOf(1, { podCIDRs: ['10.244.9.0/24'] })], ports: [portOf(1, ['10.244.1.0/24'])], routes: [ONE] }, { routes: ['10.244.9.0/24 > 10.0.0.1'], pairs: { 1: ['10.244.9.0/24'] } }],
  ['a route that somebody moved to another Node',
    { nodes: [nodeOf(1), nodeOf(2)], ports: [portOf(1, ['10.244.1.0/24']), portOf(2, ['10.244.2.0/24'])], routes: ['10.244.1.0/24 > 10.0.0.2', TWO], written: written(ONE, TWO) },
    { routes: [TWO, ONE], pairs: { 1: ['10.244.1.0/24'], 2: ['10.244.2.0/24'] } }],
  ['the address of a Node that moved', { nodes: [nodeOf(1)], ports: [portOf(1)], routes: ['10.244.1.0/24 > 10.0.0.99'], written: written('10.244.1.0/24 > 10.0.0.99') }, { routes: [ONE], pairs: { 1: ['10.244.1.0/24'] }, record: [ONE] }],
  ['routes outside the cluster CIDRs, also to a Node, and those of others inside',
    {...one, routes: ['10.99.0.0/24 > 10.0.0.1', '0.0.0.0/0 > 10.0.0.1', '10.244.8.0/24 > 10.0.0.88', '10.0.0.0/8 > 10.0.0.1'] },
    { routes: ['10.99.0.0/24 > 10.0.0.1', '0.0.0.0/0 > 10.0.0.1', '10.244.8.0/24 > 10.0.0.88', '10.0.0.0/8 > 10.0.0.1', ONE] }],
  ['a wider pair of others is enough, and stays', { nodes: [nodeOf(1)], ports: [portOf(1, ['10.244.0.0/16', '192.0.2.7'])] }, { routes: [ONE], pairs: { 1: ['10.244.0.0/16', '192.0.2.7'] } }],
  ['pairs for another MAC address do not count, and stay',
    { nodes: [nodeOf(1, { podCIDRs: [] })], ports: [portOf(1, [], { allowed_address_pairs: [pairOf(9, '10.244.1.0/24'), pairOf(1, '10.244.1.0/24')] })], written: written(ONE) },
    { routes: [], pairs: { 1: ['10.244.1.0/24'] } }],
  ['without port security, or without the extension, there are no pairs', { nodes: [nodeOf(1), nodeOf(2)], ports: [portOf(1, [], { port_security_enabled: false }), withoutPairs()] }, { routes: [ONE, TWO], pairs: {} }],
  [
    'a full router: those that are there stay, and one Node has to wait',
    {
      nodes: [nodeOf(1), nodeOf(2), nodeOf(3)],
      ports: [portOf(1), portOf(2), portOf(3)],
      routes: ['10.244.3.0/24 > 10.0.0.3', '10.99.0.0/24 > 10.0.0.9'],
      limit: 3,
    },
    {
      routes: ['10.244.3.0/24 > 10.0.0.3', '10.99.0.0/24 > 10.0.0.9', ONE],
      pairs: { 1: ['10.244.1.0/24'], 3: ['10.244.3.0/24'] },
      without: ['node-2 10.244.2.0/24: the router has the 3 routes that Neutron allows (max_routes)'],
      record: [ONE, '10.244.3.0/24 > 10.0.0.3'],
    },
  ],
];

function withoutPairs(): RoutePort {
  return Object.fromEntries(
    Object.entries(portOf(2)).filter(([name]) => name !== 'allowed_address_pairs'),
  ) as unknown as RoutePort;
}

test.each(rows)('the routes of %s', (_what, given, wish) => {
  const got = wishOf(given);
  expect(got).toMatchObject({ without: [], ...wish });
  expect(got.pairs).toEqual(wish.pairs ?? got.pairs);
});

test('before all is done the record has what was, what is and what will be ours', () => {
  const given = {
    nodes: [nodeOf(1, { podCIDRs: ['10.244.9.0/24'] })],
    ports: [portOf(1)],
    routes: [ONE],
    written: written(TWO),
  };
  expect(desireRoutes(readingOf(given)).before.get(ROUTER)?.map(text)).toEqual([
    ONE,
    TWO,
    '10.244.9.0/24 > 10.0.0.1',
  ]);
});

const said = (given: RouteCase): readonly string[] =>
  desireRoutes(readingOf(given)).problems.map(({ field, value, message }) => `${field} ${value} ${message}`);

test('what is said of a second route to the same pods that is not ours', () => {
  expect(said({ ...one, routes: ['10.244.1.0/24 > 10.0.0.88'] })).toEqual([
    'routes 10.244.1.0/24 via 10.0.0.88 leads to the same pods as the route to their Node; nothing proves that levelset wrote it, so it stays',
  ]);
});

describe('nothing is written where', () => {
  const two = written(ONE, TWO);
  // prettier-ignore
  test.each([
    ['there is no Node, but routes to two', readingOf({ written: two }), 'the cluster has no Node'],
    ['the router has no interface to be seen', { ...readingOf(one), subnets: new Set<string>() }, 'no interface'],
    ['Neutron knows no routes', { ...readingOf(one), router: { id: 'x' } }, 'lacks the extension extraroute'],
  ])('%s', (_what, reading, message) => {
    expect(routeDoubt(reading, false)).toMatchObject({
      blocking: true,
      message: expect.stringContaining(message) as string,
    });
  });

  test('but who asks for it has the routes of the last Nodes taken away', () => {
    expect(routeDoubt(readingOf({ written: two }), true)).toBeUndefined();
    expect(routeDoubt(readingOf({ written: written(ONE) }), false)).toBeUndefined();
    expect(routeDoubt(readingOf({ ...one, written: two }), false)).toBeUndefined();
  });
});

// prettier-ignore
test.each([
  ['its Node left', written(ONE, TWO), 'no Node has the podCIDR 10.244.2.0/24'],
  ['its Node is reached elsewhere', written('10.244.1.0/24 > 10.0.0.77'), 'another next hop leads to 10.244.1.0/24'],
])('a router that loses a route since %s says so', (_, routes, why) => {
  const given = { ...one, routes: routes.map(text), written: routes };
  const { resources } = desireRoutes(readingOf(given));
  expect(resources.find(({ kind }) => kind === 'router')?.because).toBe(why);
});

test('a port that loses an address pair says so', () => {
  const given = {
    ...one,
    ports: [portOf(1, ['10.244.8.0/24'])],
    written: written('10.244.8.0/24 > 10.0.0.1'),
  };
  const { resources } = desireRoutes(readingOf(given));
  expect(resources.find(({ kind }) => kind === 'port')?.because).toBe(
    'no route to 10.244.8.0/24 leads to this port',
  );
});
