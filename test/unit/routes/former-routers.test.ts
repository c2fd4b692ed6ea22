import { expect, test } from 'vitest';
import { desireRoutes } from '../../../shared/routes/desired/desire-routes.ts';
import type { AddressPair, FormerRouter, Route } from '../../../shared/model/network/routes.ts';
import { nodeOf, portOf, readingOf, written } from '../../support/route-reading.ts';
import type { RouteCase } from '../../support/route-reading.ts';

const FORMER = '74d3ba2c-2f27-4701-9154-23afcc682dd3';
const ONE = '10.244.1.0/24 > 10.0.0.1';
const TWO = '10.244.2.0/24 > 10.0.0.2';
const OLD = '10.99.1.0/24 > 10.0.0.1';

/** What is on it, and what the record says of it. */
function former(routes: readonly string[], record: readonly string[] = routes): readonly FormerRouter[] {
  return [{ id: FORMER, routes: written(...routes), written: written(...record) }];
}

const node = { nodes: [nodeOf(1)], ports: [portOf(1, ['10.244.1.0/24'])] };
const text = ({ destination, nexthop }: Route): string => `${destination} > ${nexthop}`;

/** Routes that stay on it, entries that stay in its record, and the pairs of the first Node. */
const rows: readonly (readonly [
  what: string,
  given: RouteCase,
  stay: readonly string[],
  record: readonly string[],
  pairs: readonly string[],
])[] = [
  ['of a Node leave', { ...node, former: former([ONE]) }, [], [], ['10.244.1.0/24']],
  ['of a Node that is gone leave', { ...node, former: former([ONE, TWO]) }, [], [], ['10.244.1.0/24']],
  [
    'of a Node whose ports are not seen just now stay',
    { nodes: [nodeOf(1), nodeOf(2)], ports: node.ports, former: former([ONE, TWO]) },
    [TWO],
    [TWO],
    ['10.244.1.0/24'],
  ],
  [
    'of a Node that has no place on the new one stay, and its pair',
    { ...node, limit: 1, routes: ['192.168.1.0/24 > 10.0.0.9'], former: former([ONE]) },
    [ONE],
    [ONE],
    ['10.244.1.0/24'],
  ],
  [
    'that are not recorded stay, whatever they lead to',
    { ...node, former: former([ONE, '10.244.7.0/24 > 10.0.0.1', '10.244.1.0/24 > 10.0.0.8'], [ONE]) },
    ['10.244.7.0/24 > 10.0.0.1', '10.244.1.0/24 > 10.0.0.8'],
    [],
    ['10.244.1.0/24'],
  ],
  [
    'that are recorded leave, also where --cluster-cidr was another one; their pairs as well',
    { nodes: [nodeOf(1)], ports: [portOf(1, ['10.99.1.0/24'])], former: former([OLD]) },
    [],
    [],
    ['10.244.1.0/24'],
  ],
  [
    'of one that is gone are forgotten, whatever is seen of their Nodes',
    { ...node, nodes: [nodeOf(1), nodeOf(2)], former: former([], [ONE, TWO]) },
    [],
    [],
    ['10.244.1.0/24'],
  ],
];

test.each(rows)('routes on a former router %s', (_what, given, stay, record, pairs) => {
  const { resources, after } = desireRoutes(readingOf(given));
  const routes = resources.find(({ address }) => address === `router/${FORMER}`)?.attributes as {
    readonly routes: readonly Route[];
  };
  const port = resources.find(({ kind }) => kind === 'port')?.attributes as {
    readonly allowed_address_pairs: readonly AddressPair[];
  };
  expect(routes.routes.map(text)).toEqual(stay);
  expect((after.get(FORMER) ?? []).map(text)).toEqual(record);
  expect(port.allowed_address_pairs.map(({ ip_address: cidr }) => cidr)).toEqual(pairs);
});
