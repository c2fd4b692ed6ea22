import { expect, test } from 'vitest';
import { readIntent, withFamilies } from '../../../../shared/service/intent/service-intent.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const rangesOf = (...loadBalancerSourceRanges: string[]): readonly string[] | null =>
  readIntent(aStoredService({ spec: { loadBalancerSourceRanges } }), aConfig()).allowed_cidrs;

test('two spellings of one range are one: Octavia keeps each only once', () => {
  expect(rangesOf('192.0.2.7/24', '192.0.2.0/24', '10.0.0.0/8')).toEqual(['10.0.0.0/8', '192.0.2.0/24']);
});

test('everybody among the ranges is everybody', () => {
  expect(rangesOf('10.0.0.0/8', '0.0.0.0/0')).toBeNull();
});

test('of two families nobody has access by the one that has no range, and everybody only by both', () => {
  const dual = (...loadBalancerSourceRanges: string[]) =>
    readIntent(
      aStoredService({ spec: { loadBalancerSourceRanges, ipFamilies: ['IPv4', 'IPv6'] } }),
      aConfig(),
    ).allowed_cidrs;
  expect(dual('0.0.0.0/0')).toEqual(['0.0.0.0/0']);
  expect(dual('0.0.0.0/0', '::/0')).toBeNull();
  expect(dual('fd00::/8', '10.0.0.0/8')).toEqual(['10.0.0.0/8', 'fd00::/8']);
});

test('a rule that is not served is skipped, and where none is left nothing is opened', () => {
  const service = (...loadBalancerSourceRanges: string[]) =>
    aStoredService({ spec: { loadBalancerSourceRanges, ipFamilies: ['IPv4', 'IPv6'] } });
  const four = withFamilies(readIntent(service('fd00::/8', '10.0.0.0/8'), aConfig()), [4]);
  expect(four).toMatchObject({ families: [4], allowed_cidrs: ['10.0.0.0/8'] });
  expect(four.rangeProblems).toEqual([expect.objectContaining({ value: 'fd00::/8' })]);
  const none = withFamilies(readIntent(service('fd00::/8'), aConfig()), [4]);
  expect(none.allowed_cidrs).toEqual([]);
  expect(none.rangeProblems).toContainEqual(expect.objectContaining({ blocking: true }));
});

test.each([
  ['', null],
  [' ', null],
  [',', []],
  [' , ;', []],
  ['[]', []],
  ['10.0.0.0/8,', ['10.0.0.0/8']],
])('the annotation %j opens to %j', (text, cidrs) => {
  const annotations = { 'service.beta.kubernetes.io/load-balancer-source-ranges': text };
  const { allowed_cidrs, rangeProblems } = readIntent(aStoredService({ annotations }), aConfig());
  expect(allowed_cidrs).toEqual(cidrs);
  expect(rangeProblems.some(({ blocking }) => blocking)).toBe(cidrs?.length === 0);
});
