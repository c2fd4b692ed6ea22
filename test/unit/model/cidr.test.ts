import { expect, test } from 'vitest';
import { cidrContains, parseCidr } from '../../../shared/model/network/cidr.ts';

const NONE = ['', '10.0.0.1', '10.0.0.0/33', '10.0.0.0/8/8', '010.0.0.0/8', 'fd00::/129', '10.0.0.0/x', '/8'];

test.each<[string, string?]>([
  ['10.0.0.7/8', '10.0.0.0/8'],
  ['192.0.2.1/32', '192.0.2.1/32'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['FD00:10::5/64', 'fd00:10::/64'],
  ['::/0', '::/0'],
  ['1:0:0:2:0:0:0:3/128', '1:0:0:2::3/128'],
  ['::ffff:10.0.0.1/128', '::ffff:a00:1/128'],
  ...NONE.map((text): [string] => [text]),
])('%j is the network %s', (text, network) => {
  expect(parseCidr(text)?.text).toBe(network);
});

test.each([
  ['10.0.0.0/24', '10.0.0.9', true],
  ['10.0.0.0/24', '10.0.1.9', false],
  ['fd00:10::/64', 'fd00:10::9', true],
  ['fd00:10::/64', '10.0.0.9', false],
  ['10.0.0.0/24', 'node-1', false],
])('%s contains %s: %s', (cidr, address, inside) => {
  expect(cidrContains(cidr, address)).toBe(inside);
});
