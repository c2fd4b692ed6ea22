import { expect, it } from 'vitest';
import { CONTROLLER_NAMES, controllersList } from '../../../shared/config/controllers.ts';
import { NotAllowed, refusalOf } from '../../../shared/config/read-value.ts';

// prettier-ignore
const [SERVICE, NODE, LIFECYCLE, ROUTE] = [
  'service-lb-controller', 'cloud-node-controller', 'cloud-node-lifecycle-controller', 'node-route-controller',
];

it.each<readonly [string | undefined, readonly (string | undefined)[]]>([
  [undefined, CONTROLLER_NAMES],
  ['', CONTROLLER_NAMES],
  ['*', CONTROLLER_NAMES],
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
  expect(controllersList(value)).toEqual(expected);
});

// prettier-ignore
it.each([
  ['*,-services', 'has a value that is not allowed (item 2): give *, service-lb-controller (service), '],
  ['*,-services', '; did you mean service?'],
  ['*,Service', 'has a value that is not allowed (item 2)'],
  ['*,Service', '; did you mean service?'],
  ['nodeipam,-*', 'has a value that is not allowed (items 1, 2): give *, '],
  ['-service', 'has a value that is not allowed: give a list that leaves a controller on; it may begin with *'],
  ['*,-service,-cloud-node,-cloud-node-lifecycle,-route', 'leaves a controller on'],
])('--controllers=%s is refused', (value, says) => {
  const result = controllersList(value);
  expect(result).toBeInstanceOf(NotAllowed);
  expect(refusalOf('--controllers', value, result as NotAllowed)).toContain(says);
});
