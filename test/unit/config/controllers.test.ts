import { expect, it } from 'vitest';
import { CONTROLLERS, controllersFlag } from '../../../shared/config/controllers.ts';

const [SERVICE, NODE, LIFECYCLE, ROUTE] = [
  'service-lb-controller',
  'cloud-node-controller',
  'cloud-node-lifecycle-controller',
  'node-route-controller',
];

it.each<readonly [string | undefined, readonly (string | undefined)[]]>([
  [undefined, CONTROLLERS],
  ['', CONTROLLERS],
  ['*', CONTROLLERS],
  ['*,-service', [NODE, LIFECYCLE, ROUTE]],
  ['*,-service-lb-controller', [NODE, LIFECYCLE, ROUTE]],
  ['-route, *', [SERVICE, NODE, LIFECYCLE]],
  ['*,-cloud-node,-cloud-node-lifecycle', [SERVICE, ROUTE]],
  ['service', [SERVICE]],
  ['route service', [SERVICE, ROUTE]],
  ['cloud-node,cloud-node-lifecycle-controller', [NODE, LIFECYCLE]],
  // the first that names it counts
  ['*,-route,node-route-controller', [SERVICE, NODE, LIFECYCLE]],
  ['route,-route', [ROUTE]],
])('--controllers=%s', (value, expected) => {
  const problems: string[] = [];
  expect(controllersFlag(value, problems)).toEqual(expected);
  expect(problems).toEqual([]);
});

it.each([
  [
    '*,-services',
    'has no "-services"; did you mean service?; there are *, service-lb-controller (service), ',
  ],
  ['*,Service', 'has no "Service"; did you mean service?'],
  ['nodeipam', 'has no "nodeipam"; there are *, '],
  ['-*', 'has no "-*"; there are *, '],
  ['-service', '--controllers=-service leaves none: begin with a star, such as *,-route'],
  ['*,-service,-cloud-node,-cloud-node-lifecycle,-route', 'leaves none'],
])('--controllers=%s is refused', (value, says) => {
  const problems: string[] = [];
  controllersFlag(value, problems);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(says);
});
