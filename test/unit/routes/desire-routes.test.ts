import { expect, test } from 'vitest';
import { routeDoubt, desireRoutes } from '../../../shared/routes/desired/desire-routes.ts';
import type { AddressPair, Route } from '../../../shared/model/network/routes.ts';
import {
  ELSEWHERE,
  ROUTER,
  nodeOf,
  portOf,
  readingOf,
  written,
  type RouteCase,
} from '../../support/route-reading.ts';

/** Routes as they should be, pairs by port number, why Nodes get none, and why what is there goes. */
interface Wish {
  readonly routes: readonly string[];
  readonly pairs?: Readonly<Record<number, readonly string[]>>;
  readonly without?: readonly string[];
  readonly record?: readonly string[];
  readonly because?: readonly string[];
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
    because: resources.flatMap(({ because = [] }) => because),
  };
}

const ONE = '10.244.1.0/24 > 10.0.0.1';
const TWO = '10.244.2.0/24 > 10.0.0.2';
const one = { nodes: [nodeOf(1)], ports: [portOf(1)] };
const { allowed_address_pairs: _, ...withoutPairs } = portOf(2);

// prettier-ignore
const rows: readonly (readonly [what: string, given: RouteCase, wish: Wish])[] = [
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
  ['the podCIDR of a Node whose ports cannot be seen just now is no other’s',
    { nodes: [nodeOf(1, { podCIDRs: ['10.244.2.0/24'] }), nodeOf(2)], ports: [portOf(1)], routes: [TWO], written: written(TWO) },
    { routes: [TWO], without: ['node-1 10.244.2.0/24: it is a podCIDR of Node node-2, too', 'node-2 10.244.2.0/24: no port of its server is known'], record: [TWO] }],
  ['a Node whose ports cannot be seen just now keeps its route and its place in the record', { nodes: [nodeOf(1)], ports: [], routes: [ONE], written: written(ONE) },
    { routes: [ONE], without: ['node-1 10.244.1.0/24: no port of its server is known'], record: [ONE] }],
  ['a Node that is gone while its server stays: the pair goes, too',
    {...one, ports: [portOf(1, ['10.244.1.0/24']), portOf(2, ['10.244.2.0/24', '10.244.0.0/16'])], routes: [ONE, TWO], written: written(ONE, TWO) },
    { routes: [ONE], pairs: { 1: ['10.244.1.0/24'], 2: ['10.244.0.0/16'] }, record: [ONE], because: ['no Node has the podCIDR 10.244.2.0/24', 'no route to 10.244.2.0/24 leads to this port'] }],
  ['the address of a Node that moved', { nodes: [nodeOf(1)], ports: [portOf(1)], routes: ['10.244.1.0/24 > 10.0.0.99'], written: written('10.244.1.0/24 > 10.0.0.99') },
    { routes: [ONE], pairs: { 1: ['10.244.1.0/24'] }, record: [ONE], because: ['another next hop leads to 10.244.1.0/24'] }],
  ['a wider pair of others is enough, and stays', { nodes: [nodeOf(1)], ports: [portOf(1, ['10.244.0.0/16', '192.0.2.7'])] }, { routes: [ONE], pairs: { 1: ['10.244.0.0/16', '192.0.2.7'] } }],
  ['without port security, or without the extension, there are no pairs', { nodes: [nodeOf(1), nodeOf(2)], ports: [portOf(1, [], { port_security_enabled: false }), withoutPairs] }, { routes: [ONE, TWO], pairs: {} }],
];

test.each(rows)('the routes of %s', (_what, given, wish) => {
  const got = wishOf(given);
  expect(got).toMatchObject({ without: [], ...wish });
  expect(got.pairs).toEqual(wish.pairs ?? got.pairs);
});

// prettier-ignore
test.each([
  ['the router has no interface to be seen', { ...readingOf(one), subnets: new Set<string>() }, 'no interface'],
  ['Neutron knows no routes', { ...readingOf(one), router: { id: 'x' } }, 'lacks the extension extraroute'],
])('nothing is written where %s', (_what, reading, says) => {
  const message = expect.stringContaining(says) as string;
  expect(routeDoubt(reading, false)).toMatchObject({ blocking: true, message });
});

test.each([
  ['the one route goes with the only Node', { written: written(ONE) }],
  ['the route of one of two goes', { ...one, written: written(ONE, TWO) }],
])('there is no doubt where %s', (_, given) => {
  expect(routeDoubt(readingOf(given), false)).toBeUndefined();
});
