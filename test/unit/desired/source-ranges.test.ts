import { expect, test } from 'vitest';
import { readWishes } from '../../../shared/desired/wishes.ts';
import { aConfig } from '../../support/config.ts';
import { aStoredService } from '../../support/service.ts';

const rangesOf = (...loadBalancerSourceRanges: string[]): readonly string[] | null =>
  readWishes(aStoredService({ spec: { loadBalancerSourceRanges } }), aConfig()).allowed_cidrs;

test('two spellings of one range are one: Octavia keeps each only once', () => {
  expect(rangesOf('192.0.2.7/24', '192.0.2.0/24', '10.0.0.0/8')).toEqual(['10.0.0.0/8', '192.0.2.0/24']);
});

test('everybody among the ranges is everybody', () => {
  expect(rangesOf('10.0.0.0/8', '0.0.0.0/0')).toBeNull();
});
